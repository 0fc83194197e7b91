import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { cleanUp } from '../../src/jobs/clean-up'
import { startTestServer, time } from '../server'
import { signedIn } from '../session/browser'
import { world } from '../world'
import { openPushService, verifyVapid } from './push-service'

const MINUTE = 60_000

let server: Awaited<ReturnType<typeof startTestServer>>
const services: ReturnType<typeof openPushService>[] = []
beforeAll(async () => {
  server = await startTestServer()
  server.notifications()!.stopTimer()
})
afterEach(() => services.splice(0).forEach((service) => void service.close()))
afterAll(() => server.stop())

/** A workspace in which ada has a browser that shows notifications. */
async function newWorld() {
  const cast = await world(server)
  const browser = await signedIn(cast, cast.ada)
  const page = cast.as(await browser.token())
  const service = openPushService()
  services.push(service)
  await page.me.setPushSubscription(service.subscription)
  const deliver = async () => {
    await server.inboxFiller()!.tick()
    await server.notifications()!.tick()
    await server.notifications()!.settled()
  }
  const tell = (content_markdown = 'Hi') => cast.bob.messages.createDirect({ member_id: cast.ada.id, content_markdown })
  const countSubscriptions = () =>
    server.parley.engine.read(
      async (db) =>
        (
          await db
            .selectFrom('push_subscriptions')
            .where('workspace_key', '=', cast.workspaceKey)
            .select('session_key')
            .execute()
        ).length,
    )
  return { ...cast, browser, page, service, deliver, tell, countSubscriptions }
}

