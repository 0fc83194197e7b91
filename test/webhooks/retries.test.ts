import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { RETRIES_MS, retryAfter } from '../../src/jobs/webhooks/dispatcher'
import type { Running } from '../../src/server'
import { allEvents, endOfLog } from '../events/log'
import { waitUntil } from '../expectations'
import { freePort } from '../postgres'
import { startTestServer, time } from '../server'
import { type Person, type World, world } from '../world'
import { accept, answering, type Behaviour, deliver, openReceiver, type Receiver } from './receiver'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let server: Running
const receivers: Receiver[] = []
beforeAll(async () => {
  server = await startTestServer({ WEBHOOK_TIMEOUT_SECONDS: '60' })
})
beforeEach(() => time.freeze())
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop()
  time.unfreeze()
  time.offset = 0
})
afterAll(() => server.stop())

function listening(behaviour: Behaviour, port?: number): Receiver {
  const receiver = openReceiver(behaviour, port)
  receivers.push(receiver)
  return receiver
}

async function hooked(behaviour: Behaviour) {
  const cast = await world(server)
  const receiver = listening(behaviour)
  const hook = await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] })
  return { ...cast, receiver, hook, webhook: () => cast.root.webhooks.get({ id: hook.id }) }
}

const post = (who: Person, { general }: Pick<World, 'general'>, content_markdown = 'Lunch?') =>
  who.posts.create({ channel_id: general.id, content_markdown })

/** How long until the delivery is tried again. */
async function waitOf(root: Person, id: string): Promise<number> {
  const { next_attempt_at } = await root.webhooks.delivery({ id })
  return Date.parse(next_attempt_at!) - time.now()
}

/** The shortest time in which a busy machine surely answers, and an answer that takes longer. */
const TIMEOUT_SECONDS = 2
const slow: Behaviour = () => Bun.sleep(1_500 * TIMEOUT_SECONDS).then(() => new Response())

describe('a failed delivery is retried', () => {
  test('after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, each up to a tenth later, and then no more', async () => {
    expect(RETRIES_MS).toEqual([
      ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
      ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
    ])
    const { root, receiver, hook } = await hooked(answering(500))
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    for (const [retried, wait] of RETRIES_MS.entries()) {
      expect(receiver.received).toHaveLength(retried + 1)
      const left = await waitOf(root, id)
      expect(left).toBeGreaterThanOrEqual(wait)
      expect(left).toBeLessThanOrEqual(1.1 * wait)
      time.advance(left - 1)
      await deliver(server)
      expect(receiver.received).toHaveLength(retried + 1)
      time.advance(1)
      await deliver(server)
    }
    const { status, next_attempt_at, attempts, attempts_count } = await root.webhooks.delivery({ id })
    expect([status, next_attempt_at, attempts_count, attempts.length]).toEqual(['failed', null, 10, 10])
    time.advance(30 * HOUR)
    await deliver(server)
    expect(receiver.received).toHaveLength(10)
    expect(new Set(receiver.received.map(({ body, headers }) => body + headers['webhook-id'])).size).toBe(1)
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times.toSorted((a, b) => a - b)).toEqual(times)
  })

  test('from the start after a redelivery by hand, and all attempts count', async () => {
    const { root, hook } = await hooked(answering(500))
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    time.advance(6 * SECOND)
    await deliver(server)
    expect(await waitOf(root, id)).toBeGreaterThanOrEqual(5 * MINUTE)
    await root.webhooks.redeliver({ id })
    await deliver(server)
    expect(await waitOf(root, id)).toBeLessThanOrEqual(5.5 * SECOND)
    const { attempts_count, attempts } = await root.webhooks.delivery({ id })
    expect([attempts_count, attempts.length]).toEqual([3, 3])
  })

  test('not before Retry-After in seconds', async () => {
    const { root, receiver, hook } = await hooked(answering(429, { 'Retry-After': '90' }))
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    expect(await waitOf(root, id)).toBe(90 * SECOND)
    time.advance(89 * SECOND)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    time.advance(SECOND)
    receiver.behaviour = accept
    await deliver(server)
    expect((await root.webhooks.delivery({ id })).status).toBe('delivered')
  })

  test('not before Retry-After as a date', async () => {
    const { root, hook, receiver } = await hooked(accept)
    const until = Math.floor(time.now() / SECOND) * SECOND + 10 * MINUTE
    receiver.behaviour = answering(503, { 'Retry-After': new Date(until).toUTCString() })
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    expect(time.now() + (await waitOf(root, id))).toBe(until)
  })

  test('and nothing else is sent before Retry-After', async () => {
    const cast = await hooked(answering(429, { 'Retry-After': '60' }))
    const { ada, receiver } = cast
    for (let turn = 0; turn < 3; turn++) await post(ada, cast, `${turn}`)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    receiver.behaviour = accept
    time.advance(59 * SECOND)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    time.advance(SECOND)
    await deliver(server)
    const titles = receiver.received.map(({ event }) => (event.data as { title: string }).title)
    expect(titles).toEqual(['0', '0', '1', '2'])
  })

  test.each([
    ['a day is the most', '999999', DAY],
    ['less than the schedule says is no reason to hurry', '1', 5 * SECOND],
    ['a date long past', 'Thu, 01 Jan 1970 00:00:00 GMT', 5 * SECOND],
    ['nonsense', 'later', 5 * SECOND],
    ['a negative number', '-5', 5 * SECOND],
  ])('with a Retry-After that makes little sense: %s', async (_, header, least) => {
    const { root, hook } = await hooked(answering(429, { 'Retry-After': header }))
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    const wait = await waitOf(root, id)
    expect(wait).toBeGreaterThanOrEqual(least)
    expect(wait).toBeLessThanOrEqual(1.1 * least)
  })

  test('while later deliveries do not wait', async () => {
    const cast = await hooked(({ body }) => new Response(null, { status: body.includes('Broken') ? 500 : 204 }))
    const { ada, receiver } = cast
    for (const text of ['First', 'Broken', 'Third']) await post(ada, cast, text)
    await deliver(server)
    const titles = receiver.received.map(({ event }) => (event.data as { title: string }).title)
    expect(titles).toEqual(['First', 'Broken', 'Third'])
  })
})

