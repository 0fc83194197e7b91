import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { fold } from '../../contract/browser/fold'
import type { Member } from '../../contract/members'
import type { Excerpt, SearchResult } from '../../contract/search'
import { parley } from '../data/cache/parley'
import { getRecentPages } from '../data/cache/storage'
import { useCreationOfChannels, useOfferedChannels } from '../data/channels'
import { usePermissions } from '../data/me'
import { markAllRead } from '../data/reads'
import {
  clearSearches,
  completeQuery,
  forgetSearch,
  getRecord,
  getResultPath,
  rememberSearch,
  useRecentSearches,
} from '../data/search'
import { setTheme } from '../data/theme'
import type { IconName } from '../parts/icon'
import { getRecordSection, paths, type Section } from '../paths'
import { createHighlightState } from './search-highlight'
import { useNewPostPath } from './use-new-post-path'

export interface Entry {
  /** Unique; the path for entries that open a page. */
  id: string
  label: string
  icon: IconName
  note?: string
  /** What matches, instead of the label and below it. */
  excerpts?: { title?: Excerpt; text?: Excerpt }
  disabledReason?: string
  /** Whether the palette stays open. */
  keepsOpen?: boolean
  run(): void
  remove?(): void
}

interface EntryGroup {
  title: string
  entries: Entry[]
}

const MAX_SHOWN = 12
const MAX_RECENTS = 6
/** How many recent pages, and how many actions, are shown beside results. */
const MAX_OTHERS = 3

/** What the palette offers without asking the server for results. Without a query, recent pages and searches come first. */
export function useEntries(text: string, settledText: string, search: (q: string) => void): EntryGroup[] {
  const actions = useActions()
  const channels = useOfferedChannels(settledText)
  const members = useMemberSearch(settledText)
  const searches = useRecentSearches()
  const toPage = usePageEntries()
  const recents = getRecentPages().map(({ path, title }) => toPage(path, title, getIcon(path)))
  if (!text.trim())
    return removeDuplicates([
      { title: 'Recent', entries: recents.slice(0, MAX_RECENTS) },
      { title: 'Recent searches', entries: toSearchEntries(searches, search) },
      { title: 'Actions', entries: actions },
    ])

  const matches = createMatcher(text)
  const channelEntries = channels.map(({ id, name, is_private }) =>
    toPage(paths.channel(id), name, is_private ? 'lock' : 'hash'),
  )
  // While typing, these are still the members for the text before.
  const isNamed = ({ user }: Member) => fold(`${user.display_name}\n${user.email}`).includes(fold(text))
  const memberEntries = members
    .filter(isNamed)
    .map(({ id, user }) => toPage(paths.member(id), user.display_name, 'people', { note: user.email }))
  return removeDuplicates([
    { title: 'Channels', entries: channelEntries.filter(matches) },
    { title: 'Members', entries: memberEntries },
    { title: 'Recent', entries: recents.filter(isNotPost).filter(matches).slice(0, MAX_OTHERS) },
    { title: 'Actions', entries: actions.filter(matches).slice(0, MAX_OTHERS) },
  ])
}

/** Makes entries that open a page. */
function usePageEntries() {
  const [, navigate] = useLocation()
  return (path: string, label: string, icon: IconName, more?: Pick<Entry, 'note' | 'disabledReason'>): Entry => ({
    id: path,
    label,
    icon,
    ...more,
    run: () => navigate(path),
  })
}

/** Posts are among the results, with what matches in them. */
const isNotPost = ({ id }: Entry) => getRecordSection(id) !== 'posts'

/** Matches labels that contain every word. */
function createMatcher(text: string) {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return ({ label }: Entry) => words.every((word) => fold(label).includes(word))
}

/** Keeps the first of duplicate entries, and limits each group. */
function removeDuplicates(groups: EntryGroup[]) {
  const seen = new Set<string>()
  return groups
    .map(({ title, entries }) => ({
      title,
      entries: entries.filter(({ id }) => !seen.has(id) && seen.add(id)).slice(0, MAX_SHOWN),
    }))
    .filter(({ entries }) => entries.length > 0)
}

