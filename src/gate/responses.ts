import { openCache } from '../domain/caches'

/** The approximate size of an entry without its key and body, and of one that is a key alone. */
const OVERHEAD_BYTES = 300
const KEY_OVERHEAD_BYTES = 100
/** The share of the cache for the keys of responses that were requested once. */
const KEYS_SHARE = 1 / 8
/** The size that the compressed forms add to a body, estimated. */
const COMPRESSED_SHARE = 1 / 4

export interface CachedResponse {
  etag: string
  body: string | Uint8Array<ArrayBuffer> | Blob
  link?: string
  /** The compressed body by content coding. */
  compressed?: Map<string, Uint8Array<ArrayBuffer>>
}

/**
 * Whole responses by key: the revision, the viewer, the format and the URL. An entry is never out of date, and no other
 * viewer can get it. A response is cached from the second request on: most pages deep in a list are requested once, and
 * would evict pages that are requested often. Where responses are streamed, which takes bytes, none is kept as a Blob.
 */
export function openResponseCache(maxBytes: number, keepsBlobs: boolean) {
  const responses = openCache<string, CachedResponse>(
    maxBytes * (1 - KEYS_SHARE),
    ({ body }, key) => OVERHEAD_BYTES + key.length + sizeOf(body) * (1 + COMPRESSED_SHARE),
  )
  const requestedOnce = openCache<string, true>(maxBytes * KEYS_SHARE, (_, key) => KEY_OVERHEAD_BYTES + key.length)
  /** Responses that are being read now. */
  const reading = new Map<string, { promise: Promise<CachedResponse | undefined>; isJoined: boolean }>()

  function offer(key: string, response: CachedResponse) {
    if (requestedOnce.get(key)) responses.set(key, { ...response, body: toKept(response.body, keepsBlobs) })
    else requestedOnce.set(key, true)
  }

  return {
    get: responses.get,

    /**
     * The same response, if it is being read for another request. The key says as of which revision: what was read for it is
     * what this request would read. Resolves to undefined if reading fails, or if the response is for that request alone.
     */
    join(key: string): Promise<CachedResponse | undefined> | undefined {
      const read = reading.get(key)
      if (read) read.isJoined = true
      return read?.promise
    },

    /**
     * Reads a response. Others may join meanwhile; if it is cacheable, it is cached the second time it is requested. Before anyone
     * else gets it, `isStillValid` says whether it was read as of its key.
     */
    async lead<Found extends { response: CachedResponse; isCacheable: boolean; isStillValid?: () => Promise<boolean> }>(
      key: string,
      find: () => Promise<Found>,
    ): Promise<Found> {
      const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>()
      let shared: CachedResponse | undefined
      const read = { promise, isJoined: false }
      reading.set(key, read)
      try {
        const found = await find()
        const isForOthers = read.isJoined || requestedOnce.get(key) === true
        const isValid = !isForOthers || !found.isStillValid || (await found.isStillValid())
        if (found.isCacheable && isValid) {
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

/** Larger bodies are sent in parts, which takes bytes: see http/to-response.ts. */
const MAX_BLOB = 256 * 1024

const sizeOf = (body: CachedResponse['body']) => (body instanceof Blob ? body.size : Buffer.byteLength(body))

/**
 * A body that keeps nothing else in memory, such as the record that was read after a page, which may be a hundred times as long.
 * Bun copies bytes for each response, but sends a Blob as it is.
 */
function toKept(body: CachedResponse['body'], keepsBlobs: boolean): CachedResponse['body'] {
  if (typeof body === 'string' || body instanceof Blob) return body
  if (keepsBlobs && body.length < MAX_BLOB) return new Blob([body])
  return body.length === body.buffer.byteLength ? body : new Uint8Array(body)
}
