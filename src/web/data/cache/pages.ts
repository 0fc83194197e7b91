import { type InfiniteData, keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { Page } from '../../../contract/shapes'
import { cache } from './parley'

/** The loaded pages of a list, in order, each with the cursor it was loaded by. */
export type Pages<T> = InfiniteData<Page<T>, string | undefined>

/** Pages beyond this are dropped at the far end, so that memory stays bounded. */
const MAX_PAGES = 8

interface PagesOptions<T> {
  from?: string
  enabled?: boolean
  /** For lists that no event keeps up to date. */
  staleTime?: number
  /** Shows the previous list until the next one is loaded. */
  keepPrevious?: boolean
  /** For lists that events only mark as outdated. */
  refetchOnFocus?: boolean
  /** For lists that no event keeps up to date. */
  refetchInterval?: (pages: Pages<T> | undefined) => number
}

/** A list that loads further pages in both directions, starting anywhere. A request whose signal is used can be aborted. */
export function usePages<T, P extends Page<T> = Page<T>>(
  queryKey: QueryKey,
  load: (after: string | undefined, context: { signal: AbortSignal }) => Promise<P>,
  { from, enabled = true, staleTime, keepPrevious, refetchOnFocus, refetchInterval }: PagesOptions<T> = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: (context) => load(context.pageParam, context),
    initialPageParam: from,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    getPreviousPageParam: (first) => first.prev_cursor ?? undefined,
    maxPages: MAX_PAGES,
    enabled,
    ...(staleTime !== undefined && { staleTime }),
    ...(refetchOnFocus && { refetchOnWindowFocus: true }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : { structuralSharing: keepLocalChanges }),
    refetchInterval: refetchInterval && (({ state }) => refetchInterval(state.data)),
  })
  return { ...query, records: query.data?.pages.flatMap(({ data }) => data) ?? [] }
}

/** Maps a page to the one that replaced it. */
const newerVersions = new WeakMap<object, Page<unknown>>()

const getNewest = (page: Page<unknown>): Page<unknown> => {
  const next = newerVersions.get(page)
  return next ? getNewest(next) : page
}

/** Loading a further page returns the other pages as they were before. Keeps what changed in the meantime. */
function keepLocalChanges(before: unknown, after: unknown) {
  const [old, next] = [before as Pages<unknown> | undefined, after as Pages<unknown>]
  if (!old) return next
  const isOtherPages =
    old.pageParams.length !== next.pageParams.length ||
    old.pageParams.some((param, at) => param !== next.pageParams[at])
  if (isOtherPages) return { ...next, pages: next.pages.map(getNewest) }
  next.pages.forEach((page, at) => {
    const replaced = old.pages[at]!
    newerVersions.delete(page)
    if (replaced !== page) newerVersions.set(replaced, page)
  })
  return next
}

/** Changes the records of every loaded list under a key. Records mapped to undefined are removed. */
export function changeRecords<T>(queryKey: QueryKey, change: (record: T) => T | undefined) {
  cache.setQueriesData<Pages<T>>({ queryKey }, (pages) => pages && mapPages(pages, change))
}

function mapPages<T>(pages: Pages<T>, change: (record: T) => T | undefined): Pages<T> {
  let gone = 0
  const changed = pages.pages.map((page) => {
    const data: T[] = []
    for (const record of page.data) {
      const next = change(record)
      if (next === undefined) gone++
      else data.push(next)
    }
    return { ...page, data }
  })
  return { ...pages, pages: changed.map((page) => ({ ...page, total_count: page.total_count - gone })) }
}

/** Adds a record at the start of a list, if the start is loaded and the record is not in it. */
export const addFirst = <T extends { id: string }>(pages: Pages<T>, record: T): Pages<T> => {
  const first = pages.pages[0]
  if (!first || first.prev_cursor || containsRecord(pages, record.id)) return pages
  return addToTotal({ ...pages, pages: [{ ...first, data: [record, ...first.data] }, ...pages.pages.slice(1)] })
}

/** Adds a record at the end of a list, if the end is loaded and the record is not in it. */
export const addLast = <T extends { id: string }>(pages: Pages<T>, record: T): Pages<T> => {
  const last = pages.pages.at(-1)
  if (!last || last.next_cursor || containsRecord(pages, record.id)) return pages
  return addToTotal({ ...pages, pages: [...pages.pages.slice(0, -1), { ...last, data: [...last.data, record] }] })
}

const containsRecord = (pages: Pages<{ id: string }>, id: string) =>
  pages.pages.some(({ data }) => data.some((record) => record.id === id))

const addToTotal = <T>(pages: Pages<T>): Pages<T> => ({
  ...pages,
  pages: pages.pages.map((page) => ({ ...page, total_count: page.total_count + 1 })),
})

/** Longer lists are cut off. */
const MAX_RECORDS = 500

/** Loads all pages of a list that is usually short. */
export async function loadAll<R>(list: AsyncIterable<R>): Promise<R[]> {
  const records: R[] = []
  for await (const record of list) {
    records.push(record)
    if (records.length === MAX_RECORDS) break
  }
  return records
}
