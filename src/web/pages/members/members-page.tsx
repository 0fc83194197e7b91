import { Suspense, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Role } from '../../../contract/members'
import { keys } from '../../data/cache/keys'
import { usePermissions } from '../../data/me'
import { type MemberFilter, useMembers } from '../../data/members'
import { Button } from '../../parts/button'
import { lazyLoad } from '../../parts/lazy-load'
import { Empty, ProblemNote } from '../../parts/states'
import { useDebouncedText } from '../../parts/use-debounced-text'
import { useIsNarrow } from '../../parts/use-is-narrow'
import { paths, withQuery } from '../../paths'
import { PageTitle } from '../../shell/title'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { MemberListRow, MemberRowSkeleton, MemberTable, MemberTableRow } from './member-rows'
import { roles } from './roles'
import { useMemberActions } from './use-member-actions'

const InviteDialog = lazyLoad(() => import('./invite-dialog'))

/** The members of the workspace. The filter is in the URL, and whether someone is being invited: `?invite`. */
export default function MembersPage() {
  const [, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const filter = parseFilter(query)
  const { isAdmin } = usePermissions()
  const choose = (name: string, value: string) => {
    const next = new URLSearchParams(location.search)
    if (value) next.set(name, value)
    else next.delete(name)
    navigate(withQuery(paths.members, next), { replace: true, state: history.state })
  }
  const withInvite = (isInviting: boolean) => {
    const next = new URLSearchParams(query)
    if (isInviting) next.set('invite', '')
    else next.delete('invite')
    return withQuery(paths.members, next)
  }
  return (
    <main className="page wide" id="main">
      <div className="page-head">
        <PageTitle title="Members" />
        {isAdmin && (
          <Button icon="plus" variant="primary" onClick={() => navigate(withInvite(true))}>
            Invite
          </Button>
        )}
      </div>
      <Filters query={query} choose={choose} />
      <Results filter={filter} clear={() => navigate(paths.members, { replace: true, state: history.state })} />
      {query.has('invite') && isAdmin && (
        <Suspense>
          <InviteDialog close={() => navigate(withInvite(false), { replace: true })} />
        </Suspense>
      )}
    </main>
  )
}

const orders: Record<string, Pick<MemberFilter, 'sort' | 'direction'>> = {
  '': { sort: 'created_at', direction: 'desc' },
  oldest: { sort: 'created_at', direction: 'asc' },
  seen: { sort: 'last_seen_at', direction: 'desc' },
}

function parseFilter(query: URLSearchParams): MemberFilter {
  const q = query.get('q')?.trim()
  const role = query.get('role') as Role | null
  return {
    ...(q && { q }),
    ...(role && roles.some((known) => known.role === role) && { role }),
    ...(orders[query.get('sort') ?? ''] ?? orders['']!),
  }
}

function Filters({ query, choose }: { query: URLSearchParams; choose(name: string, value: string): void }) {
  const [text, type] = useDebouncedText(query.get('q') ?? '', (q) => choose('q', q))
  return (
    <search className="member-filters filters">
      <input
        type="search"
        className="input"
        aria-label="Search members"
        placeholder="Search by name or e-mail address"
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <select
        className="input"
        aria-label="Role"
        value={query.get('role') ?? ''}
        onChange={(event) => choose('role', event.target.value)}
      >
        <option value="">All roles</option>
        {roles.map(({ role, plural }) => (
          <option key={role} value={role}>
            {plural}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Sort by"
        value={query.get('sort') ?? ''}
        onChange={(event) => choose('sort', event.target.value)}
      >
        <option value="">Newest first</option>
        <option value="oldest">Oldest first</option>
        <option value="seen">Last seen first</option>
      </select>
    </search>
  )
}

function Results({ filter, clear }: { filter: MemberFilter; clear(): void }) {
  const key = JSON.stringify(filter)
  const from = useStartCursor(keys.membersBy(filter))
  const [firstKey] = useState(key)
  const members = useMembers(filter, key === firstKey ? from : undefined)
  const isNarrow = useIsNarrow()
  const [dialogs, actionsFor] = useMemberActions()

  if (members.error && !members.data) return <ProblemNote error={members.error} retry={() => void members.refetch()} />
  if (!members.data) return <MemberRowSkeleton />
  const total = members.data.pages[0]?.total_count ?? 0
  const isPrevious = members.isPlaceholderData
  return (
    <>
      <p className="meta count" role="status">
        {formatCount(total, filter)}
      </p>
      {total === 0 && members.records.length === 0 ? (
        <Empty
          title={filter.q ? `No results for “${filter.q}”` : 'No members'}
          action={<Button onClick={clear}>Show all members</Button>}
        >
          Try another part of a name or e-mail address.
        </Empty>
      ) : (
        <div className={isPrevious ? 'pending' : ''} aria-busy={isPrevious}>
          <InfiniteList
            key={isPrevious ? 'old' : key}
            name="Members"
            pages={isPrevious ? { ...members, hasNextPage: false, hasPreviousPage: false } : members}
            skeleton={<MemberRowSkeleton count={3} />}
            renderContainer={
              isNarrow ? undefined : (rows, children) => <MemberTable rows={rows}>{children}</MemberTable>
            }
          >
            {(member) => {
              const Row = isNarrow ? MemberListRow : MemberTableRow
              return <Row key={member.id} member={member} query={filter.q} entries={actionsFor(member)} />
            }}
          </InfiniteList>
        </div>
      )}
      {dialogs}
    </>
  )
}

function formatCount(total: number, { q, role }: MemberFilter): string {
  const number = total.toLocaleString()
  if (q) return `${number} ${total === 1 ? 'match' : 'matches'}`
  const known = roles.find((one) => one.role === role) ?? { label: 'Member', plural: 'Members' }
  return `${number} ${(total === 1 ? known.label : known.plural).toLowerCase()}`
}