test('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-11-14T10:00:00Z')
  const waits = ['120', ' 5 ', 'Sat, 14 Nov 2026 10:01:00 GMT', '1e3', '12345678901', undefined, ''].map((header) =>
    retryAfter(header, now),
  )
  expect(waits).toEqual([120_000, 5_000, 60_000, 0, 0, 0, 0])
})

test('a receiver that failed in every way gets everything once it works', async () => {
  const impatient = await startTestServer({ WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS) })
  const cast = await world(impatient)
  const port = await freePort()
  const { root, ada } = cast
  await root.webhooks.create({ url: `http://127.0.0.1:${port}/hook`, types: ['post.created'] })
  const after = await endOfLog(root)
  const arrived: string[] = []
  const phases: (Behaviour | undefined)[] = [
    undefined,
    slow,
    answering(500),
    answering(429, { 'Retry-After': '7200' }),
    accept,
  ]
  for (const [phase, behaviour] of phases.entries()) {
    const receiver = behaviour && listening(behaviour, port)
    for (let turn = 0; turn < 2; turn++) await post(ada, cast, `${phase}.${turn}`)
    await deliver(impatient)
    time.advance(6 * SECOND)
    await deliver(impatient)
    time.advance(6 * MINUTE)
    await deliver(impatient)
    if (behaviour === accept) {
      time.advance(3 * HOUR)
      await deliver(impatient)
      arrived.push(...receiver!.received.map(({ event }) => event.id))
    }
    receiver?.stop()
  }
  const log = (await allEvents(root, after)).map(({ id }) => id)
  expect(log).toHaveLength(10)
  expect(arrived.toSorted()).toEqual(log)
}, 300_000)

describe('a webhook is disabled', () => {
  test('by 410 Gone at once, with the reason', async () => {
    const posted = Promise.withResolvers<void>()
    const cast = await hooked(() => posted.promise.then(() => new Response(null, { status: 410 })))
    const { ada, root, receiver, hook, webhook } = cast
    for (let turn = 0; turn < 3; turn++) await post(ada, cast, `${turn}`)
    // What is queued is sent when the webhook is enabled again; what happens while it is disabled is not.
    await waitUntil(async () => (await root.webhooks.deliveries({ id: hook.id })).total_count === 3)
    posted.resolve()
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    expect(await webhook()).toMatchObject({
      is_enabled: false,
      disabled_reason: 'The receiver responded with 410 Gone.',
    })
    time.advance(DAY)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)

    receiver.behaviour = accept
    const on = await root.webhooks.update({ id: hook.id, is_enabled: true })
    expect(on).toMatchObject({ is_enabled: true, disabled_reason: null })
    await deliver(server)
    const titles = receiver.received.map(({ event }) => (event.data as { title: string }).title)
    expect(titles).toEqual(['0', '0', '1', '2'])
  })

  test('after failing for five days, with the reason', async () => {
    const cast = await hooked(answering(500))
    const { ada, webhook, receiver } = cast
    const since = new Date(time.now()).toISOString()
    for (let day = 0; day <= 5; day++) {
      await post(ada, cast, `Day ${day}`)
      await deliver(server)
      expect(await webhook()).toMatchObject({ is_enabled: true, disabled_reason: null })
      time.advance(DAY)
    }
    await deliver(server)
    const { is_enabled, disabled_reason } = await webhook()
    expect([is_enabled, disabled_reason]).toEqual([false, `No delivery has succeeded since ${since}.`])
    const many = receiver.received.length
    await post(ada, cast, 'Unheard')
    time.advance(DAY)
    await deliver(server)
    expect(receiver.received).toHaveLength(many)
  })

  test('not while some deliveries succeed', async () => {
    const cast = await hooked(answering(500))
    const { ada, webhook, receiver } = cast
    for (let day = 0; day < 12; day++) {
      receiver.behaviour = day % 4 === 3 ? accept : answering(500)
      await post(ada, cast, `Day ${day}`)
      await deliver(server)
      time.advance(DAY)
    }
    expect((await webhook()).is_enabled).toBe(true)
  })

  test('with an event', async () => {
    const cast = await hooked(answering(410))
    const after = await endOfLog(cast.root)
    await post(cast.ada, cast)
    await deliver(server)
    const last = (await allEvents(cast.root, after)).at(-1)!
    const { origin } = new URL(cast.receiver.url)
    const data = { ...(await cast.webhook()), url: `${origin}/…` }
    expect(last).toMatchObject({ type: 'webhook.updated', actor: null, data })
  })
})
