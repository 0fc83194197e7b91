import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiError } from '../../../client'
import type { Group } from '../../../contract/groups'
import { addToGroup, removeFromGroup, useGroup, useGroupMembers } from '../../data/groups'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { useConfirm } from '../../parts/dialog'
import { formatCount } from '../../parts/format-count'
import { Menu } from '../../parts/menu'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { PeopleList, PersonRow } from '../channels/channel-people'
import { PersonPicker } from '../channels/person-picker'
import { deletionOf, GroupForm } from '../settings/workspace/groups-section'

/** A group of people, which mentions of it lead to: who is in it, and for admins how to change that. */
export default function GroupPage({ id }: { id: string }) {
  const { data: group, error, refetch } = useGroup(id)
  const [, navigate] = useLocation()
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <main className="page group-page" id="main">
      {isGone ? (
        <>
          <PageTitle title="Not found" isNotFound />
          <Empty title="Group not found" action={<Button onClick={() => navigate(paths.members)}>All members</Button>}>
            It was deleted, or you cannot see it.
          </Empty>
        </>
      ) : group ? (
        <Details group={group} />
      ) : error ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : (
        <Loading what="the group">
          <Skeleton width={220} height={24} />
          <Skeleton width={320} />
        </Loading>
      )}
    </main>
  )
}

function Details({ group }: { group: Group }) {
  const { isAdmin } = usePermissions()
  const [, navigate] = useLocation()
  const [isEditing, setEditing] = useState(false)
  const [question, ask] = useConfirm()
  return (
    <>
      <div className="spread">
        <PageTitle title={`@${group.name}`} />
        {isAdmin && (
          <Menu
            label={`Manage @${group.name}`}
            entries={[
              { label: 'Rename or describe', icon: 'edit', run: () => setEditing(true) },
              {
                label: 'Delete group',
                icon: 'trash',
                isDanger: true,
                run: () => ask(deletionOf(group, () => navigate(paths.settings('groups'), { replace: true }))),
              },
            ]}
          />
        )}
      </div>
      <p className="meta">
        {[formatCount(group.members_count, 'member'), group.description].filter(Boolean).join(' · ')}
      </p>
      <People group={group} />
      <Link href={paths.settings('groups')} className="meta">
        All groups
      </Link>
      {isEditing && <GroupForm group={group} close={() => setEditing(false)} />}
      {question}
    </>
  )
}

function People({ group }: { group: Group }) {
  const people = useGroupMembers(group.id)
  const { isAdmin } = usePermissions()
  return (
    <section className="form" aria-label="Group members">
      {isAdmin && (
        <PersonPicker
          label="Add a member"
          disabledReason={undefined}
          isIn={new Set(people.records.map(({ id }) => id))}
          membersOnly
          pick={(who) => void addToGroup(group, who)}
        />
      )}
      <PeopleList people={people} emptyText="Nobody is in this group yet.">
        {(who) => (
          <PersonRow key={who.id} who={who} remove={isAdmin ? () => void removeFromGroup(group, who) : undefined}>
            <span className="rows-name">
              <Link href={paths.member(who.id)}>{who.name}</Link>
            </span>
          </PersonRow>
        )}
      </PeopleList>
    </section>
  )
}
