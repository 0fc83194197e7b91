import { openCache } from '.'

/** The approximate size of an entry without its name and body, and of one that is a name alone. */
const OVERHEAD_BYTES = 300
const NAME_OVERHEAD_BYTES = 100
/** The share of the cache for the names of responses that were requested once. */
const NAMES_SHARE = 1 / 8
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
 * Whole responses by name: the revision, the viewer, the format and the URL. An entry is never out of date, and no other
 * viewer can get it. A response is cached from the second request on: most pages deep in a list are requested once, and
 * would evict those that are requested often.
 */
export function openResponseCache(maxBytes: number) {
  const responses = openCache<string, CachedResponse>(
    maxBytes * (1 - NAMES_SHARE),
    ({ body }, name) => OVERHEAD_BYTES + name.length + Buffer.byteLength(body) * COPIES,
  )
  const requestedOnce = openCache<string, true>(maxBytes * NAMES_SHARE, (_, name) => NAME_OVERHEAD_BYTES + name.length)
  /** Responses that are being read now. */
  const reading = new Map<string, Promise<CachedResponse | undefined>>()

  function offer(name: string, response: CachedResponse) {
    if (requestedOnce.get(name)) responses.set(name, { ...response, body: trim(response.body) })
    else requestedOnce.set(name, true)
  }

  return {
    get: responses.get,

    /**
     * The same response, if it is being read for another request. The name says as of which revision: what was read for it is
     * what this request would read. Resolves to undefined if reading fails, or if the response is for that request alone.
     */
    join: (name: string) => reading.get(name),

    /** Reads a response. Others may join meanwhile; if it is cacheable, it is cached the second time it is requested. */
    async lead<Found extends { response: CachedResponse; isCacheable: boolean }>(
      name: string,
      find: () => Promise<Found>,
    ): Promise<Found> {
      const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>()
      let shared: CachedResponse | undefined
      reading.set(name, promise)
      try {
        const found = await find()
        if (found.isCacheable) {
          shared = found.response
          offer(name, shared)
        }
        return found
      } finally {
        reading.delete(name)
        resolve(shared)
      }
    },
  }
}

/** A body that keeps nothing else in memory, such as the record that was read after a page, which may be a hundred times as long. */
const trim = (body: CachedResponse['body']): CachedResponse['body'] =>
  typeof body === 'string' || body.length === body.buffer.byteLength ? body : new Uint8Array(body)
