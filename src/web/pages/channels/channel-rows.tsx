import { memo, type ReactNode, type RefObject } from 'react'
import { Link } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { unarchiveChannel } from '../../data/channels'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { Loading, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { JoinButton } from './join-button'

export const ChannelTable = ({ rows, children }: { rows: RefObject<HTMLElement | null>; children: ReactNode }) => (
  <table className="channel-table" aria-label="Channels">
    <thead>
      <tr>
        <th scope="col">Channel</th>
        <th scope="col">Members</th>
        <th scope="col">Last post</th>
        <th scope="col">
          <span className="visually-hidden">Joined</span>
        </th>
      </tr>
    </thead>
    <tbody ref={rows as RefObject<HTMLTableSectionElement>} className="infinite-list">
      {children}
    </tbody>
  </table>
)

/** A channel, and whether the member is in it. The whole row is a link. */
export const ChannelRow = memo(function ChannelRow({ channel }: { channel: Channel }) {
  return (
    <Row
      channel={channel}
      name={
        <Link href={paths.channel(channel.id)} data-row>
          {channel.name}
        </Link>
      }
      at={channel.last_activity_at}
    >
      <JoinButton channel={channel} />
    </Row>
  )
})

/** A channel that nobody sees until an admin brings it back. */
export const ArchivedRow = ({ channel }: { channel: Channel }) => (
  <Row channel={channel} name={<span>{channel.name}</span>} at={channel.last_activity_at}>
    <Button className="join" label={`Unarchive ${channel.name}`} onClick={() => void unarchiveChannel(channel)}>
      Unarchive
    </Button>
  </Row>
)

interface RowProps {
  channel: Channel
  name: ReactNode
  at: string | null
  children: ReactNode
}

const Row = ({ channel: { id, description, is_private, is_default, members_count }, name, at, children }: RowProps) => (
  <tr id={id}>
    <th scope="row">
      <div className="channel-name">
        <Icon name={is_private ? 'lock' : 'hash'} />
        {name}
        {is_private && <span className="chip">Private</span>}
        {is_default && (
          <span className="chip" title="Whoever joins the workspace is in it.">
            Everyone
          </span>
        )}
      </div>
      {description && (
        <p className="channel-description" dir="auto" title={description}>
          {description}
        </p>
      )}
    </th>
    <td className="count">
      {members_count.toLocaleString()}
      <span className="visually-hidden"> {members_count === 1 ? 'member' : 'members'}</span>
    </td>
    <td>{at && <Time at={at} isShort />}</td>
    <td>{children}</td>
  </tr>
)

export const ChannelSkeleton = () => (
  <Loading what="channels">
    {[140, 90, 180, 120].map((width) => (
      <div key={width} className="channel-skeleton">
        <Skeleton width={width} height={16} />
        <Skeleton width={width + 120} />
      </div>
    ))}
  </Loading>
)
