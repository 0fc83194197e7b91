import { type InfiniteData, keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import type { Page } from '../../../contract/shapes'
import type { Pages } from './lists'
import { useChanges } from './optimistic'

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
  const select = useChanges<InfiniteData<P, string | undefined>>(queryKey)
  const query = useInfiniteQuery({
    queryKey,
    ...(select && { select }),
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

/** Loads all pages of a list that is shown whole: of what a member has or chose, not of all there is. */
export async function loadAll<R>(list: AsyncIterable<R>): Promise<R[]> {
  const records: R[] = []
  for await (const record of list) records.push(record)
  return records
}