const icons: Record<Section, IconName> = { posts: 'posts', channels: 'hash', threads: 'threads', members: 'people' }
const getIcon = (path: string): IconName => icons[getRecordSection(path) ?? 'posts']

function toSearchEntries(searches: string[], search: (q: string) => void): Entry[] {
  if (searches.length === 0) return []
  const entries = searches.map((q): Entry => {
    const remove = () => forgetSearch(q)
    return { id: `search ${q}`, label: q, icon: 'search', keepsOpen: true, run: () => search(q), remove }
  })
  return [
    ...entries,
    { id: 'clear', label: 'Clear recent searches', icon: 'close', keepsOpen: true, run: clearSearches },
  ]
}

const resultGroups = [
  { title: 'Posts', type: 'post', icon: 'posts' },
  { title: 'Comments', type: 'comment', icon: 'reply' },
  { title: 'Messages', type: 'message', icon: 'threads' },
] as const

/** The results of a search as entries, by type. */
export function useResultEntries(results: SearchResult[], q: string): EntryGroup[] {
  const [, navigate] = useLocation()
  const toEntry = (result: SearchResult, icon: IconName): Entry => ({
    id: getRecord(result).id,
    label: result.subject.title,
    icon,
    note: result.type === 'post' ? result.post.channel.name : getRecord(result).author.name,
    excerpts: {
      title: result.excerpts.find(({ field }) => field === 'title'),
      text: result.excerpts.find(({ field }) => field !== 'title'),
    },
    run: () => {
      rememberSearch(q)
      navigate(getResultPath(result), { state: createHighlightState(completeQuery(q)) })
    },
  })
  return resultGroups
    .map(({ title, type, icon }) => ({
      title,
      entries: results.filter((result) => result.type === type).map((result) => toEntry(result, icon)),
    }))
    .filter(({ entries }) => entries.length > 0)
}

function useActions(): Entry[] {
  const toPage = usePageEntries()
  const { writeDeniedReason } = usePermissions()
  const creation = useCreationOfChannels()
  const newPost = useNewPostPath()
  const writing = [
    toPage(newPost, 'New post', 'plus'),
    toPage(paths.newDirectMessage, 'New direct message', 'plus'),
    toPage(paths.newThread(), 'New thread', 'plus'),
  ]
  return [
    ...(writeDeniedReason ? [] : writing),
    ...(creation.isOffered
      ? [toPage(paths.newChannel, 'Create channel', 'plus', { disabledReason: creation.deniedReason })]
      : []),
    toPage(paths.search(), 'Search with filters', 'search'),
    toPage(paths.inbox, 'Inbox', 'inbox'),
    toPage(paths.saved, 'Saved', 'saved'),
    { id: 'read', label: 'Mark all as read', icon: 'check', run: () => void markAllRead() },
    toPage(paths.posts, 'Posts', 'posts'),
    toPage(paths.openPosts, 'Open posts', 'posts'),
    toPage(paths.resolvedPosts, 'Resolved posts', 'check'),
    toPage(paths.threads, 'Threads', 'threads'),
    toPage(paths.drafts, 'Drafts', 'edit'),
    toPage(paths.channels, 'Browse channels', 'browse'),
    toPage(paths.members, 'Members', 'people'),
    toPage(paths.settings(), 'Settings', 'settings'),
    { id: 'light', label: 'Light theme', icon: 'settings', run: () => setTheme('light') },
    { id: 'dark', label: 'Dark theme', icon: 'settings', run: () => setTheme('dark') },
    { id: 'system', label: 'System theme', icon: 'settings', run: () => setTheme('system') },
  ]
}

function useMemberSearch(q: string) {
  const found = useQuery({
    queryKey: ['members-named', q],
    queryFn: ({ signal }) => parley.members.list({ q, limit: 6 }, { signal }),
    enabled: q.length > 0,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  })
  return q ? (found.data?.data ?? []) : []
}
