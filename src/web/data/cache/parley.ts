import { type Query, QueryCache, QueryClient, type QueryFilters } from '@tanstack/react-query'
import { ApiError, Parley } from '../../../client'
import { authorizedFetch, isSignedOut } from './session'

/** However many events arrive, the same is not requested more often than this. */
export const REPEAT_AFTER_MS = 500

/**
 * A cache that events change. A response that was on its way when an event arrived may be older than the event. If the
 * event was about what had been requested, that is requested again, or the response would undo or hide the event.
 */
export class LiveCache extends QueryCache {
  /** What was being requested when the event that is being handled arrived. */
  #requested = new Set<Query>()
  /** Of these, what the event was about. */
  readonly #outdated = new Set<Query>()

  /** Changes what is cached because of an event. */
  handleEvent(change: () => void) {
    this.#requested = new Set(this.getAll().filter(isRequested))
    try {
      change()
    } finally {
      this.#requested.clear()
    }
  }

  // Event handlers find what they change by these two.
  override get: QueryCache['get'] = (hash) => {
    const query = super.get(hash)
    if (query) this.#markOutdated(query as Query)
    return query as never
  }

  override findAll(filters?: QueryFilters) {
    const found = super.findAll(filters)
    for (const query of found) this.#markOutdated(query)
    return found
  }

  #markOutdated(query: Query) {
    if (this.#requested.has(query)) this.#outdated.add(query)
  }

  override notify(change: Parameters<QueryCache['notify']>[0]) {
    super.notify(change)
    const { query } = change
    if (change.type === 'removed') this.#outdated.delete(query)
    if (change.type !== 'updated') return
    if (change.action.type === 'fetch') {
      this.#requested.delete(query)
      this.#outdated.delete(query)
    }
    const isResponse = change.action.type === 'success' && !change.action.manual
    if (isResponse && this.#outdated.has(query)) setTimeout(() => this.#requestAgain(query), REPEAT_AFTER_MS)
  }

  #requestAgain(query: Query) {
    // It may have been requested in the meantime.
    if (!this.#outdated.delete(query)) return
    query.invalidate()
    if (query.isActive()) void query.fetch().catch(() => undefined)
  }
}

/** Except for a further page of a list, which keeps the changes to the other pages by itself. */
const isRequested = ({ state }: Query) => state.fetchStatus === 'fetching' && !state.fetchMeta?.fetchMore

/** The API as the signed-in member. The web app uses nothing else of the server. */
export const parley = new Parley({ baseUrl: '', token: '', retries: 0, fetch: authorizedFetch })

/** Whether a retry may succeed: the server or the network is temporarily unavailable. */
const isTransient = (error: Error) => !(error instanceof ApiError) || error.status === 429 || error.status >= 500

const queryCache = new LiveCache({
  onError: (error) => {
    // Access may be lost before its event arrives, for example when a channel becomes private.
    if (error instanceof ApiError && error.status === 404) void cache.invalidateQueries({ queryKey: ['channels'] })
  },
})

/** Changes what is cached because of an event. */
export const changeByEvent = (change: () => void) => queryCache.handleEvent(change)

/** Cached responses never become stale by age: live events update or invalidate them. */
export const cache = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 3 && isTransient(error) && !isSignedOut(error),
    },
  },
})
