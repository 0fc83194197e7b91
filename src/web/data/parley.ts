import { QueryCache, QueryClient } from '@tanstack/react-query'
import { createClient, ParleyError } from '../../client'
import { authorizedFetch, isSignedOut } from './session'

/** The public API, as whoever is signed in. The web app has no other way to the server. */
export const parley = createClient({ baseUrl: '', token: '', fetch: authorizedFetch })

/** Worth another try: the server is busy or away, or the network is. */
const isTransient = (error: Error) => !(error instanceof ParleyError) || error.status === 429 || error.status >= 500

/** What was read. The live stream keeps it true, so it is only asked for again when there is reason to. */
export const cache = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // What one no longer sees is told by no event: its channel may have become private.
      if (error instanceof ParleyError && error.status === 404) void cache.invalidateQueries({ queryKey: ['channels'] })
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
