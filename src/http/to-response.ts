import type { Answer } from '../gate/call'

export const HSTS = 'max-age=31536000'
const POLICY = 'RateLimit-Policy'
const EXPOSED =
  'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Idempotency-Replayed'

/** With the headers it would not fit into what Bun collects before it writes. */
const LARGE_BYTES = 14 * 1024

interface RequestInfo {
  requestId: string
  method: string
  /** Whether the answer took no longer than the iteration of the event loop in which the request came. */
  isImmediate: boolean
  /** Whether the service is reached over TLS. */
  isSecure: boolean
}

/** The response to a request, with the headers that all of them have. */
export function toResponse(answer: Answer, { requestId, method, isImmediate, isSecure }: RequestInfo): Response {
  const { status, contentType, headers } = answer
  const body = method === 'GET' && !isImmediate ? streamLarge(answer) : answer.body
  const type = body === null ? undefined : contentType
  const common = commonHeaders(type, headers.ETag !== undefined, isSecure, headers[POLICY])
  const response = new Response(body, { status, headers: common })
  response.headers.set('X-Request-Id', requestId)
  for (const name in headers) if (name !== POLICY) response.headers.set(name, headers[name]!)
  return response
}

/**
 * In a later iteration of the event loop, Bun makes four system calls for each header of a large response, which take twice the
 * processor time of everything else. For a stream it makes two in all.
 */
function streamLarge({ body }: Answer): Answer['body'] {
  if (!(body instanceof Uint8Array) || body.length < LARGE_BYTES) return body
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
