import { useLocation } from 'wouter'
import type { Channel } from '../../contract/channels'
import { getLeaveDeniedReason, leaveChannel } from '../data/channels'
import { markChannelRead } from '../data/reads'
import { findNeighbors, placeChannel, useSidebarChannels } from '../data/sidebar'
import { setLevel } from '../data/unread'
import { copyLink } from '../parts/copy-link'
import { useConfirm } from '../parts/dialog'
import { Menu, type MenuEntry } from '../parts/menu'
import { isOfChannel, paths } from '../paths'

interface Props {
  channel: Channel
  isMuted: boolean
  isUnread: boolean
}

/** The menu of a channel in the sidebar. It is mounted open. */
export function SidebarChannelMenu({ channel, isMuted, isUnread }: Props) {
  const sections = useSidebarChannels()
  const isFavorite = sections?.favorites.some(({ id }) => id === channel.id) ?? false
  const [question, leave] = useLeaveEntry(channel)
  if (!sections) return null
  const { up, down } = findNeighbors(sections, channel.id)
  return (
    <>
      <Menu
        label={`Actions for ${channel.name}`}
        isOpen
        entries={[
          toFavoriteEntry(channel, isFavorite),
          up && { label: 'Move up', icon: 'up', hint: 'Alt ↑', run: () => void placeChannel(channel, up) },
          down && { label: 'Move down', icon: 'down', hint: 'Alt ↓', run: () => void placeChannel(channel, down) },
          'line',
          isMuted
            ? { label: 'Unmute channel', icon: 'bell', run: () => void setLevel(channel.id, 'mentions') }
            : { label: 'Mute channel', icon: 'bell-off', run: () => void setLevel(channel.id, 'none') },
          isUnread && { label: 'Mark as read', icon: 'check', run: () => void markChannelRead(channel.id) },
          { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.channel(channel.id)) },
          'line',
          leave,
        ]}
      />
      {question}
    </>
  )
}

export const toFavoriteEntry = (channel: Channel, isFavorite: boolean): MenuEntry => ({
  label: isFavorite ? 'Remove from favourites' : 'Add to favourites',
  icon: 'star',
  run: () => void placeChannel(channel, { isFavorite: !isFavorite }),
})

/** Leaves a channel. A private one asks first, because nobody can come back alone. */
export function useLeaveEntry(channel: Channel) {
  const [question, confirm] = useConfirm()
  const [path, navigate] = useLocation()
  const leave = () => {
    void leaveChannel(channel)
    // It is no longer visible.
    if (channel.is_private && isOfChannel(channel.id, path)) navigate(paths.posts)
  }
  const entry: MenuEntry = {
    label: 'Leave channel',
    icon: 'leave',
    disabledReason: getLeaveDeniedReason(channel),
    run: () =>
      channel.is_private
        ? confirm({
            title: `Leave ${channel.name}?`,
            text: 'You will no longer see this channel. Only an admin who is in it can add you again.',
            label: 'Leave',
            run: leave,
          })
        : leave(),
  }
  return [question, entry] as const
}
