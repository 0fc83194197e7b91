import { timingSafeEqual } from 'node:crypto'
import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import { type Metrics, within } from '../metrics'
import { networksFrom } from '../networks'
import { commit, version } from '../version'
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

const CACHE_MS = 5_000
const PING_MS = 900

/** Registers the gauges of the server: its build, its load, the database and the webhooks. */
export function measureServer(http: HttpContext) {
  const { engine, metrics } = http.parley
  const build = `version="${version}",${commit ? `commit="${commit}",` : ''}bun="${Bun.version}",engine="${engine.kind}"`
  metrics.gauge(
    'parley_build_info',
    'Versions, commit and database engine; the value is always 1.',
    () => ({ [build]: 1 }),
    {
      merge: 'shared',
    },
  )
  measureRequests(http)
  measureDatabase(http)
  measureWebhooks(http)
}

function measureRequests({ parley: { metrics, streams }, loadShedding, bodies }: HttpContext) {
  const byKind = (what: 'active' | 'waiting') => () => ({
    'lane="read"': loadShedding.read.load()[what],
    'lane="write"': loadShedding.write.load()[what],
  })
  metrics.gauge('parley_requests_active', 'Requests being handled.', byKind('active'))
  metrics.gauge('parley_requests_waiting', 'Requests waiting to be handled.', byKind('waiting'))
  metrics.gauge('parley_open_streams', 'Open live streams.', streams.count)
  metrics.gauge('parley_unfinished_body_bytes', 'Bytes of unfinished request bodies in memory.', bodies.heldBytes)
}

function measureDatabase({ parley: { engine, metrics } }: HttpContext) {
  metrics.gauge('parley_database_connections', 'Open database connections; on SQLite, those for reading.', () => {
    const { busy, idle } = engine.usage().connections
    return { 'state="busy"': busy, 'state="idle"': idle }
  })
  metrics.gauge(
    'parley_database_connections_max',
    'Maximum number of database connections.',
    () => engine.usage().connections.max,
  )
  metrics.gauge('parley_database_waiting', 'Operations waiting for a connection or for a commit.', () => {
    const { connection, commit } = engine.usage().waiting
    return { 'for="connection"': connection, ...(commit !== undefined && { 'for="commit"': commit }) }
  })
  const size = cacheFor(CACHE_MS, () => engine.size())
  metrics.gauge('parley_database_size_bytes', 'Size of the database on disk.', size, { merge: 'shared' })
  const isUp = cacheFor(CACHE_MS, () =>
    within(PING_MS, engine.ping()).then(
      () => 1,
      () => 0,
    ),
  )
  metrics.gauge('parley_database_up', '1 if the database responds.', isUp, { merge: 'shared' })
}

function measureWebhooks({ parley: { findBacklog, metrics, clock } }: HttpContext) {
  const backlog = cacheFor(CACHE_MS, findBacklog)
  const shared = { merge: 'shared' } as const
  metrics.gauge(
    'parley_webhook_deliveries_pending',
    'Deliveries waiting to be sent or retried.',
    async () => (await backlog()).pending,
    shared,
  )
  metrics.gauge('parley_webhooks_due', 'Webhooks with a delivery due now.', async () => (await backlog()).due, shared)
  metrics.gauge(
    'parley_webhook_oldest_due_seconds',
    'Age of the oldest due delivery; 0 if there is none.',
    async () => {
      const { oldest_due_at } = await backlog()
      return oldest_due_at === null ? 0 : Math.max(0, (clock() - oldest_due_at) / 1000)
    },
    shared,
  )
}

/** Caches a value for some time; concurrent calls share one reading. */
function cacheFor<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined
  let readAt = 0
  return () => {
    const now = performance.now()
    if (last && now - readAt < milliseconds) return last
    readAt = now
    last = read()
    return last
  }
}

/** Counts and times responses. Labels are built once for each operation and status. */
export function openMeter(metrics: Metrics): HttpContext['meter'] {
  const count = metrics.counter('parley_requests_total', 'Requests, by operation and status.')
  const time = metrics.histogram('parley_request_seconds', 'How long requests took, by operation.')
  const labels = new Map<string, { operation: string; statuses: Map<number, string> }>()
  return (name, status, seconds) => {
    const { operation, statuses } = labels.getOrInsertComputed(name, () => ({
      operation: `operation="${name}"`,
      statuses: new Map(),
    }))
    count(statuses.getOrInsertComputed(status, () => `${operation},status="${status}"`))
    if (seconds !== undefined) time(operation, seconds)
  }
}
