import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, Parley } from '../../../client'
import { keys } from './keys'
import { authorizedFetch, isSignedOut } from './session'

/** The API as the signed-in member. The web app uses nothing else of the server. */
export const parley = new Parley({ baseUrl: '', token: '', retries: 0, fetch: authorizedFetch })

/** Whether a retry may succeed: the server or the network is temporarily unavailable. */
const isTransient = (error: Error) => !(error instanceof ApiError) || error.status === 429 || error.status >= 500

// It only learns of changes.
onlineManager.setOnline(navigator.onLine !== false)

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
      retry: (failures, error) => failures < 3 && isTransient(error) && !isSignedOut(error),
    },
  },
})
