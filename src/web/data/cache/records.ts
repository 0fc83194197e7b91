import { hashKey, partialMatchKey, type Query, type QueryKey } from '@tanstack/react-query'
import { NotFoundError } from '../../../client/errors'
import { fold } from '../../../contract/browser/fold'
import { compareNames } from '../../../contract/browser/natural-order'
import type { Channel } from '../../../contract/channels'
import type { Comment } from '../../../contract/comments'
import type { Member, Role } from '../../../contract/members'
import type { Message } from '../../../contract/messages'
import type { Post } from '../../../contract/posts'
import type { Thread } from '../../../contract/threads'
import type { Feed } from '../feed'
import { keys } from './keys'
import { findRecord, type Listed, type ListRules, mapRecords, placeRecord } from './lists'
import { cache, outdated, parley, REPEAT_AFTER_MS } from './parley'

/** Records that are replaced by id wherever they are cached. */
interface Nouns {
  post: Post
  comment: Comment
  message: Message
  thread: Thread
  channel: Channel
  member: Member
}
type Noun = keyof Nouns

export interface MemberFilter {
  q?: string
  role?: Role
  sort: 'created_at' | 'last_seen_at'
  direction: 'asc' | 'desc'
}

/** Which channels are listed on the page where one browses them. */
export interface ChannelFilter {
  tab: 'all' | 'joined' | 'archived'
  q?: string
  sort: 'last_activity_at' | 'name' | 'members_count' | 'best_match'
}

/** Where the records of a noun are cached. */
interface Places<T> {
  /** The query of a single one. */
  one?: (id: string) => QueryKey
  /** The queries of lists, and which records belong to each, in which order. */
  lists: (readonly [under: QueryKey, rules: (key: QueryKey) => ListRules<T>])[]
  /** Lists whose entries hold one under this name. */
  within?: (readonly [under: QueryKey, name: string])[]
}

const latestFirst =
  <T extends { id: string }>(time: (record: T) => string) =>
  (a: T, b: T) =>
    time(a) > time(b) || (time(a) === time(b) && a.id > b.id)
const oldestFirst =
  <T extends { id: string }>(time: (record: T) => string) =>
  (a: T, b: T) =>
    time(a) < time(b) || (time(a) === time(b) && a.id < b.id)

/** In which order the channels of a member are cached. */
export const isNamedBefore = (a: Channel, b: Channel) => compareNames(a.name, b.name) < 0

const inFeed = ({ channel_id, author_id, resolved }: Feed, post: Post) =>
  (channel_id === undefined || post.channel.id === channel_id) &&
  (author_id === undefined || post.author.id === author_id) &&
  (resolved === undefined || resolved === (post.resolution !== null))

const matchesFilter = ({ q, role }: MemberFilter, { role: has, user }: Member) =>
  (role === undefined || role === has) &&
  (!q || fold(user.display_name).includes(fold(q)) || fold(user.email).includes(fold(q)))

const places: { [N in Noun]: Places<Nouns[N]> } = {
  post: {
    one: keys.post,
    lists: [
      [
        keys.feeds,
        ([, feed]) => ({
          has: (post) => inFeed(feed as Feed, post),
          isBefore: latestFirst((post) =>
            (feed as Feed).sort === 'last_activity_at' ? post.last_activity_at : post.created_at,
          ),
        }),
      ],
    ],
    within: [
      [keys.pins, 'post'],
      [keys.saved, 'post'],
    ],
  },
  comment: {
    lists: [
      [
        ['comments'],
        ([, postId, parentId]) => ({
          has: ({ subject_id, parent_id }) => subject_id === postId && (parent_id ?? 'root') === parentId,
          isBefore: oldestFirst(({ created_at }) => created_at),
        }),
      ],
    ],
  },
  message: {
    one: keys.message,
    lists: [
      [
        keys.allMessages,
        ([, threadId]) => ({
          has: ({ thread_id }) => thread_id === threadId,
          isBefore: latestFirst(({ created_at }) => created_at),
        }),
      ],
    ],
  },
  thread: {
    one: keys.thread,
    lists: [
      [keys.threads, () => ({ has: () => true, isBefore: latestFirst(({ last_activity_at }) => last_activity_at) })],
    ],
  },
  channel: {
    one: keys.channel,
    // Whether the member is in a channel, its record does not say.
    lists: [
      [keys.channels, () => ({ has: ({ archived_at }) => !archived_at, isBefore: isNamedBefore, isClosed: true })],
      [
        keys.channelLists,
        ([, filter]) => ({
          has: ({ archived_at }) => (archived_at !== null) === ((filter as ChannelFilter).tab === 'archived'),
          // Rows stay where they are while someone reads them.
          isBefore: () => false,
          isClosed: true,
        }),
      ],
    ],
  },
  member: {
    one: keys.member,
    lists: [
      [
        keys.members,
        ([, filter]) => {
          const { sort, direction } = filter as MemberFilter
          const order = direction === 'desc' ? latestFirst<Member> : oldestFirst<Member>
          return {
            has: (member) => matchesFilter(filter as MemberFilter, member),
            // When someone was last seen is not known here.
            isBefore: sort === 'created_at' ? order(({ created_at }) => created_at) : () => false,
          }
        },
      ],
    ],
  },
}

