import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import type { Answer } from '../gate/call'
import type { Parley } from '../gate/parley'
import type { Networks } from '../networks'
import { clientAddress } from './address'
import type { Pressure } from './pressure'
import { toProblem } from './problem'

/** What the HTTP door needs to answer. */
export interface Answering {
  parley: Parley
  proxies: Networks
  /** False until the database is there. */
  isReady(): boolean
  /** Whether the service is reached over TLS. */
  isSecure: boolean
  pressure: Pressure
  count(labels: string): void
  time(labels: string, seconds: number): void
}

export const HSTS = 'max-age=31536000'

const EXPOSED =
  'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Idempotency-Replayed'

/** Runs one request to its answer, whatever happens: every error becomes a problem, every request a log line. */
export async function answering(
  doorway: Answering,
  request: Request,
  server: Server<undefined>,
  name: string,
  work: (parley: Parley) => Promise<Answer>,
): Promise<Response> {
  const { parley } = doorway
  const started = performance.now()
  const requestId = parley.newId('req', parley.clock())
  const path = pathOf(request.url)
  let answer: Answer
  let code: string | undefined
  try {
    if (!doorway.isReady()) throw notReady()
    answer = await work(parley)
  } catch (error) {
    const problem = toProblem(error, { base: parley.links.base, path, requestId, log: parley.log })
    code = problem.body.code
    answer = {
      status: problem.status,
      body: JSON.stringify(problem.body),
      contentType: 'application/problem+json',
      headers: problem.headers,
    }
  }
  const seconds = (performance.now() - started) / 1000
  doorway.count(`operation="${name}",status="${answer.status}"`)
  doorway.time(`operation="${name}"`, seconds)
  parley.log.info('request', {
    request_id: requestId,
    method: request.method,
    path,
    operation: name,
    status: answer.status,
    ...(code && { code }),
    ms: Math.round(seconds * 100_000) / 100,
    ip: clientAddress(
      server.requestIP(request)?.address ?? '',
      request.headers.get('x-forwarded-for'),
      doorway.proxies,
    ),
  })
  return toResponse(answer, requestId, doorway.isSecure)
}

const notReady = () =>
  new Problem('unavailable', 'The server is starting, or waits for its database. Try again shortly.', undefined, {
    'Retry-After': '2',
  })

/** The path and the query. Where the Host header is none, they are all that Bun tells. */
export function targetOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', 8)
  return start < 0 ? '/' : url.slice(start)
}

export const pathOf = (url: string): string => targetOf(url).split('?', 1)[0]!

export const queryOf = (url: string): URLSearchParams =>
  new URLSearchParams(targetOf(url).split('?').slice(1).join('?'))

function toResponse({ status, body, contentType, headers }: Answer, requestId: string, isSecure: boolean): Response {
  return new Response(body, {
    status,
    headers: {
      ...(body !== null && { 'Content-Type': contentType }),
      'Cache-Control': headers.ETag ? 'private, no-cache' : 'no-store',
      Vary: 'Authorization, Accept',
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      ...(isSecure && { 'Strict-Transport-Security': HSTS }),
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': EXPOSED,
      ...headers,
    },
  })
}
