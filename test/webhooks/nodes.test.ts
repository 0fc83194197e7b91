import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Running } from '../../src/server'
import { createClient } from '../client'
import { allEvents, endOfLog } from '../events/log'
import { waitUntil } from '../expectations'
import { startTestServer, time } from '../server'
import { type Person, world } from '../world'
import { deliver, openReceiver, type Receiver } from './receiver'

const ANSWER_SECONDS = 60
const CLAIM_MS = (ANSWER_SECONDS + 15) * 1000

let here: Running
let there: Running
const receivers: Receiver[] = []
beforeAll(async () => {
  const env = { WEBHOOK_TIMEOUT_SECONDS: String(ANSWER_SECONDS) }
  const first = await startTestServer(env)
  here = first
  there = await startTestServer({ ...env, DATABASE_URL: first.config.databaseUrl })
})
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop()
  time.unfreeze()
  time.offset = 0
})
afterAll(async () => {
  await there.stop()
  await here.stop()
})

function listening(behaviour?: Parameters<typeof openReceiver>[0]): Receiver {
  const receiver = openReceiver(behaviour)
  receivers.push(receiver)
  return receiver
}

describe('two nodes', () => {
  test('send each delivery once and in order', async () => {
    const cast = await world(here)
    const ways = Array.from({ length: 6 }, () => listening())
    for (const { url } of ways) await cast.root.webhooks.create({ url, types: ['post.created'] })
    const after = await endOfLog(cast.root)
    const writers = [here.url, there.url].map((baseUrl) => createClient({ baseUrl, token: cast.ada.token }))
    for (let round = 0; round < 20; round++) {
      const posts = writers.flatMap((writer) =>
        [1, 2, 3].map((turn) =>
          writer.posts.create({ channel_id: cast.general.id, content_markdown: `${round}.${turn}` }),
        ),
      )
      await Promise.all(posts)
    }
    // By themselves: nobody tells them that something is due, and no time passes but the time it takes.
    await waitUntil(async () => ways.every(({ received }) => received.length >= 120))
    await Promise.all([deliver(here), deliver(there)])
    const log = (await allEvents(cast.root, after)).map(({ id }) => id)
    expect(log).toHaveLength(120)
    for (const { received } of ways) expect(received.map(({ event }) => event.id)).toEqual(log)
  }, 300_000)

  test('respect the claims of the other, until they expire', async () => {
    const { root } = await world(here)
    const receiver = listening()
    const { id } = await root.webhooks.create({ url: receiver.url, types: ['post.created'] })
    time.freeze()
    // As a node leaves it that is killed in mid-delivery.
    await here.parley.engine.write((db) =>
      db
        .updateTable('webhooks')
        .set({ claimed_until: time.now() + CLAIM_MS })
        .where('id', '=', id)
        .execute(),
    )
    await root.webhooks.ping({ id })
    time.advance(CLAIM_MS - 1)
    await Promise.all([deliver(here), deliver(there)])
    expect(receiver.received).toHaveLength(0)
    time.advance(1)
    await Promise.all([deliver(here), deliver(there)])
    expect(receiver.received).toHaveLength(1)
  })

  test('count an attempt once if one of them was too late', async () => {
    const { root } = await world(here)
    const stuck = Promise.withResolvers<void>()
    const receiver = listening(async () => {
      if (receiver.received.length === 1) await stuck.promise
      return new Response()
    })
    const { id } = await root.webhooks.create({ url: receiver.url, types: ['post.created'] })
    time.freeze()
    const ping = await root.webhooks.ping({ id })
    await waitUntil(async () => receiver.received.length === 1)
    time.advance(CLAIM_MS + 1)
    void here.dispatcher()!.tick()
    void there.dispatcher()!.tick()
    await waitUntil(async () => (await root.webhooks.delivery({ id: ping.id })).status === 'delivered')
    stuck.resolve()
    await Promise.all([deliver(here), deliver(there)])
    expect(receiver.received).toHaveLength(2)
    expect((await root.webhooks.delivery({ id: ping.id })).attempts).toHaveLength(1)
    const counts = await Promise.all(
      (['delivered', 'pending', 'failed', undefined] as const).map(
        async (status) => (await root.webhooks.deliveries({ id, status })).total_count,
      ),
    )
    expect(counts).toEqual([1, 0, 0, 1])
    // And the webhook is not held by anyone any more.
    await root.webhooks.ping({ id })
    await Promise.all([deliver(here), deliver(there)])
    expect(receiver.received).toHaveLength(3)
  })

  test('send at once what is queued while the other releases its claim', async () => {
    const cast = await world(here)
    const receiver = listening()
    await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] })
    const elsewhere = createClient({ baseUrl: there.url, token: cast.ada.token }) as Person
    let worst = 0
    for (let turn = 1; turn <= 100; turn++) {
      const who = turn % 2 ? cast.ada : elsewhere
      await who.posts.create({ channel_id: cast.general.id, content_markdown: `${turn}` })
      const started = performance.now()
      // The next one comes just as the last one is noted.
      await waitUntil(async () => receiver.received.length >= turn)
      worst = Math.max(worst, performance.now() - started)
    }
    // A claim that is not released lasts for more than a minute.
    expect(worst).toBeLessThan(10_000)
  }, 300_000)
})