/** Except for a further page of a list, which keeps the changes to the other pages by itself. */
const isRequested = ({ state }: Query) => state.fetchStatus === 'fetching' && !state.fetchMeta?.fetchMore

const findQueries = (queryKey: QueryKey, exact = false) => {
  const found = cache.getQueryCache().findAll({ queryKey, exact })
  for (const query of found) if (isRequested(query)) outdated.add(query.queryHash)
  for (const load of asides) if (partialMatchKey(load.queryKey, queryKey)) load.isOutdated = true
  return found
}

/** What is being loaded for a query without being requested by it. */
const asides = new Set<{ queryKey: QueryKey; isOutdated: boolean }>()

/** Loads something and puts it into a query, which is requested again if what was loaded may be older than an event. */
export async function loadAside<T>(queryKey: QueryKey, load: () => Promise<T>, put: (loaded: T) => void): Promise<T> {
  const aside = { queryKey, isOutdated: false }
  asides.add(aside)
  try {
    const loaded = await load()
    put(loaded)
    return loaded
  } finally {
    asides.delete(aside)
    if (aside.isOutdated) markStale(queryKey, true)
  }
}

cache.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated') return
  const { action, query } = event
  if (action.type === 'fetch' && !action.meta?.fetchMore) outdated.delete(query.queryHash)
  if (action.type === 'success' && !action.manual && outdated.delete(query.queryHash)) markStale(query.queryKey, true)
})

/** Changes all that is cached under a key. */
export function update<T>(key: QueryKey, change: (data: T, key: QueryKey) => T) {
  for (const query of findQueries(key)) {
    const { data } = query.state as { data: T | undefined }
    if (data === undefined) continue
    const next = change(data, query.queryKey)
    if (next === data) continue
    const { dataUpdatedAt, isInvalidated } = query.state
    query.setData(next, { manual: true, updatedAt: dataUpdatedAt })
    if (isInvalidated) query.invalidate()
  }
}

/** A change of all that is cached under a key. */
export interface Change {
  /** It applies to all queries whose keys begin with this. */
  key: QueryKey
  apply(data: unknown, key: QueryKey): unknown
}

export const change = <T>(key: QueryKey, apply: (data: T, key: QueryKey) => T): Change => ({
  key,
  apply: apply as Change['apply'],
})

/** Puts changes that the server has made into the cache. */
export function applyChanges(changes: readonly Change[]) {
  for (const { key, apply } of changes) update(key, apply)
}

/** The changes of a record wherever it is cached. In lists, it moves to where it belongs by then; without a result, it goes. */
export function changesOf<N extends Noun>(
  noun: N,
  id: string,
  edit: (record: Nouns[N]) => Nouns[N] | undefined,
): Change[] {
  const { one, lists, within = [] } = places[noun] as unknown as Places<Nouns[N]>
  const inList = (data: Listed<Nouns[N]>, rules: ListRules<Nouns[N]>) => {
    const known = findRecord(data, id)
    const next = known && edit(known)
    if (next === known) return data
    return next ? placeRecord(data, next, rules) : mapRecords(data, (record) => (record.id === id ? undefined : record))
  }
  const inHolder = (entry: Holder<Nouns[N]>, name: string) => {
    const known = entry[name]!
    const next = known.id === id ? edit(known) : known
    return next && (next === known ? entry : { ...entry, [name]: next })
  }
  return [
    ...(one ? [change<Nouns[N]>(one(id), (record) => edit(record) ?? record)] : []),
    ...lists.map(([under, rules]) => change<Listed<Nouns[N]>>(under, (data, key) => inList(data, rules(key)))),
    ...within.map(([under, name]) =>
      change<Listed<Holder<Nouns[N]>>>(under, (data) => mapRecords(data, (entry) => inHolder(entry, name))),
    ),
  ]
}

