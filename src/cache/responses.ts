import { openCache } from '.'

/** The approximate size of an entry without its body, and of a name. */
const OVERHEAD_BYTES = 300
const NAME_BYTES = 200
/** The share of the cache for the names of responses that were requested once. */
const NAMES_SHARE = 1 / 8
/** What the compressed forms of a body may add, about. */
const COMPRESSED_SHARE = 1 / 4

export interface CachedResponse {
  etag: string
  body: string | Uint8Array<ArrayBuffer>
  link?: string
  /** The compressed body by content coding. */
  compressed?: Map<string, Uint8Array<ArrayBuffer>>
}

/**
 * Whole responses by name: the revision, the viewer, the format and the URL. An entry is never out of date, and no other
 * viewer can get it. A response is cached from the second request on: most pages deep in a list are requested once, and
 * would evict those that are requested often.
 */
export function openResponseCache(maxBytes: number) {
  const responses = openCache<string, CachedResponse>(
    maxBytes * (1 - NAMES_SHARE),
    ({ body }) => OVERHEAD_BYTES + Buffer.byteLength(body) * (1 + COMPRESSED_SHARE),
  )
  const requestedOnce = openCache<string, true>(maxBytes * NAMES_SHARE, () => NAME_BYTES)
  return {
    get: responses.get,
    /** Caches a response the second time it is offered. */
    offer(name: string, response: CachedResponse) {
      if (requestedOnce.get(name)) responses.set(name, response)
      else requestedOnce.set(name, true)
    },
  }
}
