import { afterEach, describe, expect, test } from 'bun:test'
import type { OperationName } from '../../src/contract'
import { eventId, positionOf } from '../../src/domain/events/positions'
import type { Client } from '../client'
import { allEvents, endOfLog } from '../events/log'
import { author, expectInvalid, expectPages, expectRefusals, idOf, timestamp } from '../expectations'
import { startTestServer } from '../server'
import { type Person, type World, world } from '../world'
import { accept, answering, type Behaviour, deliver, openReceiver, type Receiver } from './receiver'

const receivers: Receiver[] = []
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop()
})

async function hooked(behaviour: Behaviour = accept) {
  const cast = await world()
  const receiver = openReceiver(behaviour)
  receivers.push(receiver)
  const hook = await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] })
  return { ...cast, receiver, hook, send: () => deliver(cast.server) }
}

const post = (who: Person, { general }: Pick<World, 'general'>, content_markdown = 'Lunch?') =>
  who.posts.create({ channel_id: general.id, content_markdown })

const title = ({ event }: { event: { data: unknown } }) => (event.data as { title: string }).title

describe('webhooks.create', () => {
  test('creates a webhook, and shows its secret', async () => {
    const { root, events } = await world()
    const hook = await root.webhooks.create({ url: 'https://example.com/hook?a=1#part', types: ['post.created'] })
    expect(hook).toEqual({
      id: idOf('wh'),
      owner: author(root, 'Root Admin'),
      url: 'https://example.com/hook?a=1',
      types: ['post.created'],
      is_enabled: true,
      disabled_reason: null,
      created_at: timestamp,
      updated_at: timestamp,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    })
    expect(await events()).toEqual(['webhook.created'])
  })

  test('refuses an invalid URL or type', async () => {
    const { root } = await world()
    for (const url of [
      '',
      'example.com',
      'ftp://example.com',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http://a:b@example.com',
    ])
      await expectInvalid(root.webhooks.create({ url }), 'url')
    await expectInvalid(
      root.webhooks.create({ url: 'https://example.com', types: ['post.eaten' as never] }),
      'types[0]',
    )
    await expectInvalid(
      root.webhooks.create({ url: 'https://example.com', types: ['post.created', 'post.created'] }),
      'types',
    )
  })

  test('refuses a URL that can never be reached', async () => {
    const everyone = await world()
    const { root } = everyone
    const hook = await root.webhooks.create({ url: 'https://example.com' })
    // The test server allows 127.0.0.0/8.
    for (const url of [
      'http://10.0.0.1/hook',
      'http://[::1]/hook',
      'http://169.254.169.254/latest',
      'http://2130706434:0/',
      'https://hooks.example/',
      'https://receiver.test/',
    ]) {
      await expectInvalid(root.webhooks.create({ url }), 'url')
      await expectInvalid(root.webhooks.update({ id: hook.id, url }), 'url')
    }
    expect(await everyone.events()).toEqual(['webhook.created'])
  })

  test('a server that allows no private networks refuses local names and addresses', async () => {
    const server = await startTestServer({ WEBHOOK_NETWORKS: '' })
    const { root } = await world(server)
    for (const url of ['http://127.0.0.1:8080/', 'http://localhost/', 'http://receiver/', 'http://nas.local/'])
      await expectInvalid(root.webhooks.create({ url }), 'url')
    await root.webhooks.create({ url: 'https://example.com' })
    await server.stop()
  })

  test('requires a secret key', async () => {
    const server = await startTestServer({ SECRET_KEY: '' })
    const { root } = await world(server)
    const made = root.webhooks.create({ url: 'https://example.com' })
    if (server.parley.engine.kind === 'sqlite') expect((await made).secret).toStartWith('whsec_')
    else await expect(made).rejects.toMatchObject({ code: 'secret_key_missing' })
    await server.stop()
  })
})

/** Each operation on a webhook, or on one of its deliveries. */
const adminCalls: Partial<
  Record<OperationName, (who: Client, hook: string, delivery: string, after: string) => Promise<unknown>>
> = {
  'webhooks.list': (who) => who.webhooks.list(),
  'webhooks.get': (who, id) => who.webhooks.get({ id }),
  'webhooks.create': (who) => who.webhooks.create({ url: 'https://example.com' }),
  'webhooks.update': (who, id) => who.webhooks.update({ id, is_enabled: false }),
  'webhooks.delete': (who, id) => who.webhooks.delete({ id }),
  'webhooks.rotateSecret': (who, id) => who.webhooks.rotateSecret({ id }),
  'webhooks.ping': (who, id) => who.webhooks.ping({ id }),
  'webhooks.replay': (who, id, _, after) => who.webhooks.replay({ id, after }),
  'webhooks.deliveries': (who, id) => who.webhooks.deliveries({ id }),
  'webhooks.delivery': (who, _, id) => who.webhooks.delivery({ id }),
  'webhooks.redeliver': (who, _, id) => who.webhooks.redeliver({ id }),
}

