import { useLocation } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { Button } from '../../parts/button'

/** From a channel's feed to who is in it and what it is called. */
export function ChannelTools({ channel }: { channel: Channel }) {
  const [, navigate] = useLocation()
  return (
    <Button icon={channel.is_private ? 'lock' : 'people'} onClick={() => navigate(`/channels?open=${channel.id}`)}>
      {channel.is_private ? 'Private' : 'Details'}
    </Button>
  )
}
