import { hashKey, type Query, type QueryCacheNotifyEvent } from '@tanstack/react-query'
import { ApiError } from '../../../client'
import type { EventType } from '../../../contract/event-types'
import type { Event } from '../../../contract/events'
import type { Me } from '../../../contract/me'
import {
  BY_AGE,
  eraseKept,
  type Kept,
  type KeptFor,
  type KeptQuery,
  MAX_AGE_MS,
  ONLY,
  readKeptFor,
  SETTING,
  type Stores,
  transact,
} from './kept-store'
import { keys } from './keys'
import type { Pages } from './lists'
import { streamListeners } from './live'
import { cache, parley } from './parley'
import { isSignedOut } from './session'
import { createStoredValue, getScript, readAccount } from './storage'

/** The queries that are kept, by the first part of their keys: what people read, and nothing else. */
const KEPT_KINDS = new Set(
  [
    ...[keys.me, keys.unread, keys.channels, keys.channel(''), keys.sidebar, keys.membersCount, keys.emoji],
    ...[keys.feeds, keys.posts, keys.postStates, keys.pins, keys.commentsOf(''), keys.edit(''), keys.reactions],
    ...[keys.threads, keys.thread(''), keys.threadStates, keys.allMessages, keys.message('')],
    ...[keys.inboxes, keys.saved, keys.member(''), keys.profile('')],
  ].map(([kind]) => kind),
)

const MAX_QUERIES = 1_000
const MAX_BYTES = 4_000_000
/** A longer one would take the place of many. */
const MAX_QUERY_BYTES = 200_000
/** Without these, no page can be opened. */
const NEEDED = [keys.me, keys.unread, keys.channels, keys.sidebar].map(hashKey)
/** Changes in quick succession are stored together. */
const STORE_AFTER_MS = 500

/** With these, something that is kept may have been deleted, or may no longer be seen. */
const LOSSES = [
  'post.deleted',
  'comment.deleted',
  'message.deleted',
  'file.deleted',
  'channel.deleted',
  'access.lost',
] as const satisfies EventType[]
/** After more losses than fit on these pages, nothing is worth keeping. */
const MAX_LOSS_PAGES = 4

const toAccount = ({ author, workspace }: Me) => `${workspace.id} ${author.id}`
const getMe = () => cache.getQueryData<Me>(keys.me)
const isMe = ({ queryKey }: Query) => queryKey[0] === keys.me[0]

/** Whether the member lets this browser keep things. */
export const keepSetting = createStoredValue(SETTING, true)

/** The account whose responses are being kept; undefined while nothing is kept. */
let account: string | undefined
/** Nothing that was lost up to this event is kept. */
let position: string | undefined
/** Whether everything up to now has been looked at. Until then, events that arrive must not hide those before them. */
let isCaughtUp = false
/** Queries that show what was kept, and have had no response yet. */
const unconfirmed = new Set<string>()
/** Queries that have changed since they were stored. */
const changed = new Set<string>()
/** The ids of what was deleted while the app was open. */
const deleted = new Set<string>()

/** Shows what was kept, until there are responses. */
export function restore(kept: Kept) {
  const isForMember =
    kept.for.account.endsWith(` ${readAccount()?.id}`) && kept.queries.some(({ hash }) => hash === hashKey(keys.me))
  if (kept.for.build !== getScript() || !isForMember) return
  for (const { hash, json, at } of kept.queries) {
    cache.setQueryData(JSON.parse(hash), parseData(json), { updatedAt: at })
    unconfirmed.add(hash)
    cache.getQueryCache().get(hash)!.invalidate()
  }
  ;({ account, position } = kept.for)
  keep()
  void dropLosses()
}

/** In JSON, the cursor of a first page is null. */
function parseData(json: string): unknown {
  const data = JSON.parse(json)
  return isPages(data) ? { ...data, pageParams: data.pageParams.map((cursor) => cursor ?? undefined) } : data
}

const isPages = (data: unknown): data is Pages<unknown> =>
  data !== null && typeof data === 'object' && 'pageParams' in data

let isKeeping = false

/** Keeps what is loaded from now on. */
export function keep() {
  if (isKeeping) return
  isKeeping = true
  cache.getQueryCache().subscribe(handleChange)
  streamListeners.add({ onOpen: () => void dropLosses(), onEvent: handleEvent, onReset: () => void startAnew() })
  keepSetting.subscribe(() => void (keepSetting.get() ? begin() : stop()))
  document.addEventListener('visibilitychange', () => void storeChanged())
  if (!account) void begin()
}

