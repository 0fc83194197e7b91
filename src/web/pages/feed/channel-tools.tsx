import { Suspense } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { joinChannel, useIsJoined } from '../../data/channels'
import { markChannelRead } from '../../data/reads'
import { setLevel, useChannelLevel, useUnread } from '../../data/unread'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { FollowChoices } from '../../parts/follow-choices'
import { lazyLoad } from '../../parts/lazy-load'
import { Menu } from '../../parts/menu'
import { paths, withQuery } from '../../paths'

const ChannelDetails = lazyLoad(async () => ({
  default: (await import('../channels/channel-details')).ChannelDetails,
}))

/** Joining a channel, and its menu, which opens the details over its feed: `/channels/<id>?details`. */
export function ChannelTools({ channel }: { channel: Channel }) {
  const [path, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const isOpen = query.has('details')
  const isJoined = useIsJoined(channel.id)
  const level = useChannelLevel(channel.id)
  const isUnread = useUnread().channels.some(({ id, unread_count }) => id === channel.id && unread_count > 0)
  const toggle = () => {
    const next = new URLSearchParams(query)
    if (isOpen) next.delete('details')
    else next.set('details', '')
    navigate(withQuery(path, next), { replace: isOpen })
  }
  return (
    <>
      {isJoined === false && (
        <Button label={`Join ${channel.name}`} onClick={() => void joinChannel(channel)}>
          Join
        </Button>
      )}
      <Menu
        label="Channel actions"
        entries={[
          { label: 'Details and members', icon: 'people', run: toggle },
          isUnread && { label: 'Mark as read', icon: 'check', run: () => void markChannelRead(channel.id) },
          { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.channel(channel.id)) },
        ]}
      >
        <FollowChoices level={level} choose={(chosen) => void setLevel(channel.id, chosen)} />
      </Menu>
      {isOpen && (
        <Suspense>
          <ChannelDetails id={channel.id} close={toggle} leave={() => navigate(paths.channels, { replace: true })} />
        </Suspense>
      )}
    </>
  )
}
