import { type InfiniteData, keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { Page } from '../../contract/page'
import { cache } from './parley'

/** The pages of a list that are loaded, in the list's order, each with the cursor it came by. */
export type Pages<T> = InfiniteData<Page<T>, string | undefined>

/** More pages than that are let go at the far end: what is in memory stays bounded however far one scrolls. */
const MAX_PAGES = 8

interface PagesOptions<T> {
  from?: string
  enabled?: boolean
  /** For what no event tells of: how long it is taken for true. */
  staleTime?: number
  /** Shows what was there until what is asked for is. */
  keepPrevious?: boolean
  /** For what no event tells of: how long until it is looked at again. */
  refetchInterval?: (pages: Pages<T> | undefined) => number
}

/** A list that grows both ways by its cursors, from the start or from a place in the middle. */
export function usePages<T>(
  queryKey: QueryKey,
  load: (after: string | undefined) => Promise<Page<T>>,
  { from, enabled = true, staleTime, keepPrevious, refetchInterval }: PagesOptions<T> = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: from,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    getPreviousPageParam: (first) => first.prev_cursor ?? undefined,
    maxPages: MAX_PAGES,
    enabled,
    ...(staleTime !== undefined && { staleTime }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : { structuralSharing: keepLocalChanges }),
    refetchInterval: refetchInterval && (({ state }) => refetchInterval(state.data)),
  })
  return { ...query, records: query.data?.pages.flatMap(({ data }) => data) ?? [] }
}

/** What became of a page since. */
const newerVersions = new WeakMap<object, Page<unknown>>()

const getNewest = (page: Page<unknown>): Page<unknown> => {
  const next = newerVersions.get(page)
  return next ? getNewest(next) : page
}

/** Reading a further page ends with the others as they were when it began: what changed meanwhile stays changed. */
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

/** Changes the records of every loaded list under a key; a record that becomes undefined goes. */
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

/** Puts a record at the start of a list, if the start is loaded and the record is not there. */
export const addFirst = <T extends { id: string }>(pages: Pages<T>, record: T): Pages<T> => {
  const first = pages.pages[0]
  if (!first || first.prev_cursor || containsRecord(pages, record.id)) return pages
  return addToTotal({ ...pages, pages: [{ ...first, data: [record, ...first.data] }, ...pages.pages.slice(1)] })
}

/** Puts a record at the end of a list, if the end is loaded and the record is not there. */
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