describe.each(Object.entries(adminCalls))('%s', (name, perform) => {
  test('is for admins and apps with the admin scope', async () => {
    const cast = await hooked()
    const manager = await cast.tokenFor(cast.bot.id, ['admin'])
    const hook = await manager.webhooks.create({ url: 'http://127.0.0.1:9/' })
    const { id } = await manager.webhooks.ping({ id: hook.id })
    const after = await endOfLog(cast.root)
    const call = (who: Client) => perform(who, hook.id, id, after)
    await expectRefusals(cast, call, {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'insufficient_scope',
    })
    await call(manager)
  })

  test('is not found in another workspace', async () => {
    if (name === 'webhooks.list' || name === 'webhooks.create') return
    const cast = await hooked()
    const { id } = await cast.root.webhooks.ping({ id: cast.hook.id })
    const after = await endOfLog(cast.zed)
    await expectRefusals(cast, (who) => perform(who, cast.hook.id, id, after), { zed: 'not_found' })
  })
})

describe('webhooks', () => {
  test('are listed in pages, oldest first, without secrets', async () => {
    const { root, zed } = await world()
    const made = []
    for (let turn = 0; turn < 5; turn++) {
      const { secret: _, ...webhook } = await root.webhooks.create({ url: `https://example.com/${turn}` })
      made.push(webhook)
    }
    await expectPages((input) => root.webhooks.list(input), made)
    expect((await zed.webhooks.list()).total_count).toBe(0)
  })

  test('are updated field by field', async () => {
    const { root } = await world()
    const { secret: _, ...hook } = await root.webhooks.create({ url: 'https://example.com/1' })
    const moved = await root.webhooks.update({ id: hook.id, url: 'https://example.com/2' })
    expect(moved).toEqual({ ...hook, url: 'https://example.com/2', updated_at: moved.updated_at })
    const off = await root.webhooks.update({ id: hook.id, is_enabled: false })
    expect(off).toEqual({ ...moved, is_enabled: false, updated_at: off.updated_at })
    expect(await root.webhooks.get({ id: hook.id })).toEqual(off)
    await expectInvalid(root.webhooks.update({ id: hook.id, url: 'nowhere' }), 'url')
  })

  test('are deleted with their deliveries', async () => {
    const { root, hook, send, events } = await hooked()
    const { id } = await root.webhooks.ping({ id: hook.id })
    await send()
    await root.webhooks.delete({ id: hook.id })
    await expect(root.webhooks.get({ id: hook.id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(root.webhooks.delivery({ id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await events()).toEqual(['webhook.created', 'webhook.deleted'])
  })
})

describe('the list of deliveries', () => {
  test('shows the request, the response and the duration', async () => {
    const { root, hook, receiver, send } = await hooked(() =>
      Bun.sleep(30).then(() => new Response('Nope', { status: 418 })),
    )
    const { id } = await root.webhooks.ping({ id: hook.id })
    await send()
    const told = await root.webhooks.delivery({ id })
    expect(told).toMatchObject({
      id,
      webhook_id: hook.id,
      event_type: 'webhook.ping',
      status: 'pending',
      attempts_count: 1,
    })
    expect(told.request).toEqual({ url: receiver.url, body: receiver.received[0]!.body })
    expect(told.attempts).toEqual([
      {
        attempted_at: timestamp,
        duration_ms: expect.any(Number),
        response_status: 418,
        response_body: 'Nope',
        error: null,
      },
    ])
    expect(told.attempts[0]!.duration_ms).toBeGreaterThanOrEqual(29)
  })

  test('shows the error if there was no response', async () => {
    const { root } = await world()
    const { id: hook } = await root.webhooks.create({ url: 'http://127.0.0.1:9/' })
    const { id } = await root.webhooks.ping({ id: hook })
    const { server } = await hooked()
    await deliver(server)
    const [attempt] = (await root.webhooks.delivery({ id })).attempts
    expect(attempt).toMatchObject({ response_status: null, response_body: null })
    expect(attempt!.error).toMatch(/^connection: 127\.0\.0\.1 did not accept a connection on port 9/)
  })

  test('keeps only the beginning of a long response', async () => {
    const { root, hook, send } = await hooked(() => new Response('x'.repeat(1_000_000)))
    const { id } = await root.webhooks.ping({ id: hook.id })
    await send()
    expect((await root.webhooks.delivery({ id })).attempts[0]!.response_body).toBe('x'.repeat(4 * 1024))
  })

  test('has pages, newest first, and a status filter', async () => {
    const { root, hook, receiver, send } = await hooked()
    const made: string[] = []
    for (let turn = 0; turn < 6; turn++) {
      receiver.behaviour = turn % 2 ? answering(500) : accept
      made.unshift((await root.webhooks.ping({ id: hook.id })).id)
      await send()
    }
    const { id } = hook
    const all = (await root.webhooks.deliveries({ id })).data
    expect(all.map((each) => each.id)).toEqual(made)
    await expectPages((input) => root.webhooks.deliveries({ id, ...input }), all)
    for (const status of ['delivered', 'pending'] as const) {
      const some = all.filter((each) => each.status === status)
      expect(some).toHaveLength(3)
      await expectPages((input) => root.webhooks.deliveries({ id, status, ...input }), some)
    }
    expect((await root.webhooks.deliveries({ id, status: 'failed' })).total_count).toBe(0)
    await expectInvalid(root.webhooks.deliveries({ id, status: 'lost' as never }), 'status')
  })
})

describe('webhooks.redeliver', () => {
  test('sends the same delivery again', async () => {
    const { root, hook, receiver, send } = await hooked()
    const { id } = await root.webhooks.ping({ id: hook.id })
    await send()
    expect(await root.webhooks.redeliver({ id })).toMatchObject({ id, status: 'pending', attempts_count: 1 })
    await send()
    const [first, second] = receiver.received
    expect([second!.body, second!.headers['webhook-id']]).toEqual([first!.body, first!.headers['webhook-id']!])
    const told = await root.webhooks.delivery({ id })
    expect([told.status, told.attempts_count, told.attempts.length]).toEqual(['delivered', 2, 2])
    expect((await root.webhooks.deliveries({ id: hook.id, status: 'delivered' })).total_count).toBe(1)
  })

  test('sends a pending delivery at once', async () => {
    const { root, hook, receiver, send } = await hooked(answering(500))
    const { id } = await root.webhooks.ping({ id: hook.id })
    await send()
    receiver.behaviour = accept
    await root.webhooks.redeliver({ id })
    await send()
    expect((await root.webhooks.delivery({ id })).status).toBe('delivered')
  })
})

describe('webhooks.replay', () => {
  test('sends everything after an event again, in order, with the same ids', async () => {
    const cast = await hooked()
    const { root, ada, hook, receiver, send } = cast
    for (const text of ['1', '2', '3']) await post(ada, cast, text)
    await send()
    const before = receiver.received.splice(0)
    const after = before[0]!.event.id
    expect((await root.webhooks.replay({ id: hook.id, after })).id).toBe(hook.id)
    await send()
    expect(receiver.received.map(title)).toEqual(['2', '3'])
    expect(receiver.received.map(({ event }) => event.id)).toEqual(before.slice(1).map(({ event }) => event.id))
    await post(ada, cast, '4')
    await send()
    expect(receiver.received.map(title)).toEqual(['2', '3', '4'])
  })

  test('sends events from while it was disabled, and from before it was created', async () => {
    const cast = await hooked()
    const { root, ada, hook, receiver, send } = cast
    const start = (await allEvents(root))[0]!.id
    await root.webhooks.update({ id: hook.id, is_enabled: false })
    await post(ada, cast, 'Missed')
    await root.webhooks.update({ id: hook.id, is_enabled: true })
    await send()
    expect(receiver.received).toEqual([])
    await root.webhooks.replay({ id: hook.id, after: start })
    await send()
    expect(receiver.received.map(title)).toEqual(['Missed'])
  })

  test('refuses an id that is no event of this workspace', async () => {
    const { root, zed, hook } = await hooked()
    await expectInvalid(root.webhooks.replay({ id: hook.id, after: 'nonsense' }), 'after')
    await expectInvalid(root.webhooks.replay({ id: hook.id, after: await endOfLog(zed) }), 'after')
  })

  test('refuses an event in the future', async () => {
    const { root, hook } = await hooked()
    const end = await endOfLog(root)
    const { id } = (await root.me.get()).workspace
    const { revision, nonce } = positionOf(id, end)!
    const ahead = eventId(id, { revision: revision + 1, nonce })
    const refused = root.webhooks.replay({ id: hook.id, after: ahead })
    await expect(refused).rejects.toMatchObject({ code: 'history_changed', resumeAfter: undefined })
    expect((await root.webhooks.replay({ id: hook.id, after: end })).id).toBe(hook.id)
  })
})
