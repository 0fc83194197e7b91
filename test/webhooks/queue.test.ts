import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { cleanUp } from '../../src/jobs/clean-up'
import type { Running } from '../../src/server'
import type { Engine } from '../../src/store/engines/engine'
import { openEngine } from '../../src/store/open'
import { findDueDelivery, findDueKeys, insertDeliveries } from '../../src/store/webhooks/delivery-queue'
import type { WebhookRow } from '../../src/store/webhooks/webhooks'
import { planOf, type Statement } from '../plans'
import { engineUnderTest, startTestServer, time } from '../server'
import { world } from '../world'

const BACKLOG = 5_000

let server: Running
/** Another node, whose statements are recorded. */
let engine: Engine
let ran: Statement[] = []
beforeAll(async () => {
  const running = await startTestServer()
  server = running
  engine = openEngine(running.config.databaseUrl, {
    onStatement: (text, values) => void ran.push({ sql: text, values }),
  })
})
beforeEach(() => time.freeze())
afterEach(() => time.unfreeze())
afterAll(async () => {
  await engine.close()
  await server.stop()
})

/** A webhook of root's that nothing is sent to. */
async function withWebhook() {
  const cast = await world(server)
  const { id } = await cast.root.webhooks.create({ url: 'https://example.com/hook' })
  // Held by nobody, so that no sender takes it.
  await server.parley.engine.write((db) =>
    db.updateTable('webhooks').set({ claimed_until: Number.MAX_SAFE_INTEGER }).where('id', '=', id).execute(),
  )
  const webhook = (await server.parley.engine.read((db) =>
    db.selectFrom('webhooks').where('id', '=', id).selectAll().executeTakeFirst(),
  )) as WebhookRow
  return { ...cast, webhook }
}

const queue = (webhook: WebhookRow, count: number, now: number) =>
  server.parley.engine.write((db) =>
    insertDeliveries(
      db,
      webhook,
      Array.from({ length: count }, (_, at) => ({
        id: `dlv_${crypto.randomUUID()}`,
        event_id: `evt_${at}`,
        event_type: 'post.created',
        revision: at + 1,
      })),
      now,
    ),
  )

const countRows = async (table: 'deliveries' | 'delivery_attempts') =>
  (await server.parley.engine.read((db) =>
    db.selectFrom(table).select(sql<number>`count(*)`.as('count')).executeTakeFirst(),
  ))!.count

describe('due deliveries', () => {
  test('are found by one index, a batch at a time, in the order of the log', async () => {
    const { webhook } = await withWebhook()
    const now = server.parley.clock()
    await queue(webhook, BACKLOG, now)
    if (engineUnderTest === 'postgres') await server.parley.engine.write((db) => sql`ANALYZE`.execute(db))
    ran = []
    const keys = await engine.read((db) => findDueKeys(db, webhook.key, now))
    expect(keys).toHaveLength(100)
    expect(keys).toEqual(keys.toSorted((a, b) => a - b))
    for (const statement of ran.filter(({ sql: text }) => text.includes('deliveries'))) {
      const plan = (await planOf(server, statement)).join('\n')
      expect(plan).toMatch(/deliveries_(due|new)/)
      expect(plan).not.toMatch(/sort|temp b-tree|scan on deliveries$|bitmap/im)
    }
  })

  test('include those to send again, in the order of the log with new ones, however many are new', async () => {
    const { webhook } = await withWebhook()
    const now = server.parley.clock()
    await queue(webhook, 3, now - 60_000)
    const [first, second, third] = await engine.read((db) => findDueKeys(db, webhook.key, now))
    const setNext = (key: number, at: number) =>
      server.parley.engine.write((db) =>
        db.updateTable('deliveries').set({ attempts_count: 1, next_attempt_at: at }).where('key', '=', key).execute(),
      )
    await setNext(first!, now + 60_000)
    await setNext(second!, now - 1)
    await queue(webhook, 150, now)
    const found = await engine.read((db) => findDueKeys(db, webhook.key, now))
    expect(found.slice(0, 2)).toEqual([second!, third!])
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    const later = await engine.read((db) => findDueKeys(db, webhook.key, now + 60_000))
    expect([later.length, later[0]]).toEqual([100, second!])
  })

  test('are sent in the order of the log, even if the clocks of two nodes differ', async () => {
    const { webhook } = await withWebhook()
    const now = server.parley.clock()
    await queue(webhook, 1, now)
    await queue(webhook, 1, now - 5_000)
    const [first, second] = await engine.read((db) => findDueKeys(db, webhook.key, now))
    expect(first).toBeLessThan(second!)
  })

  test('are not sent if they were finished meanwhile', async () => {
    const { webhook } = await withWebhook()
    const now = server.parley.clock()
    await queue(webhook, 1, now)
    const [key] = await engine.read((db) => findDueKeys(db, webhook.key, now))
    expect(await engine.read((db) => findDueDelivery(db, key!, now))).toMatchObject({ key: key! })
    await server.parley.engine.write((db) =>
      db.updateTable('deliveries').set({ next_attempt_at: null }).where('key', '=', key!).execute(),
    )
    expect(await engine.read((db) => findDueDelivery(db, key!, now))).toBeUndefined()
  })
})

