import { timingSafeEqual } from 'node:crypto'
import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import { networksFrom } from '../networks'
import { plain } from './limits'
import { bearerToken } from './operations'
import { type HttpContext, respond } from './respond'

const loopback = networksFrom(['127.0.0.0/8', '::1'])
/** Headers that proxies add. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** Serves the metrics to clients with the token, and to programs on this machine. */
export async function showMetrics(http: HttpContext, request: Request, server: Server<undefined>): Promise<Response> {
  const token = bearerToken(request.headers.get('authorization'))
  const peer = server.requestIP(request)?.address ?? ''
  if (!isMetricsToken(http, token) && !isLocal(peer, request.headers, http)) return refuse(http, request, server)
  try {
    return new Response(await http.collectMetrics(), {
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    })
  } catch {
    const late = new Problem('unavailable', 'The metrics could not be collected in time.', undefined, {
      'Retry-After': '1',
    })
    return respond(http, request, server, 'metrics', () => Promise.reject(late))
  }
}

const isMetricsToken = ({ metricsToken }: HttpContext, token: string | undefined) =>
  metricsToken !== undefined && token !== undefined && timingSafeEqual(digest(metricsToken), digest(token))

const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()

/**
 * Whether the request comes from a program on this machine. A local proxy connects from the same address, so if there may
 * be one, no request counts as local: with https there must be one, since this server speaks plain HTTP. The check of the
 * Host header prevents DNS rebinding.
 */
export function isLocal(
  peerAddress: string,
  headers: Headers,
  { proxies, isSecure }: Pick<HttpContext, 'proxies' | 'isSecure'>,
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

const refuse = (http: HttpContext, request: Request, server: Server<undefined>) =>
  respond(http, request, server, 'metrics', async () => {
    const detail =
      'Metrics are only available from the machine that Parley runs on, without a proxy. To read them from elsewhere, set METRICS_TOKEN and send `Authorization: Bearer <METRICS_TOKEN>`.'
    throw new Problem('unauthenticated', detail, undefined, { 'WWW-Authenticate': 'Bearer realm="metrics"' })
  })
