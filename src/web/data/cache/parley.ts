import { onlineManager, QueryCache, QueryClient, type QueryPersister } from '@tanstack/react-query'
import { ApiError, Parley } from '../../../client'
import { keys } from './keys'
import { authorizedFetch, isSignedOut } from './session'

/** The API as the signed-in member. The web app uses nothing else of the server. */
export const parley = new Parley({ baseUrl: '', token: '', retries: 0, fetch: authorizedFetch })

/** Whether a retry may succeed: the server or the network is temporarily unavailable. */
const isTransient = (error: Error) => !(error instanceof ApiError) || error.status === 429 || error.status >= 500

// It only learns of changes.
onlineManager.setOnline(navigator.onLine !== false)

/** However many events arrive, the same is not requested more often than this. */
export const REPEAT_AFTER_MS = 500

/** Requests whose response may be older than an event that was handled since they were sent, by the hashes of their queries. */
export const outdated = new Set<string>()
const MAX_LEFT_OUT = 3
/** How many responses were left out since the last one that was taken, by the hashes of their queries. */
const leftOut = new Map<string, number>()

/**
 * Such a response would undo what the event said: it is left out, unless it is the first one or what is shown was kept from an
 * earlier visit, and `records.ts` requests it again. Not here: a list of pages would be given the pages it had loaded before.
 */
const loadCurrent: QueryPersister = async (load, context, query) => {
  const { queryHash } = query
  const loaded = await load(context)
  const { data, dataUpdatedAt, fetchMeta } = query.state
  const isFirst = data === undefined || dataUpdatedAt < performance.timeOrigin
  const count = leftOut.get(queryHash) ?? 0
  leftOut.delete(queryHash)
  if (isFirst || fetchMeta?.fetchMore || !outdated.has(queryHash) || count === MAX_LEFT_OUT) return loaded
  leftOut.set(queryHash, count + 1)
  return data as typeof loaded
}

/** What the server has said. Cached responses never become stale by age: live events update or invalidate them. */
export const cache = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // Access may be lost before its event arrives, for example when a channel becomes private.
      if (error instanceof ApiError && error.status === 404) void cache.invalidateQueries({ queryKey: keys.channels })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      persister: loadCurrent,
      // The default, which a persister would change.
      networkMode: 'online',
      retry: (failures, error) => failures < 3 && isTransient(error) && !isSignedOut(error),
    },
  },
})
