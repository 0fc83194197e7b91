import type { Answer } from '../gate/call'

export const HSTS = 'max-age=31536000'
const POLICY = 'RateLimit-Policy'
const EXPOSED =
  'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Idempotency-Replayed'

/** With the headers it would not fit into what Bun collects before it writes. */
const LONG_BYTES = 14 * 1024

interface RequestInfo {
  requestId: string
  method: string
  /** Whether the answer took no longer than the iteration of the event loop in which the request came. */
  isImmediate: boolean
  /** Whether the service is reached over TLS. */
  isSecure: boolean
  largeResponses: LargeResponses
}

/** The response to a request, with the headers that all of them have. */
export function toResponse(answer: Answer, request: RequestInfo): Response {
  const { requestId, isSecure } = request
  const { status, contentType, headers } = answer
  const body = bodyOf(answer, request)
  const type = body === null ? undefined : contentType
  const common = commonHeaders(type, headers.ETag !== undefined, isSecure, headers[POLICY])
  const response = new Response(body, { status, headers: common })
  response.headers.set('X-Request-Id', requestId)
  for (const name in headers) if (name !== POLICY) response.headers.set(name, headers[name]!)
  return response
}

/**
 * What Bun is given to send. In a later iteration of the event loop, Bun makes four system calls for each header of a response of
 * more than `LONG_BYTES`, which take twice the processor time of everything else. For a stream it makes two in all.
 */
function bodyOf({ body }: Answer, { method, isImmediate, largeResponses }: RequestInfo): Answer['body'] {
  // Nobody would read or end a stream in response to HEAD.
  if (body === null || body instanceof Blob || body instanceof ReadableStream || method === 'HEAD') return body
  if (body.length >= LARGE_BODY) return largeResponses.stream(typeof body === 'string' ? Buffer.from(body) : body)
  if (typeof body === 'string' || body.length < LONG_BYTES || isImmediate || method !== 'GET') return body
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(body)
      controller.close()
    },
  })
}

const known = new Map<string, Headers>()

/** The headers that all responses of a kind have. Built once: copying headers costs a third of building them. */
function commonHeaders(contentType: string | undefined, hasEtag: boolean, isSecure: boolean, policy = ''): Headers {
  return known.getOrInsertComputed(
    `${contentType} ${hasEtag} ${isSecure} ${policy}`,
    () =>
      new Headers({
        ...(contentType && { 'Content-Type': contentType }),
        'Cache-Control': hasEtag ? 'private, no-cache' : 'no-store',
        Vary: 'Authorization, Accept, Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
        ...(isSecure && { 'Strict-Transport-Security': HSTS }),
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': EXPOSED,
        ...(policy && { [POLICY]: policy }),
      }),
  )
}

/** Bodies from this size on are sent in parts, as the client reads them. Bun copies whole bodies that it cannot send at once. */
const LARGE_BODY = 256 * 1024
const PART = 64 * 1024
const MAX_UNSENT_BYTES = 64 * 2 ** 20

/** Sends large bodies without copying them, and bounds how much of them is kept for clients that do not read. */
export interface LargeResponses {
  stream(body: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>>
  unsentBytes(): number
}

/**
 * All bodies that are being sent share `maxBytes`; one that several clients get counts once. Beyond that, the connection is
 * closed whose client has read nothing for the longest time. Refusing new requests instead would let a few clients that do not
 * read keep out all others.
 */
export function openLargeResponses(maxBytes = MAX_UNSENT_BYTES): LargeResponses {
  /** How to end each, the one first whose client last read the longest time ago. */
  const sending = new Map<object, () => void>()
  const readersOf = new Map<ArrayBuffer, number>()
  let unsent = 0

  function hold({ buffer }: Uint8Array<ArrayBuffer>) {
    const readers = readersOf.get(buffer) ?? 0
    readersOf.set(buffer, readers + 1)
    if (readers === 0) unsent += buffer.byteLength
  }

  function release({ buffer }: Uint8Array<ArrayBuffer>) {
    const readers = readersOf.get(buffer)! - 1
    if (readers > 0) readersOf.set(buffer, readers)
    else {
      readersOf.delete(buffer)
      unsent -= buffer.byteLength
    }
  }

  /** The newest may be larger than all that is allowed: its client has had no time to read. */
  function makeRoom() {
    for (const [id, end] of sending) {
      if (unsent <= maxBytes || sending.size === 1) return
      sending.delete(id)
      end()
    }
  }

  function stream(body: Uint8Array<ArrayBuffer>) {
    const id = {}
    let at = 0
    const finish = () => {
      if (sending.delete(id)) release(body)
    }
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        // Counted from here on: Bun neither pulls nor cancels what a client has not waited for.
        pull(controller) {
          const isFirst = at === 0
          if (isFirst) hold(body)
          // Moves to the end.
          sending.delete(id)
          sending.set(id, () => {
            release(body)
            controller.error(new Error('The client does not read.'))
          })
          if (isFirst) makeRoom()
          controller.enqueue(body.subarray(at, at + PART))
          at += PART
          if (at < body.length) return
          finish()
          controller.close()
        },
        cancel: finish,
      },
      { highWaterMark: 0 },
    )
  }

  return { stream, unsentBytes: () => unsent }
}