describe('a deleted webhook', () => {
  test('is gone at once; the clean-up deletes its deliveries in batches', async () => {
    const before = [await countRows('deliveries'), await countRows('delivery_attempts')]
    const cast = await withWebhook()
    await queue(cast.webhook, 1_200, server.parley.clock())
    const [key] = await engine.read((db) => findDueKeys(db, cast.webhook.key, server.parley.clock()))
    const delivery = (await engine.read((db) => findDueDelivery(db, key!, server.parley.clock())))!
    await server.parley.engine.write((db) =>
      db
        .insertInto('delivery_attempts')
        .values({
          ...{ delivery_key: delivery.key, attempted_at: 0, duration_ms: 1 },
          ...{ response_status: 500, response_body: 'No', error: null },
        })
        .execute(),
    )

    await cast.root.webhooks.delete({ id: cast.webhook.id })
    expect(await countRows('deliveries')).toBe(Number(before[0]) + 1_200)
    await expect(cast.root.webhooks.delivery({ id: delivery.id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(cast.root.webhooks.deliveries({ id: cast.webhook.id })).rejects.toMatchObject({ code: 'not_found' })

    ran = []
    await cleanUp({ engine, clock: time.now }, 30)
    const batches = ran.filter(({ sql: text }) => /^delete from "deliveries"/i.test(text))
    expect(batches).toHaveLength(3)
    expect([await countRows('deliveries'), await countRows('delivery_attempts')]).toEqual(before)
  })
})

describe('the clean-up', () => {
  test('deletes old deliveries that are finished, and keeps deliveries that wait', async () => {
    const { webhook } = await withWebhook()
    const now = server.parley.clock()
    await queue(webhook, 600, now)
    await server.parley.engine.write(async (db) => {
      const finished = { status: 'delivered', next_attempt_at: null } as const
      await db.updateTable('deliveries').set(finished).where('webhook_key', '=', webhook.key).execute()
      await db.updateTable('webhooks').set({ delivered_count: 600 }).where('key', '=', webhook.key).execute()
    })
    await queue(webhook, 1, now)
    await cleanUp(server.parley, -1)

    const left = await server.parley.engine.read((db) =>
      db.selectFrom('deliveries').where('webhook_key', '=', webhook.key).select('status').execute(),
    )
    expect(left).toEqual([{ status: 'pending' }])
    const counts = await server.parley.engine.read((db) =>
      db
        .selectFrom('webhooks')
        .where('key', '=', webhook.key)
        .select(['deliveries_count', 'delivered_count'])
        .executeTakeFirst(),
    )
    expect(counts).toEqual({ deliveries_count: 1, delivered_count: 0 })
  })
})
