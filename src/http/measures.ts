import { within } from '../metrics'
import { findBacklog } from '../store/webhooks/webhooks'
import { commit, version } from '../version'
import type { HttpContext } from './respond'

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

function measureWebhooks({ parley: { engine, metrics, clock } }: HttpContext) {
  const backlog = cacheFor(CACHE_MS, () => engine.read((db) => findBacklog(db, clock())))
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