/** Tells whether another beginning or end came meanwhile. */
let beginnings = 0

/** Goes on with what is kept for the member, or notes from where on their responses are kept. Stores what is loaded. */
async function begin(isWanted: (query: Query) => boolean = () => true) {
  if (!getMe() || !keepSetting.get()) return
  const begun = ++beginnings
  const found = await readKeptFor()
  const isOurs = (me: Me | undefined) => found?.build === getScript() && found.account === (me && toAccount(me))
  const begunAt = isOurs(getMe()) ? found!.position : await readEnd()
  const me = getMe()
  if (!begunAt || !me || !keepSetting.get() || begun !== beginnings) return
  const isAnew = !isOurs(me)
  position = begunAt
  isCaughtUp = isAnew
  account = toAccount(me)
  await write(({ queries }) => isAnew && queries.clear(), isAnew)
  for (const query of cache.getQueryCache().getAll()) if (isWanted(query)) markChanged(query)
  if (!isAnew) await dropLosses()
}

const readEnd = () =>
  parley.events.list({ after: 'now', limit: 1 }).then(
    (page) => page.next_cursor,
    () => undefined,
  )

/** Erases what is kept, and keeps nothing any more. */
function stop(): Promise<unknown> {
  account = undefined
  beginnings++
  changed.clear()
  return eraseKept()
}

/** Erases what is kept, and everything that is shown of it. What is loaded from now on is kept again. */
async function startAnew() {
  dropUnconfirmed((query) => !isMe(query))
  await stop()
  // Of the rest, only what is answered from now on: what is shown may be what was lost.
  await begin(isMe)
}

function dropUnconfirmed(isLost: (query: Query) => boolean) {
  const predicate = (query: Query) => unconfirmed.has(query.queryHash) && isLost(query)
  cache.removeQueries({ type: 'inactive', predicate })
  void cache.resetQueries({ type: 'active', predicate })
}

function handleChange(change: QueryCacheNotifyEvent) {
  if (change.type !== 'updated') return
  const { query, action } = change
  const { queryHash } = query
  if (action.type === 'error') return handleError(query, action.error)
  if (action.type !== 'success') return
  // An event changed it. The response to come has what happened before that event.
  if (action.manual && unconfirmed.has(queryHash)) return query.invalidate()
  unconfirmed.delete(queryHash)
  if (isMe(query)) void handleMe(query.state.data)
  markChanged(query)
}

async function handleMe(me: Me) {
  if (!account) return begin()
  if (account === toAccount(me)) return
  // Someone else has signed in: nothing that is in memory is theirs.
  await stop()
  location.reload()
}

/** The session has ended, or a right was lost. */
function handleError(query: Query, error: unknown) {
  if (isSignedOut(error)) void stop()
  else if (isLostError(error) && isKept(query)) void startAnew()
}

/** Not the response of a proxy whose server is gone. */
const isLostError = (error: unknown) =>
  error instanceof ApiError && [403, 404].includes(error.status) && error.code !== 'unexpected_response'

const isKept = ({ queryKey, state }: Query) => KEPT_KINDS.has(queryKey[0] as string) && state.data !== undefined

let timer: ReturnType<typeof setTimeout> | undefined

function markChanged(query: Query) {
  if (!account || !isKept(query) || unconfirmed.has(query.queryHash)) return
  changed.add(query.queryHash)
  timer ??= setTimeout(() => void storeChanged(), STORE_AFTER_MS)
}

async function storeChanged() {
  clearTimeout(timer)
  timer = undefined
  const records = new Map([...changed].map((hash) => [hash, toRecord(cache.getQueryCache().get(hash))]))
  changed.clear()
  if (records.size === 0) return
  await write(({ queries }) => {
    for (const [hash, record] of records)
      if (record) queries.put(record)
      else queries.delete(hash)
    dropOldest(queries)
  })
}

