import { timingSafeEqual } from 'node:crypto'
import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import { networksFrom } from '../networks'
import { plain } from './address'
import { type Answering, answering } from './answering'
import { bearerToken } from './mount'

const loopback = networksFrom(['127.0.0.0/8', '::1'])
/** What proxies add to what they pass on. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** The metrics, for whoever has the token, and for this machine itself. */
export async function showMetrics(doorway: Answering, request: Request, server: Server<undefined>): Promise<Response> {
  const token = bearerToken(request.headers.get('authorization'))
  const peer = server.requestIP(request)?.address ?? ''
  if (!isMetricsToken(doorway, token) && !isLocal(peer, request.headers, doorway))
    return refuse(doorway, request, server)
  try {
    return new Response(await doorway.collectMetrics(), {
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    })
  } catch {
    const late = new Problem('unavailable', 'The metrics could not be collected in time.', undefined, {
      'Retry-After': '1',
    })
    return answering(doorway, request, server, 'metrics', () => Promise.reject(late))
  }
}

const isMetricsToken = ({ metricsToken }: Answering, token: string | undefined) =>
  metricsToken !== undefined && token !== undefined && timingSafeEqual(digest(metricsToken), digest(token))

const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()

/**
 * Whether a program on this machine asks, for itself. A proxy on this machine connects from the same address, so where
 * there is one, or may be, nobody counts as local: with https there must be one, as this server speaks plain HTTP. The
 * Host header keeps out pages of other sites whose name was made to lead here.
 */
export function isLocal(
  peerAddress: string,
  headers: Headers,
  { proxies, isSecure }: Pick<Answering, 'proxies' | 'isSecure'>,
): boolean {
  if (isSecure || FORWARDED.some((name) => headers.has(name))) return false
  const peer = plain(peerAddress)
  return loopback.has(peer) && !proxies.has(peer) && isLoopbackHost(headers.get('host') ?? '')
}

function isLoopbackHost(host: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  return name === 'localhost' || loopback.has(name)
}

const refuse = (doorway: Answering, request: Request, server: Server<undefined>) =>
  answering(doorway, request, server, 'metrics', async () => {
    const detail =
      'The metrics are for programs on the machine that Parley runs on, where no proxy stands before it. For all others, set METRICS_TOKEN and send it as `Authorization: Bearer <METRICS_TOKEN>`.'
    throw new Problem('unauthenticated', detail, undefined, { 'WWW-Authenticate': 'Bearer realm="metrics"' })
  })