type Holder<T> = Record<string, T>

/** Changes a record wherever it is cached. */
export function patch<N extends Noun>(noun: N, id: string, edit: (record: Nouns[N]) => Nouns[N] | undefined) {
  if (reloads.get(id) === 'requested') reloads.set(id, 'changed')
  applyChanges(changesOf(noun, id, edit))
}

/** Replaces a record wherever it is cached, and adds it to the lists it belongs to, as far as these are loaded. */
export function put<N extends Noun>(noun: N, record: Nouns[N]) {
  patch(noun, record.id, () => record)
  for (const [under, rules] of places[noun].lists as unknown as Places<Nouns[N]>['lists'])
    update<Listed<Nouns[N]>>(under, (data, key) =>
      findRecord(data, record.id) || rules(key).isClosed ? data : placeRecord(data, record, rules(key)),
    )
}

/** The same for a record that the member has made: its page needs no request. */
export function putOwn<N extends Noun>(noun: N, record: Nouns[N]) {
  const { one } = places[noun]
  if (one) cache.setQueryData(one(record.id), record)
  put(noun, record)
}

/** Removes a record that is gone. */
export function drop(noun: Noun, id: string) {
  const { one } = places[noun]
  patch(noun, id, () => undefined)
  if (one) cache.removeQueries({ queryKey: one(id) })
}

/** A record as it is loaded by itself or in a list, to show it at once when it is opened. */
export function findLoaded<N extends Noun>(noun: N, id: string): Nouns[N] | undefined {
  const { one, lists } = places[noun] as unknown as Places<Nouns[N]>
  const known = one && cache.getQueryData<Nouns[N]>(one(id))
  if (known) return known
  for (const [queryKey] of lists)
    for (const [, data] of cache.getQueriesData<Listed<Nouns[N]>>({ queryKey })) {
      const found = data && findRecord(data, id)
      if (found) return found
    }
  return undefined
}

/** Many members get the same event at the same time. They do not ask all at once. */
const MAX_JITTER_MS = 200

const stale = new Map<string, { queryKey: QueryKey; exact: boolean }>()
let refetchedAt = Number.NEGATIVE_INFINITY

/** Requests what is cached under a key again: soon if it is shown, else when it is shown. */
export function markStale(queryKey: QueryKey, exact = false) {
  findQueries(queryKey, exact)
  if (stale.size === 0) {
    const rest = Math.max(0, refetchedAt + REPEAT_AFTER_MS - performance.now())
    setTimeout(refetchStale, rest + Math.random() * MAX_JITTER_MS)
  }
  stale.set(`${exact} ${hashKey(queryKey)}`, { queryKey, exact })
}

function refetchStale() {
  const all = [...stale.values()]
  stale.clear()
  refetchedAt = performance.now()
  // What is being requested is requested once more when that is there.
  for (const filter of all) void cache.invalidateQueries(filter, { cancelRefetch: false })
}

const loaders = {
  post: (id: string) => parley.posts.get({ id }),
  comment: (id: string) => parley.comments.get({ id }),
  thread: (id: string) => parley.threads.get({ id }),
}
type Loadable = keyof typeof loaders

/** The records that are to be requested again, and whether they have changed since they were. */
const reloads = new Map<string, 'waits' | 'requested' | 'changed'>()

/** Requests a record again, and puts it wherever it is cached. However many events ask for it, not more often than other things. */
export function reload(noun: Loadable, id: string) {
  if (reloads.has(id)) return void reloads.set(id, reloads.get(id) === 'waits' ? 'waits' : 'changed')
  reloads.set(id, 'waits')
  setTimeout(() => void reloadNow(noun, id), REPEAT_AFTER_MS * Math.random())
}

async function reloadNow(noun: Loadable, id: string) {
  reloads.set(id, 'requested')
  const record = await loaders[noun](id).catch((error) => (error instanceof NotFoundError ? null : undefined))
  const isOutdated = reloads.get(id) === 'changed'
  reloads.delete(id)
  if (record === null) drop(noun, id)
  else if (record === undefined) for (const { key } of changesOf(noun, id, (known) => known)) markStale(key)
  else if (isOutdated) reload(noun, id)
  else put(noun, record)
}
