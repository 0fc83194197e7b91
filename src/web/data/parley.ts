import { QueryClient } from '@tanstack/react-query'
import { ApiError, Parley } from '../../client'
import { LiveCache } from './live-cache'
import { authorizedFetch, isSignedOut } from './session'

/** The API as the signed-in member. The web app uses nothing else of the server. */
export const parley = new Parley({ baseUrl: '', token: '', retries: 0, fetch: authorizedFetch })

/** Whether a retry may succeed: the server or the network is temporarily unavailable. */
const isTransient = (error: Error) => !(error instanceof ApiError) || error.status === 429 || error.status >= 500

const queryCache = new LiveCache({
  onError: (error) => {
    // No event reports lost access, for example when a channel becomes private.
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
