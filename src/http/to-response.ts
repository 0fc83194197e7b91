import type { Answer } from '../gate/call'
import { LARGE_BODY, type LargeResponses } from './large-responses'

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
