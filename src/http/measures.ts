import { within } from '../metrics'
import { findBacklog } from '../store/webhooks'
import { version } from '../version'
import type { Answering } from './answering'

const REREAD_MS = 5_000
const PING_MS = 900

/** Says what is read whenever someone asks for the metrics: what runs here, how busy it is, what waits. */
export function measureServer(doorway: Answering) {
  const { engine, metrics } = doorway.parley
  const build = `version="${version}",bun="${Bun.version}",engine="${engine.kind}"`
  metrics.gauge('parley_build_info', 'What runs here; the value is always 1.', () => ({ [build]: 1 }), {
    merge: 'shared',
  })
  measureWork(doorway)
  measureDatabase(doorway)
  measureWebhooks(doorway)
}

function measureWork({ parley: { metrics, streams }, pressure, bodies }: Answering) {
  const ofLanes = (what: 'active' | 'waiting') => () => ({
    'lane="read"': pressure.read.load()[what],
    'lane="write"': pressure.write.load()[what],
  })
  metrics.gauge('parley_requests_active', 'Requests at work.', ofLanes('active'))
  metrics.gauge('parley_requests_waiting', 'Requests that wait for room.', ofLanes('waiting'))
  metrics.gauge('parley_open_streams', 'Readers that follow the log live.', streams.count)
  metrics.gauge('parley_unfinished_body_bytes', 'Bytes of request bodies that are not complete.', bodies.heldBytes)
}

function measureDatabase({ parley: { engine, metrics } }: Answering) {
  metrics.gauge('parley_database_connections', 'Open connections; on SQLite those that read.', () => {
    const { busy, idle } = engine.usage().connections
    return { 'state="busy"': busy, 'state="idle"': idle }
  })
  metrics.gauge(
    'parley_database_connections_max',
    'How many connections may be open.',
    () => engine.usage().connections.max,
  )
  metrics.gauge('parley_database_waiting', 'What waits for a connection, or on SQLite for its commit.', () => {
    const { connection, commit } = engine.usage().waiting
    return { 'for="connection"': connection, ...(commit !== undefined && { 'for="commit"': commit }) }
  })
  const size = atMostEvery(REREAD_MS, () => engine.size())
  metrics.gauge('parley_database_size_bytes', 'What the data takes on disk.', size, { merge: 'shared' })
  const isUp = atMostEvery(REREAD_MS, () =>
    within(PING_MS, engine.ping()).then(
      () => 1,
      () => 0,
    ),
  )
  metrics.gauge('parley_database_up', 'Whether the database answers.', isUp, { merge: 'shared' })
}

function measureWebhooks({ parley: { engine, metrics, clock } }: Answering) {
  const backlog = atMostEvery(REREAD_MS, () => engine.read((db) => findBacklog(db, clock())))
  const shared = { merge: 'shared' } as const
  metrics.gauge(
    'parley_webhook_deliveries_pending',
    'Deliveries that are due or to be tried again.',
    async () => (await backlog()).pending,
    shared,
  )
  metrics.gauge(
    'parley_webhooks_due',
    'Webhooks with a delivery that is due.',
    async () => (await backlog()).due,
    shared,
  )
  metrics.gauge(
    'parley_webhook_oldest_due_seconds',
    'For how long the oldest due delivery has been due; 0 where none is.',
    async () => {
      const { oldest_due_at } = await backlog()
      return oldest_due_at === null ? 0 : Math.max(0, (clock() - oldest_due_at) / 1000)
    },
    shared,
  )
}

/** Reads at most once in this time; whoever asks meanwhile shares the last reading, or the one under way. */
function atMostEvery<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
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
