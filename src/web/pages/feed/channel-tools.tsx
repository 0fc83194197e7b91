import { lazy, Suspense } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { Button } from '../../parts/button'
import { paths, withQuery } from '../../paths'

const ChannelDetails = lazy(async () => ({
  default: (await import('../channels/channel-details')).ChannelDetails,
}))

/** Opens the details of a channel over its feed: `/channels/<id>?details`. */
export function ChannelTools({ channel }: { channel: Channel }) {
  const [path, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const isOpen = query.has('details')
  const toggle = () => {
    const next = new URLSearchParams(query)
    if (isOpen) next.delete('details')
    else next.set('details', '')
    navigate(withQuery(path, next), { replace: isOpen })
  }
  return (
    <>
      <Button icon={channel.is_private ? 'lock' : 'people'} onClick={toggle}>
        {channel.is_private ? 'Private' : 'Details'}
      </Button>
      {isOpen && (
        <Suspense>
          <ChannelDetails id={channel.id} close={toggle} leave={() => navigate(paths.channels, { replace: true })} />
        </Suspense>
      )}
    </>
  )
}
