import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { cleanUp } from '../../src/jobs/clean-up'
import type { Running } from '../../src/server'
import { allEvents, endOfLog } from '../events/log'
import { idOf, waitUntil } from '../expectations'
import { startTestServer } from '../server'
import { type Person, type World, world } from '../world'
import { answering, type Behaviour, deliver, isSigned, openReceiver, type Receiver } from './receiver'

let server: Running
const receivers: Receiver[] = []
beforeAll(async () => {
  // Nobody here is too slow, however busy the machine is.
  server = await startTestServer({ WEBHOOK_TIMEOUT_SECONDS: '60' })
})
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop()
})
afterAll(() => server.stop())

function receiverThat(behaviour?: Behaviour) {
  const receiver = openReceiver(behaviour)
  receivers.push(receiver)
  return receiver
}

async function hooked(behaviour?: Behaviour) {
  const cast = await world(server)
  const receiver = receiverThat(behaviour)
  const hook = await cast.root.webhooks.create({ url: receiver.url })
  return { ...cast, receiver, hook, after: await endOfLog(cast.root) }
}

const post = (who: Person, { general }: Pick<World, 'general'>, content_markdown = 'Lunch?') =>
  who.posts.create({ channel_id: general.id, content_markdown })

describe('a webhook', () => {
  test('gets signed events, the same as by polling', async () => {
    const { ada, root, general, receiver, hook, after } = await hooked()
    await post(ada, { general }, 'Grüße, 世界 🎉')
    await waitUntil(async () => receiver.received.length === 1)
    const [request] = receiver.received
    const [event] = await allEvents(root, after)
    expect(JSON.parse(request!.body)).toEqual(event!)
    expect([request!.method, request!.path]).toEqual(['POST', '/hook'])
    expect({ ...request!.headers }).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Parley\/\d/),
      'webhook-id': event!.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    })
    expect(isSigned(request!, hook.secret)).toBe(true)
    expect(isSigned({ ...request!, body: `${request!.body} ` }, hook.secret)).toBe(false)
    const forged = { ...request!.headers, 'webhook-id': 'evt_other' }
    expect(isSigned({ ...request!, headers: forged }, hook.secret)).toBe(false)
  })

  test('gets every event once and in order, under load', async () => {
    const { ada, root, general, receiver, after } = await hooked()
    await Promise.all(Array.from({ length: 300 }, (_, turn) => post(ada, { general }, `${turn}`)))
    await waitUntil(async () => receiver.received.length >= 300)
    await deliver(server)
    const log = await allEvents(root, after)
    expect(receiver.received.map(({ event }) => event.id)).toEqual(log.map(({ id }) => id))
  })

  test('does not get the event of its own creation, but of others', async () => {
    const { root, receiver } = await hooked()
    await root.webhooks.create({ url: 'https://example.com' })
    await deliver(server)
    expect(receiver.types()).toEqual(['webhook.created'])
  })

  test('gets only its types, and others after a change', async () => {
    const cast = await hooked()
    const { ada, root, receiver, hook } = cast
    await root.webhooks.update({ id: hook.id, types: ['post.created', 'comment.created'] })
    const { id } = await post(ada, cast)
    await ada.posts.resolve({ post_id: id })
    await ada.comments.create({ post_id: id, content_markdown: 'Noon' })
    await deliver(server)
    await root.webhooks.update({ id: hook.id, types: [] })
    await ada.posts.unresolve({ post_id: id })
    await deliver(server)
    const types = receiver.types().filter((type) => !type.startsWith('webhook.'))
    expect(types).toEqual(['post.created', 'comment.created', 'post.unresolved'])
  })

  test('gets private events only if its owner has access, and none once the owner is deactivated', async () => {
    const cast = await hooked()
    const { root, ada, receiver } = cast
    await root.members.update({ id: ada.id, role: 'admin' })
    const secret = await ada.channels.create({ name: 'secret', private: true })
    await post(ada, { general: secret })
    await deliver(server)
    expect(receiver.types()).toEqual(['member.updated'])
    await ada.channels.addMember({ channel_id: secret.id, member_id: root.id })
    await post(ada, { general: secret })
    await deliver(server)
    expect(receiver.types().slice(1)).toEqual(['channel.member_added', 'post.created'])
    await ada.members.update({ id: root.id, is_deactivated: true })
    await post(ada, { general: secret }, 'Without Root')
    await post(ada, cast, 'In public')
    await deliver(server)
    expect(receiver.types().slice(3)).toEqual([])
  })

  test('of an app gets private events only if the app has access', async () => {
    const { root, bot, tokenFor } = await hooked()
    const manager = await tokenFor(bot.id, ['admin'])
    const receiver = receiverThat()
    await manager.webhooks.create({ url: receiver.url, types: ['post.created'] })
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: bot.id })
    await post(root, { general: secret })
    await deliver(server)
    await root.apps.delete({ id: bot.id })
    await post(root, { general: secret })
    await deliver(server)
    expect(receiver.types()).toEqual(['post.created'])
  })

  test('gets nothing from another workspace', async () => {
    const { zed, receiver } = await hooked()
    await zed.channels.create({ name: 'away' })
    await deliver(server)
    expect(receiver.received).toEqual([])
  })

  test('gets a signed ping with its own id', async () => {
    const { root, receiver, hook } = await hooked()
    const { secret: _, ...webhook } = hook
    const ping = await root.webhooks.ping({ id: hook.id })
    expect(ping).toMatchObject({ webhook_id: hook.id, event_type: 'webhook.ping', status: 'pending' })
    await deliver(server)
    const [request] = receiver.received
    expect(request!.event).toEqual({
      id: idOf('ping'),
      type: 'webhook.ping',
      timestamp: ping.created_at,
      workspace_id: idOf('ws'),
      actor: hook.owner,
      via: null,
      is_redacted: false,
      data: webhook,
    } as never)
    expect(request!.headers['webhook-id']).toBe(ping.event_id)
    expect(isSigned(request!, hook.secret)).toBe(true)
  })

  test('that is slow does not delay others', async () => {
    const released = Promise.withResolvers<void>()
    const slow = await hooked(() => released.promise.then(() => new Response()))
    const { root, ada, general } = slow
    const quick = receiverThat()
    await root.webhooks.create({ url: quick.url })
    for (let turn = 0; turn < 5; turn++) await post(ada, { general }, `${turn}`)
    await waitUntil(async () => quick.received.length === 5)
    expect(slow.receiver.received.length).toBeLessThan(3)
    released.resolve()
    await deliver(server)
    expect(slow.receiver.types().filter((type) => type === 'post.created')).toHaveLength(5)
  })

  test('that is far behind does not delay others', async () => {
    const { root, ada, general, hook, after, receiver } = await hooked()
    await Promise.all(Array.from({ length: 300 }, (_, turn) => post(ada, { general }, `${turn}`)))
    await deliver(server)
    const quick = receiverThat()
    await root.webhooks.create({ url: quick.url, types: ['post.created'] })
    await root.webhooks.replay({ id: hook.id, after })
    await post(ada, { general }, 'Now')
    const behind = receiver.received.length
    await waitUntil(async () => quick.received.length === 1)
    expect(receiver.received.length - behind).toBeLessThan(270)
    await deliver(server)
  }, 300_000)

  test('does not follow redirects', async () => {
    const elsewhere = receiverThat()
    const { root, receiver, hook } = await hooked(answering(307, { Location: elsewhere.url }))
    const { id } = await root.webhooks.ping({ id: hook.id })
    await deliver(server)
    expect([receiver.received.length, elsewhere.received.length]).toEqual([1, 0])
    expect(await root.webhooks.delivery({ id })).toMatchObject({
      status: 'pending',
      attempts: [{ response_status: 307 }],
    })
  })

  test('can be deleted during a delivery', async () => {
    const released = Promise.withResolvers<void>()
    const { root, receiver, hook, ada, general } = await hooked(() => released.promise.then(() => new Response()))
    for (let turn = 0; turn < 3; turn++) await post(ada, { general }, `${turn}`)
    await waitUntil(async () => receiver.received.length === 1)
    await root.webhooks.delete({ id: hook.id })
    released.resolve()
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    await cleanUp(server.parley, 30)
    const left = await server.parley.engine.read(async (db) => [
      ...(await db.selectFrom('webhooks').where('id', '=', hook.id).select('id').execute()),
      ...(await db
        .selectFrom('deliveries')
        .leftJoin('webhooks', 'webhooks.key', 'deliveries.webhook_key')
        .where('webhooks.key', 'is', null)
        .select('deliveries.id')
        .execute()),
    ])
    expect(left).toEqual([])
  })

  test('that is disabled gets nothing, and continues with new events when enabled', async () => {
    const cast = await hooked()
    const { root, ada, receiver, hook } = cast
    await root.webhooks.update({ id: hook.id, is_enabled: false })
    await post(ada, cast, 'Unheard')
    await deliver(server)
    expect(receiver.types()).toEqual([])
    await root.webhooks.update({ id: hook.id, is_enabled: true })
    await post(ada, cast, 'Heard')
    await deliver(server)
    expect(receiver.types()).toEqual(['post.created'])
    expect(receiver.received[0]!.body).toContain('Heard')
  })
})
