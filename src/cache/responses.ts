import { openCache } from '.'

/** The approximate size of an entry without its key and body, and of one that is a key alone. */
const OVERHEAD_BYTES = 300
const KEY_OVERHEAD_BYTES = 100
/** The share of the cache for the keys of responses that were requested once. */
const KEYS_SHARE = 1 / 8
/** A body, a copy of it that is sent, and about as much as its compressed forms may add. */
const COPIES = 2.25

export interface CachedResponse {
  etag: string
  body: string | Uint8Array<ArrayBuffer>
  link?: string
  /** The compressed body by content coding. */
  compressed?: Map<string, Uint8Array<ArrayBuffer>>
}

/**
 * Whole responses by key: the revision, the viewer, the format and the URL. An entry is never out of date, and no other
 * viewer can get it. A response is cached from the second request on: most pages deep in a list are requested once, and
 * would evict those that are requested often.
 */
export function openResponseCache(maxBytes: number) {
  const responses = openCache<string, CachedResponse>(
    maxBytes * (1 - KEYS_SHARE),
    ({ body }, key) => OVERHEAD_BYTES + key.length + Buffer.byteLength(body) * COPIES,
  )
  const requestedOnce = openCache<string, true>(maxBytes * KEYS_SHARE, (_, key) => KEY_OVERHEAD_BYTES + key.length)
  /** Responses that are being read now. */
  const reading = new Map<string, Promise<CachedResponse | undefined>>()

  function offer(key: string, response: CachedResponse) {
    if (requestedOnce.get(key)) responses.set(key, { ...response, body: trim(response.body) })
    else requestedOnce.set(key, true)
  }

  return {
    get: responses.get,

    /**
     * The same response, if it is being read for another request. The key says as of which revision: what was read for it is
     * what this request would read. Resolves to undefined if reading fails, or if the response is for that request alone.
     */
    join: (key: string) => reading.get(key),

    /** Reads a response. Others may join meanwhile; if it is cacheable, it is cached the second time it is requested. */
    async lead<Found extends { response: CachedResponse; isCacheable: boolean }>(
      key: string,
      find: () => Promise<Found>,
    ): Promise<Found> {
      const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>()
      let shared: CachedResponse | undefined
      reading.set(key, promise)
      try {
        const found = await find()
        if (found.isCacheable) {
          shared = found.response
          offer(key, shared)
        }
        return found
      } finally {
        reading.delete(key)
        resolve(shared)
      }
    },
  }
}

/** A body that keeps nothing else in memory, such as the record that was read after a page, which may be a hundred times as long. */
const trim = (body: CachedResponse['body']): CachedResponse['body'] =>
  typeof body === 'string' || body.length === body.buffer.byteLength ? body : new Uint8Array(body)
