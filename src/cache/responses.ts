import { openCache } from '.'

/** What an entry costs besides its body, and what the name of a response costs, about. */
const OVERHEAD_BYTES = 300
const NAME_BYTES = 200
/** How much of the room goes to the names of what was requested once. */
const NAMES_SHARE = 1 / 8

export interface CachedResponse {
  etag: string
  body: string | Uint8Array<ArrayBuffer>
  link?: string
  /** The body compressed, by content coding: once for all who get it. */
  compressed?: Map<string, Uint8Array<ArrayBuffer>>
}

/**
 * Whole responses by their name: the revision, the viewer, the form and the URL, in full. What is kept under it can never
 * be out of date, and nobody else can ask for it; it only takes room. So it is kept from the second request on: most pages
 * deep in a list are requested once, and would evict what is requested again and again.
 */
export function openResponseCache(maxBytes: number) {
  const responses = openCache<string, CachedResponse>(
    maxBytes * (1 - NAMES_SHARE),
    ({ body }) => OVERHEAD_BYTES + body.length,
  )
  const requestedOnce = openCache<string, true>(maxBytes * NAMES_SHARE, () => NAME_BYTES)
  return {
    get: responses.get,
    /** Keeps a response, from the second time it is offered. */
    offer(name: string, response: CachedResponse) {
      if (requestedOnce.get(name)) responses.set(name, response)
      else requestedOnce.set(name, true)
    },
  }
}