/** Undefined if it is not kept, or no longer. */
function toRecord(query: Query | undefined): KeptQuery | undefined {
  if (!query || !isKept(query)) return undefined
  const { data, dataUpdatedAt } = query.state
  // A later visit begins at the start of a list, wherever this one did.
  if (isPages(data) && data.pageParams[0] !== undefined) return undefined
  const json = JSON.stringify(isPages(data) ? takeFirstPage(data) : data)
  const hash = query.queryHash
  const isGone = deleted.values().some((id) => json.includes(id) || hash.includes(id))
  if (isGone || (json.length > MAX_QUERY_BYTES && !NEEDED.includes(hash))) return undefined
  return { hash, json, at: dataUpdatedAt, size: json.length + hash.length }
}

/** A list is requested again as it was loaded, one page after the other. */
const takeFirstPage = ({ pages, pageParams }: Pages<unknown>) => ({
  pages: pages.slice(0, 1),
  pageParams: pageParams.slice(0, 1),
})

/** The size of a record in bytes is at most three times the length of its text, and mostly equal. */
function dropOldest(queries: IDBObjectStore) {
  let [count, size] = [0, 0]
  const cursors = queries.index(BY_AGE).openKeyCursor(null, 'prev')
  cursors.onsuccess = () => {
    const cursor = cursors.result
    if (!cursor) return
    const [at, length] = cursor.key as [number, number]
    size += length
    const isBeyond = ++count > MAX_QUERIES || size > MAX_BYTES
    const isNeeded = NEEDED.includes(cursor.primaryKey as string)
    if (Math.abs(Date.now() - at) > MAX_AGE_MS || (isBeyond && !isNeeded)) queries.delete(cursor.primaryKey)
    cursor.continue()
  }
}

/** Writes in a transaction of its own, unless someone has erased everything since, in whichever tab. */
const write = (change: (stores: Stores) => unknown, isFirst = false) =>
  transact('readwrite', (stores) => {
    const found = stores.keptFor.get(ONLY) as IDBRequest<KeptFor | undefined>
    found.onsuccess = () => {
      const isOurs = found.result?.account === account && found.result?.build === getScript()
      if (!isFirst && !isOurs) return
      change(stores)
      if (account && position) stores.keptFor.put({ account, build: getScript(), position } satisfies KeptFor, ONLY)
    }
  }).catch(() => undefined)

const isLoss = ({ type }: Event) => (LOSSES as readonly EventType[]).includes(type)

function handleEvent(event: Event) {
  const upTo = isCaughtUp ? event.id : position
  if (isLoss(event)) void drop([event], upTo)
  else position = upTo
}

let dropping: Promise<void> | undefined

/** Drops what was lost while the app was closed. */
const dropLosses = () => {
  dropping ??= readLosses().finally(() => {
    dropping = undefined
  })
  return dropping
}

async function readLosses() {
  for (let page = 0; account && position; page++) {
    if (page === MAX_LOSS_PAGES) return startAnew()
    try {
      const { data, next_cursor, has_more } = await parley.events.list({ after: position, types: [...LOSSES] })
      await drop(data, next_cursor)
      if (!has_more) {
        isCaughtUp = true
        return
      }
    } catch (error) {
      // The log does not reach back to where it was left, or a backup was restored.
      if (error instanceof ApiError && error.status === 410) await startAnew()
      return
    }
  }
}

/** Drops all that says something about what was lost up to a position in the log. */
async function drop(events: Event[], upTo: string | undefined) {
  if (events.some(({ type }) => type === 'access.lost' || type === 'channel.deleted')) return startAnew()
  const ids = events.flatMap(listIds)
  for (const { data } of events) deleted.add((data as { id: string }).id)
  const isLost = (hash: string, json: string) => ids.some((id) => hash.includes(id) || json.includes(id))
  if (ids.length > 0) dropUnconfirmed(({ queryHash, state }) => isLost(queryHash, JSON.stringify(state.data) ?? ''))
  position = upTo
  await write(({ queries }) => {
    if (ids.length === 0) return
    const all = queries.openCursor()
    all.onsuccess = () => {
      if (!all.result) return
      const { hash, json } = all.result.value
      if (isLost(hash, json)) all.result.delete()
      all.result.continue()
    }
  })
}

/** What was deleted, and what shows a part of it. */
const listIds = ({ data }: Event): string[] => {
  const { id, subject_id, thread_id } = data as { id: string; subject_id?: string; thread_id?: string }
  return [id, subject_id, thread_id].filter((each) => each !== undefined)
}
