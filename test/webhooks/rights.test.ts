import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cleanUp } from '../../src/jobs/clean-up'
import { openDispatcher } from '../../src/jobs/webhooks/dispatcher'
import { networksFrom } from '../../src/networks'
import type { Running } from '../../src/server'
import { allEvents, endOfLog } from '../events/log'
import { waitUntil } from '../expectations'
import { startTestServer, time } from '../server'
import { type Person, world } from '../world'
import { accept, answering, type Behaviour, deliver, openReceiver, type Receiver } from './receiver'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

let server: Running
const receivers: Receiver[] = []
beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(() => time.freeze())
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop()
  time.unfreeze()
  time.offset = 0
})
afterAll(() => server.stop())

/** Amy is an admin with a webhook; root is one too, and in no private place that amy is in unless added. */
async function hooked(behaviour: Behaviour = accept, on = server) {
  const cast = await world(on)
  const { root } = cast
  const member = { email: `amy@${cast.slug}.example.com`, display_name: 'Amy', role: 'admin' } as const
  const amy = await cast.tokenFor((await root.members.create(member)).id, ['admin'])
  return { ...cast, amy, ...(await hookOf(amy, root, behaviour)) }
}

async function hookOf(owner: Person, admin: Person, behaviour: Behaviour = accept) {
  const receiver = openReceiver(behaviour)
  receivers.push(receiver)
  const hook = await owner.webhooks.create({ url: receiver.url, types: ['post.created', 'message.created'] })
  return { receiver, hook, seen: () => admin.webhooks.get({ id: hook.id }) }
}

type Hooked = Awaited<ReturnType<typeof hooked>>

const post = (who: Person, channel: { id: string }, content_markdown = 'Lunch?') =>
  who.posts.create({ channel_id: channel.id, content_markdown })

/** Amy with a token that works, even if another has ended before. */
const again = (cast: Hooked) => cast.tokenFor(cast.amy.id, ['admin'])

const losses = [
  ['demoted', { role: 'member' }, { role: 'admin' }, 'The owner is no longer an admin.'],
  ['deactivated', { is_deactivated: true }, { is_deactivated: false }, 'The owner was deactivated.'],
] as const

