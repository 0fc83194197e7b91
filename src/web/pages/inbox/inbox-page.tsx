import { Link, useSearch } from 'wouter'
import type { InboxEntry } from '../../../contract/inbox'
import { keys } from '../../data/cache/keys'
import {
  archiveEntry,
  type InboxTab,
  inboxTabs,
  markInboxRead,
  setEntryRead,
  unarchiveEntry,
  useInbox,
} from '../../data/inbox'
import { useInboxCount } from '../../data/unread'
import { Button } from '../../parts/button'
import { formatUnread } from '../../parts/format-count'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { useKeys } from '../../shell/keys'
import { PageTitle } from '../../shell/title'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { formatDay } from '../threads/day-name'
import { EntryRow } from './entry-row'

/** What happened that concerns the member. */
export default function InboxPage() {
  const tab = parseTab(useSearch())
  const count = useInboxCount()
  return (
    <main className="page feed" id="main">
      <div className="feed-head">
        <div className="page-head">
          <PageTitle title="Inbox" />
          <Button
            icon="check"
            variant="plain"
            disabledReason={count === 0 ? 'Everything is read.' : undefined}
            onClick={() => void markInboxRead()}
          >
            Mark all as read
          </Button>
        </div>
        <Tabs tab={tab} count={count} />
      </div>
      <Entries key={tab} tab={tab} />
    </main>
  )
}

const parseTab = (search: string): InboxTab => {
  const wanted = new URLSearchParams(search).get('tab')
  return inboxTabs.find((tab) => tab === wanted) ?? 'all'
}

const Tabs = ({ tab, count }: { tab: InboxTab; count: number }) => {
  const link = (to: InboxTab, label: string) => (
    <Link href={paths.inboxTab(to)} className="tab-link" aria-current={to === tab ? 'page' : undefined}>
      {label}
    </Link>
  )
  return (
    <div className="tab-bar">
      <nav aria-label="Inbox">
        {link('all', 'All')}
        {link('unread', count > 0 ? `Unread ${formatUnread(count)}` : 'Unread')}
        {link('mentions', 'Mentions')}
      </nav>
      {link('archived', 'Archived')}
    </div>
  )
}

function Entries({ tab }: { tab: InboxTab }) {
  const from = useStartCursor(keys.inbox(tab))
  const entries = useInbox(tab, from)
  const days = listDayStarts(entries.records)
  useEntryKeys(entries.records)
  if (entries.error && !entries.data) return <ProblemNote error={entries.error} retry={() => void entries.refetch()} />
  if (!entries.data) return <EntrySkeleton />
  if (entries.records.length === 0 && !entries.hasNextPage && !entries.hasPreviousPage) return <NoEntries tab={tab} />
  return (
    <InfiniteList name="Inbox" pages={entries} skeleton={<EntrySkeleton count={3} />}>
      {(entry) => <EntryRow key={entry.id} entry={entry} day={days.get(entry.id)} />}
    </InfiniteList>
  )
}

/** The name of each day, by the first entry of that day. */
function listDayStarts(entries: readonly InboxEntry[]): Map<string, string> {
  const starts = new Map<string, string>()
  let last: string | undefined
  for (const { id, last_activity_at } of entries) {
    const day = new Date(last_activity_at).toDateString()
    if (day !== last) starts.set(id, formatDay(last_activity_at))
    last = day
  }
  return starts
}

const emptyStates: Record<InboxTab, { title: string; text: string }> = {
  all: { title: 'You’re all caught up', text: 'Mentions, replies and messages for you appear here.' },
  unread: { title: 'You’re all caught up', text: 'New mentions, replies and messages appear here.' },
  mentions: { title: 'No mentions', text: 'When someone mentions you with @, it appears here.' },
  archived: { title: 'Nothing archived', text: 'What you archive is kept here until something new happens.' },
}

const NoEntries = ({ tab }: { tab: InboxTab }) => <Empty title={emptyStates[tab].title}>{emptyStates[tab].text}</Empty>

/** Rows in the shape of entries. */
const EntrySkeleton = ({ count = 6 }: { count?: number }) => (
  <Loading what="your inbox">
    <ol className="infinite-list">
      {Array.from({ length: count }, (_, at) => (
        <li key={at}>
          <div className="inbox-row">
            <span className="inbox-face">
              <Skeleton width={36} height={36} />
            </span>
            <div className="inbox-sentence">
              <Skeleton width={`${82 - (at % 3) * 14}%`} height={14} />
            </div>
            <div className="inbox-location">
              <Skeleton width={200} />
            </div>
          </div>
        </li>
      ))}
    </ol>
  </Loading>
)

/** `e` archives and `u` marks the entry in focus. */
function useEntryKeys(entries: readonly InboxEntry[]) {
  const act = (run: (entry: InboxEntry) => Promise<void>) => () => {
    const row = document.activeElement?.closest('li')
    const entry = entries.find(({ id }) => id === row?.id)
    if (!row || !entry) return
    const neighbour = row.nextElementSibling ?? row.previousElementSibling
    void run(entry)
    moveFocusIfGone(row, neighbour)
  }
  useKeys('Inbox', {
    e: {
      label: 'Archive, or move back to the inbox',
      run: act((entry) => (entry.archived_at ? unarchiveEntry(entry) : archiveEntry(entry))),
    },
    u: { label: 'Mark as read or unread', run: act((entry) => setEntryRead(entry, entry.is_unread)) },
  })
}

/** An entry that leaves the list passes the focus on to the next one. */
function moveFocusIfGone(row: Element, neighbour: Element | null) {
  requestAnimationFrame(() => {
    if (!row.isConnected) neighbour?.querySelector<HTMLElement>('a[data-row]')?.focus()
  })
}
