import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../src/store/engines/engine'
import { openEngine } from '../../src/store/open'
import { migrate, migrations, schemaVersion } from '../../src/store/schema/migrations'
import { newDatabase } from '../server'

const WORKSPACE = 'ws_01m7emc40eewd9993s110kgrm7'
const BEFORE_OWNERS = 3

let engine: Engine
let database: { url: string; drop(): Promise<void> }

/** A database as it was before webhooks had owners. */
beforeEach(async () => {
  database = await newDatabase()
  engine = openEngine(database.url)
  await engine.migrate(async (db) => {
    await schemaVersion(db)
    for (const { number, name, migration } of migrations.filter(({ number }) => number <= BEFORE_OWNERS)) {
      await migration.up(db as unknown as Kysely<never>, engine.syntax)
      await db.insertInto('schema_migrations').values({ number, name, applied_at: 0 }).execute()
    }
  })
  await run(`INSERT INTO workspaces (key, id, slug, name, created_at) VALUES (1, '${WORKSPACE}', 'w', 'W', 0)`)
  await run(
    `INSERT INTO authors (key, workspace_key, id, type, name, avatar) VALUES (1, 1, 'mem_1', 'member', 'A', 'a')`,
  )
  await run(`INSERT INTO webhooks (key, id, workspace_key, author_key, url, types, created_at, secret, position)
    VALUES (1, 'wh_1', 1, 1, 'https://example.com/secret', '', 0, '', 0)`)
})
afterEach(async () => {
  await engine.close()
  await database.drop()
})

/** The id of an event, as it was then. */
function idOfEvent(revision: number): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  let text = ''
  for (let rest = revision; text.length < 13; rest = Math.floor(rest / 32)) text = digits[rest % 32] + text
  return `evt_${text}${WORKSPACE.slice(-13)}`
}

const run = (text: string) => engine.write((db) => sql.raw(text).execute(db))
const all = async (text: string) => (await engine.write((db) => sql.raw(text).execute(db))).rows

const delivery = (key: number, event: string, attempts: number, body: string) =>
  run(`INSERT INTO deliveries (key, id, workspace_key, webhook_key, event_id, event_type, status, attempts_count,
    created_at, body) VALUES (${key}, 'dlv_${key}', 1, 1, '${event}', 'post.created', 'failed', ${attempts}, 0, '${body}')`)
const attempt = (key: number) =>
  run(`INSERT INTO delivery_attempts (delivery_key, attempted_at, duration_ms) VALUES (${key}, 0, 0)`)

test('deliveries from before an upgrade refer to their event, without a copy', async () => {
  const revisions = [1, 31, 32, 33, 1_234_567, 2 ** 32 + 5, 2 ** 45 - 1]
  for (const [at, revision] of revisions.entries())
    await delivery(at + 1, idOfEvent(revision), 0, '{"content":"confidential"}')
  await delivery(99, 'ping_01m7emc40eewd9993s110kgrm7', 0, '{"type":"webhook.ping"}')
  await migrate(engine, 0)
  const rows = (await all('SELECT * FROM deliveries ORDER BY key')) as { revision: number }[]
  expect(rows.map(({ revision }) => Number(revision))).toEqual([...revisions, 0])
  expect(JSON.stringify(rows)).not.toMatch(/confidential|webhook\.ping/)
})

test('redelivered deliveries from before an upgrade count all attempts', async () => {
  await delivery(1, idOfEvent(1), 1, '')
  for (let turn = 0; turn < 3; turn++) await attempt(1)
  await migrate(engine, 0)
  expect(await all('SELECT attempts_count, attempts_before FROM deliveries')).toEqual([
    { attempts_count: 3, attempts_before: 2 },
  ])
})

test('the log from before an upgrade contains no webhook URL', async () => {
  const data = JSON.stringify({ id: 'wh_1', url: 'https://example.com/secret?key=1', types: [] })
  for (const [at, type] of ['webhook.created', 'webhook.updated', 'webhook.deleted', 'post.created'].entries())
    await run(`INSERT INTO events (workspace_key, revision, type, actor_key, created_at, data)
      VALUES (1, ${at + 1}, '${type}', 1, 0, '${data}')`)
  await migrate(engine, 0)
  const masked = { id: 'wh_1', url: 'https://example.com/…', types: [] }
  const logged = (await all('SELECT data FROM events ORDER BY revision')) as { data: string }[]
  expect(logged.map((event) => JSON.parse(event.data))).toEqual([masked, masked, masked, JSON.parse(data)])
})
