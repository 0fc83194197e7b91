import type { Channel } from '../../../contract/channels'
import { addToChannel, type ChannelMember, removeFromChannel, useChannelMembers } from '../../data/channel-members'
import { useMe } from '../../data/me'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { PagedList } from '../../parts/paged-list'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { PersonPicker } from './person-picker'

/** The members of a channel, whom those who manage it add and remove. */
export function ChannelPeople({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const people = useChannelMembers(channel.id)
  const total = people.data?.pages[0]?.total_count
  const isIn = new Set(people.records.map(({ id }) => id))
  return (
    <section className="form" aria-label="Channel members">
      <h2>Members {total !== undefined && <span className="meta count">{total.toLocaleString()}</span>}</h2>
      {mayManage && (
        <PersonPicker
          label="Add a member or an app"
          disabledReason={undefined}
          isIn={isIn}
          pick={(who) => void addToChannel(channel, who)}
        />
      )}
      {people.error && !people.data && <ProblemNote error={people.error} retry={() => void people.refetch()} />}
      {!people.data && !people.error && <PeopleSkeleton />}
      {people.data && total === 0 && <p className="meta">No members yet.</p>}
      {people.records.length > 0 && (
        <PagedList name="Members" pages={people} className="rows channel-people" skeleton={<PeopleSkeleton />}>
          {(who) => <PersonRow key={who.id} who={who} channel={channel} mayManage={mayManage} />}
        </PagedList>
      )}
    </section>
  )
}

interface RowProps {
  who: ChannelMember
  channel: Channel
  mayManage: boolean
}

function PersonRow({ who, channel, mayManage }: RowProps) {
  const isMe = useMe().author.id === who.id
  return (
    <li className={`rows-item ${who.isPending ? 'pending' : ''}`}>
      <span className="row">
        <Avatar of={who} />
        {who.name}
        {who.type === 'app' && <span className="chip">App</span>}
        {isMe && <span className="chip">You</span>}
      </span>
      {mayManage && !isMe && (
        <Button
          icon="close"
          variant="plain"
          label={`Remove ${who.name}`}
          onClick={() => void removeFromChannel(channel, who)}
        />
      )}
    </li>
  )
}

const PeopleSkeleton = () => (
  <Loading what="members">
    <ul className="rows">
      {[120, 160, 90].map((width) => (
        <li key={width} className="rows-item">
          <Skeleton width={width} height={24} />
        </li>
      ))}
    </ul>
  </Loading>
)
