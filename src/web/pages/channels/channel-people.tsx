import type { ReactNode } from 'react'
import type { Channel } from '../../../contract/channels'
import { addToChannel, type ListedMember, removeFromChannel, useChannelMembers } from '../../data/channel-members'
import { useMe } from '../../data/me'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { PagedList } from '../../parts/paged-list'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { PersonPicker } from './person-picker'

/** The members of a channel, whom those who manage it add and remove. */
export function ChannelPeople({ channel, mayManage }: { channel: Channel; mayManage: boolean }) {
  const people = useChannelMembers(channel.id)
  const myId = useMe().author.id
  const total = people.data?.pages[0]?.total_count
  return (
    <section className="form" aria-label="Channel members">
      <h2>Members {total !== undefined && <span className="meta count">{total.toLocaleString()}</span>}</h2>
      {mayManage && (
        <PersonPicker
          label="Add a member or an app"
          disabledReason={undefined}
          isIn={new Set(people.records.map(({ id }) => id))}
          pick={(who) => void addToChannel(channel, who)}
        />
      )}
      <PeopleList people={people} className="rows channel-people" emptyText="No members yet.">
        {(who) => (
          <PersonRow
            key={who.id}
            who={who}
            remove={mayManage && who.id !== myId ? () => void removeFromChannel(channel, who) : undefined}
          >
            {who.name}
            {who.type === 'app' && <span className="chip">App</span>}
            {who.id === myId && <span className="chip">You</span>}
          </PersonRow>
        )}
      </PeopleList>
    </section>
  )
}

interface ListProps {
  people: ReturnType<typeof useChannelMembers>
  className?: string
  emptyText: string
  children(who: ListedMember): ReactNode
}

/** Who is in a channel or a group, page by page. */
export function PeopleList({ people, className, emptyText, children }: ListProps) {
  if (!people.data)
    return people.error ? <ProblemNote error={people.error} retry={() => void people.refetch()} /> : <PeopleSkeleton />
  if (people.records.length === 0) return <p className="meta">{emptyText}</p>
  return (
    <PagedList name="Members" pages={people} className={className} skeleton={<PeopleSkeleton />}>
      {children}
    </PagedList>
  )
}

interface RowProps {
  who: ListedMember
  /** Takes them out; undefined for those who may not. */
  remove: (() => void) | undefined
  /** Their name. */
  children: ReactNode
}

export const PersonRow = ({ who, remove, children }: RowProps) => (
  <li className={`rows-item ${who.isPending ? 'pending' : ''}`}>
    <span className="row">
      <Avatar of={who} />
      {children}
    </span>
    {remove && <Button icon="close" variant="plain" label={`Remove ${who.name}`} onClick={remove} />}
  </li>
)

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