describe('pushes', () => {
  test('a message is encrypted for the browser, signed by the server, and pushed once', async () => {
    const { service, deliver, tell, page } = await newWorld()
    const { thread_id, id } = await tell('Are you there?')
    await deliver()
    await deliver()
    const [{ message, headers }, ...others] = service.pushed as [(typeof service.pushed)[0]]
    expect(others).toEqual([])
    expect(message).toEqual({
      title: expect.any(String),
      body: 'Bob Moore sent a message: Are you there?',
      path: `/threads/${thread_id}#${id}`,
      tag: thread_id,
    })
    expect([headers.get('content-encoding'), headers.get('ttl')]).toEqual(['aes128gcm', '86400'])
    const { claims, key } = verifyVapid(headers.get('authorization')!)
    expect(claims.aud).toBe(new URL(service.subscription.endpoint).origin)
    expect(key).toBe((await page.me.getPushKey()).public_key)
    expect(await page.me.getNotificationSettings()).toMatchObject({ is_push_available: true, is_push_enabled: true })
  })

  test('a mention of a group, of a whole channel and of those online there is pushed', async () => {
    const { service, deliver, root, ada, bob, general } = await newWorld()
    const { id } = await root.groups.create({ name: 'design' })
    await root.groups.addMember({ group_id: id, member_id: ada.id })
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    await ada.me.get()
    await server.parley.presence.settled()
    await deliver()
    service.pushed.length = 0
    for (const mentioned of [id, 'channel', 'here']) {
      await bob.posts.create({ channel_id: general.id, title: 'Logo', content_markdown: `<@${mentioned}> Look` })
      await deliver()
    }
    expect(service.pushed.map(({ message }) => message.body)).toEqual([
      'Bob Moore mentioned @design: @design Look',
      'Bob Moore mentioned @channel: @channel Look',
      'Bob Moore mentioned @here: @here Look',
    ])
  })

  test('a reminder that is due is pushed', async () => {
    const { service, deliver, ada, bob, general } = await newWorld()
    const post = await bob.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: 'When?' })
    await ada.saved.set({ post_id: post.id, remind_at: new Date(time.now() + 60_000).toISOString() })
    time.advance(120_000)
    // Twice: the first may be one that has begun before.
    for (let turn = 0; turn < 2; turn++) await server.reminders()!.tick()
    await deliver()
    expect(service.pushed.map(({ message }) => message)).toEqual([
      { title: 'Lunch', body: 'Reminder: When?', path: `/posts/${post.id}`, tag: post.id },
    ])
  })

  test('what was read or taken away meanwhile is not pushed, and many become one', async () => {
    const { service, deliver, tell, ada, bob, general, root } = await newWorld()
    const { thread_id } = await tell('read')
    await server.inboxFiller()!.tick()
    const gone = await bob.posts.create({ channel_id: general.id, content_markdown: `<@${ada.id}> gone` })
    await bob.posts.delete({ id: gone.id })
    await ada.reads.set({ subject_id: thread_id })
    await deliver()
    const before = service.pushed.filter(({ message }) => message.body.includes('gone'))
    expect(before).toEqual([])
    const paused_until = new Date(time.now() + MINUTE).toISOString()
    await ada.me.updateNotificationSettings({ paused_until })
    service.pushed.length = 0
    for (let at = 0; at < 7; at++)
      await root.posts.create({ channel_id: general.id, content_markdown: `<@${ada.id}> number ${at}` })
    await deliver()
    expect(service.pushed).toEqual([])
    time.advance(2 * MINUTE)
    await deliver()
    expect(service.pushed.map(({ message }) => message.path)).toEqual(['/inbox'])
  })

  test('failures are retried; redirects are not followed; 410 ends it', async () => {
    const { service, deliver, tell, countSubscriptions } = await newWorld()
    service.answers.push(500, 307)
    await tell()
    await deliver()
    for (const wait of [11_000, MINUTE + 1_000]) {
      expect(service.pushed).toEqual([])
      time.advance(wait)
      await deliver()
    }
    expect(service.pushed).toHaveLength(1)
    service.answers.push(410)
    await tell()
    await deliver()
    expect([service.pushed.length, await countSubscriptions()]).toEqual([1, 0])
  })

  test('they end with the session, and when the member is deactivated', async () => {
    const { service, deliver, tell, browser, countSubscriptions, page, as, root, ada, ...cast } = await newWorld()
    await browser.ask('DELETE', '/session')
    expect(await countSubscriptions()).toBe(0)
    const again = await signedIn({ ...cast, as, root, ada } as never, ada)
    await as(await again.token()).me.setPushSubscription(service.subscription)
    await root.members.update({ id: ada.id, is_deactivated: true })
    expect(await countSubscriptions()).toBe(0)
    await tell().catch(() => {})
    await deliver()
    expect(service.pushed).toEqual([])
  })

  test('a browser in which someone else signs in shows their notifications alone', async () => {
    const { service, deliver, tell, as, bob, countSubscriptions, ...cast } = await newWorld()
    const next = await signedIn({ ...cast, as, bob } as never, bob)
    await as(await next.token()).me.setPushSubscription(service.subscription)
    expect(await countSubscriptions()).toBe(1)
    await tell('For Ada only')
    await deliver()
    expect(service.pushed).toEqual([])
  })

  test('an expired session gets none, and is cleaned up', async () => {
    const { service, deliver, tell, countSubscriptions } = await newWorld()
    time.advance(31 * 24 * 60 * MINUTE)
    await tell()
    await deliver()
    expect([service.pushed, await countSubscriptions()]).toEqual([[], 0])
    await cleanUp(server.parley, 3_650)
  })

  test('a browser can turn them off; private networks and bad keys are refused', async () => {
    const { page, countSubscriptions, service, tell, ada } = await newWorld()
    await page.me.deletePushSubscription()
    expect(await countSubscriptions()).toBe(0)
    const { endpoint, keys } = service.subscription
    const refused = [
      { endpoint: 'ftp://example.com', keys },
      { endpoint, keys: { ...keys, p256dh: 'AAAA' } },
      { endpoint, keys: { ...keys, auth: 'AAAA' } },
    ]
    for (const input of refused)
      await expect(page.me.setPushSubscription(input)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(ada.me.setPushSubscription(service.subscription)).rejects.toMatchObject({ code: 'forbidden' })
    await page.me.setPushSubscription({ endpoint: 'http://10.0.0.1:9/push', keys })
    await tell()
    await server.inboxFiller()!.tick()
    await server.notifications()!.tick()
    await server.notifications()!.settled()
    const row = await server.parley.engine.read((db) =>
      db.selectFrom('push_subscriptions').where('endpoint', 'like', '%10.0.0.1%').select('attempts').executeTakeFirst(),
    )
    expect(row).toEqual({ attempts: 1 })
  })
})

test('the keys are made once, and stored encrypted', async () => {
  const stored = await server.parley.engine.read((db) => db.selectFrom('push_keys').selectAll().execute())
  expect(stored).toHaveLength(1)
  const key = server.parley.vault!.open(stored[0]!.private_key)
  expect(Buffer.from(key, 'base64url')).toHaveLength(32)
  expect(stored[0]!.private_key).not.toContain(key)
})

test('the service worker is served at the top, and may reach this server only', async () => {
  const { headers, status } = await fetch(`${server.url}/sw.js`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toStartWith('text/javascript')
  expect(headers.get('cache-control')).toBe('no-cache')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; connect-src 'self'")
})