describe.each(losses)('the webhook of an admin who is %s', (_, loss, gain, disabled_reason) => {
  test('is disabled in the same transaction, with the reason', async () => {
    const { root, amy, seen } = await hooked()
    const after = await endOfLog(root)
    await root.members.update({ id: amy.id, ...loss })
    expect(await seen()).toMatchObject({ is_enabled: false, disabled_reason })
    const events = await allEvents(root, after)
    expect(events.map(({ type }) => type).filter((type) => /^(member|webhook)\./.test(type))).toEqual([
      'role' in loss ? 'member.updated' : 'member.deactivated',
      'webhook.updated',
    ])
    const told = events.find(({ type }) => type === 'webhook.updated')
    expect(told).toMatchObject({ data: { is_enabled: false, disabled_reason } })
  })

  test('sends nothing any more, not even queued deliveries', async () => {
    const cast = await hooked(answering(503))
    const { root, amy, general, receiver, hook } = cast
    await post(root, general, 'Queued')
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    await root.members.update({ id: amy.id, ...loss })
    receiver.behaviour = accept
    await post(root, general, 'Later')
    for (let day = 0; day < 3; day++) {
      time.advance(DAY)
      await deliver(server)
    }
    expect(receiver.received).toHaveLength(1)

    await root.members.update({ id: amy.id, ...gain })
    time.advance(HOUR)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    const amyNow = await again(cast)
    const { data, total_count } = await amyNow.webhooks.deliveries({ id: hook.id, status: 'failed' })
    expect(data).toMatchObject([{ attempts_count: 1, next_attempt_at: null, not_sent_reason: disabled_reason }])
    expect(total_count).toBe(1)
    expect((await amyNow.webhooks.deliveries({ id: hook.id, status: 'pending' })).total_count).toBe(0)
  })

  test('drops all pending deliveries, and counts them as failed', async () => {
    const cast = await hooked(answering(429, { 'Retry-After': '86400' }))
    const { root, amy, general, receiver, hook } = cast
    await Promise.all(Array.from({ length: 450 }, (_, turn) => post(root, general, `${turn}`)))
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    const owner = await server.parley.engine.read((db) =>
      db.selectFrom('webhooks').where('id', '=', hook.id).selectAll().executeTakeFirstOrThrow(),
    )
    expect(owner.deliveries_count).toBe(450)
    await root.members.update({ id: amy.id, ...loss })
    await root.members.update({ id: amy.id, ...gain })
    const amyNow = await again(cast)
    receiver.behaviour = accept
    await amyNow.webhooks.update({ id: hook.id, is_enabled: true })
    time.advance(2 * DAY)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    const counts = async (status: 'pending' | 'failed') =>
      (await amyNow.webhooks.deliveries({ id: hook.id, status })).total_count
    expect([await counts('pending'), await counts('failed')]).toEqual([0, 450])
    await post(root, general, 'Heard')
    await deliver(server)
    expect(receiver.received).toHaveLength(2)
  }, 300_000)

  test('can be enabled by its owner only, and continues with new events', async () => {
    const cast = await hooked()
    const { root, amy, general, receiver, hook, seen } = cast
    await root.members.update({ id: amy.id, ...loss })
    await post(root, general, 'Missed')
    await root.members.update({ id: amy.id, ...gain })
    await post(root, general, 'Missed too')
    await deliver(server)
    expect(await seen()).toMatchObject({ is_enabled: false, disabled_reason })
    await expect(root.webhooks.update({ id: hook.id, is_enabled: true })).rejects.toMatchObject({ code: 'forbidden' })
    const on = await (await again(cast)).webhooks.update({ id: hook.id, is_enabled: true })
    expect(on).toMatchObject({ is_enabled: true, disabled_reason: null })
    await post(root, general, 'Heard')
    await deliver(server)
    expect(receiver.received.map(({ event }) => (event.data as { title: string }).title)).toEqual(['Heard'])
  })

  test('is not retried if it was being sent', async () => {
    const answer = Promise.withResolvers<void>()
    const cast = await hooked(() => answer.promise.then(() => new Response(null, { status: 410 })))
    const { root, amy, general, receiver, hook, seen } = cast
    await post(root, general)
    await waitUntil(async () => receiver.received.length === 1)
    await root.members.update({ id: amy.id, ...loss })
    answer.resolve()
    await deliver(server)
    time.advance(DAY)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    expect((await seen()).disabled_reason).toBe(disabled_reason)
    await root.members.update({ id: amy.id, ...gain })
    const amyNow = await again(cast)
    const counts = await Promise.all(
      (['delivered', 'pending', 'failed', undefined] as const).map(
        async (status) => (await amyNow.webhooks.deliveries({ id: hook.id, status })).total_count,
      ),
    )
    expect(counts).toEqual([0, 0, 1, 1])
  })

  test('sends nothing if it happens during the DNS look-up', async () => {
    const own = await startTestServer()
    await own.dispatcher()!.close()
    const { root, amy, general, receiver, hook } = await hooked(accept, own)
    const url = new URL(receiver.url)
    url.hostname = 'hooks.example.com'
    await amy.webhooks.update({ id: hook.id, url: url.toString() })
    await post(root, general)
    let lookups = 0
    const dispatcher = openDispatcher(own.parley, {
      allowed: networksFrom(['127.0.0.0/8']),
      answerMs: 15_000,
      async lookup() {
        lookups += 1
        await root.members.update({ id: amy.id, ...loss })
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    await dispatcher.tick()
    await dispatcher.settled()
    await dispatcher.close()
    expect([lookups, receiver.received.length]).toEqual([1, 0])
    await own.stop()
  })

  test('is disabled before sending if the database was changed by hand', async () => {
    const { root, amy, general, receiver, seen } = await hooked()
    const after = await endOfLog(root)
    await server.parley.engine.write(async (db) => {
      const set = 'role' in loss ? { role: 'member' as const } : { is_deactivated: true }
      await db.updateTable('members').set(set).where('id', '=', amy.id).execute()
    })
    await post(root, general)
    await deliver(server)
    expect(receiver.received).toEqual([])
    expect(await seen()).toMatchObject({ is_enabled: false, disabled_reason })
    expect((await allEvents(root, after)).at(-1)).toMatchObject({ type: 'webhook.updated', actor: null })
  })
})

describe('the webhook of an app', () => {
  const noToken = 'The app that owns it no longer has a token with the scope admin.'

  async function managed(expires_at?: string) {
    const cast = await world(server)
    const app = await cast.root.apps.create({ name: 'Builds' })
    const manager = await cast.tokenFor(app.id, ['admin'], expires_at)
    return { ...cast, app, manager, ...(await hookOf(manager, cast.root, answering(503))) }
  }

  async function expectSilence({ root, general, receiver, seen }: Awaited<ReturnType<typeof managed>>, why: string) {
    receiver.behaviour = accept
    await post(root, general, 'Later')
    time.advance(HOUR)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    expect(await seen()).toMatchObject({ is_enabled: false, disabled_reason: why })
  }

  test('ends with the app, and so do queued deliveries', async () => {
    const cast = await managed()
    await post(cast.root, cast.general)
    await deliver(server)
    await cast.root.apps.delete({ id: cast.app.id })
    const disabled_reason = 'The app that owns it was deleted.'
    expect(await cast.seen()).toMatchObject({ is_enabled: false, disabled_reason })
    await expectSilence(cast, disabled_reason)
  })

  test('ends with the last admin token of the app', async () => {
    const cast = await managed()
    const { root, app, seen } = cast
    await cast.tokenFor(app.id, ['write'])
    await cast.tokenFor(app.id, ['read', 'admin'])
    await post(root, cast.general)
    await deliver(server)
    const tokens = (await root.apps.listTokens({ id: app.id })).data.filter(({ scopes }) => scopes.includes('admin'))
    expect(tokens).toHaveLength(2)
    await root.tokens.delete({ id: tokens[0]!.id })
    expect((await seen()).is_enabled).toBe(true)
    await root.tokens.delete({ id: tokens[1]!.id })
    expect(await seen()).toMatchObject({ is_enabled: false, disabled_reason: noToken })
    await expectSilence(cast, noToken)
  })

  test('ends when its admin token expires', async () => {
    const cast = await managed(new Date(time.now() + 60_000).toISOString())
    await post(cast.root, cast.general)
    await deliver(server)
    expect(cast.receiver.received).toHaveLength(1)
    await expectSilence(cast, noToken)
  })

  test('ends when its admin token expires, with pending deliveries', async () => {
    const cast = await managed(new Date(time.now() + 60_000).toISOString())
    await post(cast.root, cast.general)
    await deliver(server)
    cast.receiver.behaviour = accept
    time.advance(HOUR)
    await deliver(server)
    expect(cast.receiver.received).toHaveLength(1)
    expect(await cast.seen()).toMatchObject({ is_enabled: false, disabled_reason: noToken })
  })

  test('delivers what the app can see', async () => {
    const cast = await managed()
    const { root, app, receiver } = cast
    receiver.behaviour = accept
    const secret = await root.channels.create({ name: 'secret', private: true })
    await post(root, secret, 'Before')
    await deliver(server)
    await root.channels.addMember({ channel_id: secret.id, member_id: app.id })
    await post(root, secret, 'After')
    await deliver(server)
    expect(receiver.received.map(({ event }) => (event.data as { title: string }).title)).toEqual(['After'])
  })
})

describe('a webhook delivers what its owner can see when it is sent', () => {
  test('nothing of a private channel that the owner was removed from', async () => {
    const { root, amy, receiver, hook, seen } = await hooked(
      ({ body }) => new Response(`You said ${body}`, { status: 503 }),
    )
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: amy.id })
    await post(root, secret, 'Confidential')
    await deliver(server)
    const [delivery] = (await amy.webhooks.deliveries({ id: hook.id })).data
    expect(JSON.stringify(await amy.webhooks.delivery({ id: delivery!.id }))).toContain('Confidential')

    await root.channels.removeMember({ channel_id: secret.id, member_id: amy.id })
    const hidden = await amy.webhooks.delivery({ id: delivery!.id })
    expect(hidden).toMatchObject({ status: 'pending', request: { body: null } })
    expect(hidden.attempts).toMatchObject([{ response_status: 503, response_body: null }])
    receiver.behaviour = accept
    time.advance(HOUR)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    expect(await amy.webhooks.delivery({ id: delivery!.id })).toMatchObject({
      status: 'failed',
      attempts_count: 1,
      next_attempt_at: null,
      not_sent_reason: 'The owner can no longer see this event.',
      request: { body: null },
    })
    expect((await seen()).is_enabled).toBe(true)

    await amy.webhooks.redeliver({ id: delivery!.id })
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    await amy.webhooks.replay({ id: hook.id, after: (await allEvents(amy))[0]!.id })
    await deliver(server)
    expect(receiver.received).toHaveLength(1)

    await root.channels.addMember({ channel_id: secret.id, member_id: amy.id })
    await amy.webhooks.redeliver({ id: delivery!.id })
    await deliver(server)
    expect(receiver.received).toHaveLength(2)
    expect(await amy.webhooks.delivery({ id: delivery!.id })).toMatchObject({
      status: 'delivered',
      not_sent_reason: null,
    })
  })

  test('but that the owner lost access to it, by its id', async () => {
    const { root, amy, general, receiver, hook } = await hooked()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: amy.id })
    await deliver(server)
    await amy.webhooks.update({ id: hook.id, types: ['access.lost'] })
    await root.channels.removeMember({ channel_id: secret.id, member_id: amy.id })
    await root.channels.update({ id: general.id, private: true })
    await deliver(server)
    expect(receiver.received.map(({ body }) => JSON.parse(body).data)).toEqual([
      { subject_type: 'channel', subject_id: secret.id, reason: 'removed' },
      { subject_type: 'channel', subject_id: general.id, reason: 'made_private' },
    ])
    expect(JSON.stringify(receiver.received)).not.toContain('secret')
  })

  test('and a delivery that is not sent is not a failure of the receiver', async () => {
    const { root, amy, general, receiver, hook, seen } = await hooked(answering(429, { 'Retry-After': '60' }))
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: amy.id })
    await post(root, general, 'First')
    for (let turn = 0; turn < 3; turn++) await post(root, secret, 'Confidential')
    await post(root, general, 'Last')
    await deliver(server)
    await root.channels.removeMember({ channel_id: secret.id, member_id: amy.id })
    receiver.received.length = 0
    receiver.behaviour = accept
    time.advance(10 * 60_000)
    await deliver(server)
    expect(receiver.received.map(({ event }) => (event.data as { title: string }).title)).toEqual(['First', 'Last'])
    expect((await amy.webhooks.deliveries({ id: hook.id, status: 'failed' })).total_count).toBe(3)
    time.advance(6 * DAY)
    await post(root, general)
    await deliver(server)
    expect((await seen()).is_enabled).toBe(true)
  })

  test('messages of a thread to its participants only', async () => {
    const { root, ada, bob, amy, receiver } = await hooked()
    const other = await hookOf(root, root)
    await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Between us' })
    await deliver(server)
    expect([receiver.received, other.receiver.received]).toEqual([[], []])
    await ada.messages.createDirect({ member_id: amy.id, content_markdown: 'For Amy' })
    await deliver(server)
    expect([receiver.types(), other.receiver.types()]).toEqual([['message.created'], []])
  })

  test('with the content of the log at that time', async () => {
    const { root, general, receiver, workspaceKey, amy, hook } = await hooked(answering(503))
    await post(root, general, 'Regretted')
    await deliver(server)
    await server.parley.engine.write((db) =>
      db
        .updateTable('events')
        .set({ data: '{"id":"gone"}' })
        .where('workspace_key', '=', workspaceKey)
        .where('type', '=', 'post.created')
        .execute(),
    )
    receiver.behaviour = accept
    time.advance(HOUR)
    await deliver(server)
    expect(receiver.received.map(({ body }) => body.includes('Regretted'))).toEqual([true, false])
    const [delivery] = (await amy.webhooks.deliveries({ id: hook.id })).data
    expect((await amy.webhooks.delivery({ id: delivery!.id })).request.body).toBe(receiver.received[1]!.body)
  })

  test('nothing of an event that is no longer in the log', async () => {
    const { root, general, receiver, amy, hook } = await hooked(answering(503))
    await post(root, general, 'Old')
    await deliver(server)
    const [delivery] = (await amy.webhooks.deliveries({ id: hook.id })).data
    // As if everything until tomorrow were too old.
    await cleanUp(server.parley, -1)
    receiver.behaviour = accept
    time.advance(HOUR)
    await deliver(server)
    expect(receiver.received).toHaveLength(1)
    const gone = await amy.webhooks.delivery({ id: delivery!.id })
    expect(gone).toMatchObject({
      status: 'failed',
      not_sent_reason: 'The event is no longer in the log.',
    })
    expect([gone.request.body, gone.attempts[0]!.response_body]).toEqual([null, null])
  })

  test('and stores no copy of it', async () => {
    const { root, general, amy, hook } = await hooked()
    await post(root, general, 'Confidential')
    await amy.webhooks.ping({ id: hook.id })
    await deliver(server)
    const rows = await server.parley.engine.read((db) => db.selectFrom('deliveries').selectAll().execute())
    expect(rows.length).toBeGreaterThan(1)
    expect(JSON.stringify(rows)).not.toContain('Confidential')
  })
})
