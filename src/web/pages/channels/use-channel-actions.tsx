import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { archiveChannel, setChannelPrivate } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { copyLink } from '../../parts/copy-link'
import { useConfirm } from '../../parts/dialog'
import type { MenuEntry } from '../../parts/menu'
import { paths } from '../../paths'

/** What can be done with a channel. What is for admins only is disabled for others, with the reason. */
export function useChannelActions(): [ReactNode, (channel: Channel) => MenuEntry[]] {
  const { manageDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  const [question, confirm] = useConfirm()

  const makePublic = (channel: Channel) =>
    confirm({
      title: `Make ${channel.name} public?`,
      text: 'Everyone in the workspace except guests will see this channel and all of its posts.',
      label: 'Make public',
      run: () => void setChannelPrivate(channel, false),
    })
  const entries = (channel: Channel): MenuEntry[] => [
    { label: 'Details and members', icon: 'people', run: () => navigate(paths.channelDetails(channel.id)) },
    { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.channel(channel.id)) },
    channel.is_private
      ? { label: 'Make public', icon: 'hash', disabledReason: manageDeniedReason, run: () => makePublic(channel) }
      : {
          label: 'Make private',
          icon: 'lock',
          disabledReason: manageDeniedReason,
          run: () => void setChannelPrivate(channel, true),
        },
    {
      label: 'Archive channel',
      icon: 'trash',
      isDanger: true,
      disabledReason: manageDeniedReason,
      run: () => void archiveChannel(channel),
    },
  ]
  return [question, entries]
}
