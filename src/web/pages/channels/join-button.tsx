import { useState } from 'react'
import type { Channel } from '../../../contract/channels'
import { joinChannel, useIsJoined } from '../../data/channels'
import { Button } from '../../parts/button'
import { JoinedButton, JoinedMenu } from './joined-menu'

/** Joins a channel; for those who are in it, opens its menu, which is mounted only then: a page has many rows. */
export function JoinButton({ channel }: { channel: Channel }) {
  const isJoined = useIsJoined(channel.id)
  const [isOpened, setOpened] = useState(false)
  if (isJoined === undefined) return null
  if (!isJoined)
    return (
      <Button className="join" label={`Join ${channel.name}`} onClick={() => void joinChannel(channel)}>
        Join
      </Button>
    )
  return isOpened ? (
    <JoinedMenu channel={channel} isJoined variant="plain" isOpen />
  ) : (
    <JoinedButton channel={channel} variant="plain" aria-haspopup="menu" onClick={() => setOpened(true)} />
  )
}
