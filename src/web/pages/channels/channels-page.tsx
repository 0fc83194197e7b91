import { type RefObject, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { keys } from '../../data/cache/keys'
import type { ChannelFilter } from '../../data/cache/records'
import { useChannelCounts, useChannelList, useCreationOfChannels } from '../../data/channels'
import { useMe, usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { QuietChoice } from '../../parts/quiet-choice'
import { Empty, ProblemNote } from '../../parts/states'
import { useDebouncedText } from '../../parts/use-debounced-text'
import { paths, withQuery } from '../../paths'
import { PageTitle } from '../../shell/title'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { ArchivedRow, ChannelRow, ChannelSkeleton, ChannelTable } from './channel-rows'
import { NewChannel } from './new-channel'

const TABS = [
  ['all', 'All'],
  ['joined', 'Joined'],
  ['archived', 'Archived'],
] as const

/** All channels that the member may see. Tab, filter and order are in the URL, and what is being created: `?new`, `?new=<name>`. */
export default function ChannelsPage() {
  const [, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const { isAdmin } = usePermissions()
  const creation = useCreationOfChannels()
  const filter = parseFilter(query, isAdmin)
  const change = (changes: Record<string, string | undefined>) =>
    withQuery(paths.channels, { ...Object.fromEntries(query), new: undefined, ...changes })
  const replace = (changes: Record<string, string | undefined>) =>
    navigate(change(changes), { replace: true, state: history.state })
  const create = (name: string) => navigate(change({ new: name }))
  return (
    <main className="page feed" id="main">
      <div className="feed-head">
        <div className="page-head">
          <PageTitle title="Channels" />
          {creation.isOffered && (
            <div className="row">
              <Button icon="plus" variant="primary" disabledReason={creation.deniedReason} onClick={() => create('')}>
                Create channel
              </Button>
            </div>
          )}
        </div>
        <Filter q={filter.q ?? ''} choose={(q) => replace({ q: q || undefined })} />
        <Tabs filter={filter} change={change} chooseSort={(sort) => replace({ sort })} withArchived={isAdmin} />
      </div>
      <Results filter={filter} create={create} />
      {query.has('new') && creation.isOffered && !creation.deniedReason && (
        <NewChannel name={query.get('new')!} close={() => navigate(change({}), { replace: true })} />
      )}
    </main>
  )
}

const SORTS: Record<string, ChannelFilter['sort']> = {
  activity: 'last_activity_at',
  name: 'name',
  members: 'members_count',
}

function parseFilter(query: URLSearchParams, withArchived: boolean): ChannelFilter {
  const q = query.get('q')?.trim()
  const tab = TABS.find(([name]) => name === query.get('tab'))?.[0] ?? 'all'
  return {
    tab: tab === 'archived' && !withArchived ? 'all' : tab,
    ...(q && { q }),
    sort: SORTS[query.get('sort') ?? ''] ?? (q ? 'best_match' : 'last_activity_at'),
  }
}

function Filter({ q, choose }: { q: string; choose(q: string): void }) {
  const [text, type] = useDebouncedText(q, choose)
  const input = useRef<HTMLInputElement>(null)
  return (
    <search className="channel-filter input">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        aria-label="Filter by name or description"
        placeholder="Filter by name or description"
        maxLength={80}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      {text && (
        <Button
          icon="close"
          variant="plain"
          label="Clear filter"
          onClick={() => {
            type('')
            input.current!.focus()
          }}
        />
      )}
    </search>
  )
}

interface TabsProps {
  filter: ChannelFilter
  change(changes: Record<string, string | undefined>): string
  chooseSort(sort: string | undefined): void
  withArchived: boolean
}

/** How many channels match on each tab, and in which order they are. */
function Tabs({ filter, change, chooseSort, withArchived }: TabsProps) {
  const counts = useChannelCounts(filter.q, withArchived)
  const [sort] = Object.entries(SORTS).find(([, sort]) => sort === filter.sort) ?? ['']
  const usual = filter.q ? '' : 'activity'
  return (
    <div className="tab-bar">
      <nav aria-label="Channels">
        {TABS.filter(([tab]) => tab !== 'archived' || withArchived).map(([tab, label]) => (
          <Link
            key={tab}
            href={change({ tab: tab === 'all' ? undefined : tab })}
            className="tab-link count"
            aria-current={tab === filter.tab ? 'page' : undefined}
          >
            {label} {counts?.[tab].toLocaleString()}
          </Link>
        ))}
      </nav>
      <QuietChoice
        label="Sort by"
        groups={[
          {
            title: 'Sort by',
            value: sort,
            choices: [
              ...(filter.q ? ([['', 'Best match']] as const) : []),
              ['activity', 'Last post'],
              ['name', 'Name'],
              ['members', 'Members'],
            ],
            choose: (chosen) => chooseSort(chosen === usual ? undefined : chosen),
          },
        ]}
      />
    </div>
  )
}

function Results({ filter, create }: { filter: ChannelFilter; create(name: string): void }) {
  const key = JSON.stringify(filter)
  const from = useStartCursor(keys.channelList(filter))
  const [firstKey] = useState(key)
  const channels = useChannelList(filter, key === firstKey ? from : undefined)
  if (channels.error && !channels.data)
    return <ProblemNote error={channels.error} retry={() => void channels.refetch()} />
  if (!channels.data) return <ChannelSkeleton />
  const isPrevious = channels.isPlaceholderData
  if (channels.records.length === 0 && !channels.hasPreviousPage && !isPrevious)
    return <NoChannels filter={filter} create={create} />
  const Row = filter.tab === 'archived' ? ArchivedRow : ChannelRow
  return (
    <div className={isPrevious ? 'pending' : ''} aria-busy={isPrevious}>
      <InfiniteList
        key={isPrevious ? 'old' : key}
        name="Channels"
        pages={isPrevious ? { ...channels, hasNextPage: false, hasPreviousPage: false } : channels}
        skeleton={<ChannelSkeleton />}
        renderContainer={(rows: RefObject<HTMLElement | null>, children) => (
          <ChannelTable rows={rows}>{children}</ChannelTable>
        )}
      >
        {(channel) => <Row key={channel.id} channel={channel} />}
      </InfiniteList>
    </div>
  )
}

function NoChannels({ filter: { tab, q }, create }: { filter: ChannelFilter; create(name: string): void }) {
  const { isOffered, deniedReason } = useCreationOfChannels()
  const isGuest = useMe().role === 'guest'
  const createButton = (name: string) =>
    isOffered && (
      <Button icon="plus" disabledReason={deniedReason} onClick={() => create(name)}>
        {name ? `Create #${name}` : 'Create a channel'}
      </Button>
    )
  if (q)
    return (
      <Empty title={`No channels match “${q}”`} action={createButton(q)}>
        {isGuest ? 'You see the channels that you were added to.' : 'There may be a private one that you are not in.'}
      </Empty>
    )
  if (tab === 'archived')
    return <Empty title="No archived channels">Archived channels appear here and can be unarchived.</Empty>
  if (tab === 'joined')
    return (
      <Empty title="You are in no channel yet" action={<Link href={paths.channels}>All channels</Link>}>
        Channels that you join are listed in the sidebar.
      </Empty>
    )
  return (
    <Empty title="No channels yet" action={createButton('')}>
      {isGuest ? 'You see a channel once someone adds you to it.' : 'A channel groups the posts about one topic.'}
    </Empty>
  )
}
