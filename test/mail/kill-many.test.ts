import { afterAll, expect, test } from 'bun:test'
import type { NotificationState } from '../../src/store/attention/notices'
import type { PushSubscriptionRow } from '../../src/store/attention/push'
import { type Client, createClient } from '../client'
import { addFollowers, type Follower } from '../inbox/followers'
import { newRandom } from '../random-writes'
import { newMigratedDatabase } from '../server'
import { type Child, changeDatabase, inDatabase, lastStatements, startChild, waitUntil } from '../torture/child'
import { openPushService } from './push-service'
import { openMailbox } from './smtp'

const FOLLOWERS = 30
const KILLS = 2
/** How many a server mails or pushes to at the same time. */
const AT_ONCE = { mails: 4, pushes: 16 }

let child: Child | undefined
afterAll(() => child?.kill())

/** Starts a server in whose workspace many members have something unread. */
async function startWithUnread(env: Record<string, string>) {
  const database = await newMigratedDatabase()
  const start = async () => {
    child = await startChild(database.url, env)
    await waitUntil(child.isReady)
  }
  await start()
  const client = createClient({ baseUrl: child!.url, token: await child!.firstToken() })
  const channel = await client.channels.create({ name: 'news' })
  const { url } = database
  return {
    client,
    url,
    followers: await changeDatabase(url, (db) => addFollowers(db, channel.id, FOLLOWERS)),
    publish: () => client.posts.create({ channel_id: channel.id, content_markdown: 'News' }),
    killRepeatedly,
    async stop() {
      await child!.stop()
      await database.drop()
    },
  }

  /** Kills the server whenever a few more have arrived. The next one then does what the dead one had claimed. */
  async function killRepeatedly(count: () => number, table: 'notification_state' | 'push_subscriptions') {
    const random = newRandom(12)
    const pickEnough = () => Math.min(FOLLOWERS, count() + 1 + random.below(Math.floor(FOLLOWERS / KILLS / 2)))
    let enough = pickEnough()
    for (let kill = 0; kill < KILLS; kill++) {
      while (count() < enough) await Bun.sleep(0)
      await child!.kill()
      await lastStatements(url)
      await changeDatabase(url, (db) => db.updateTable(table).set({ claimed_until: 0 }).execute())
      // Of what is there now: until it is known to be ready, the next one may have done all of it.
      enough = pickEnough()
      await start()
    }
  }
}

test('a server that is killed while it mails what is unread mails it to everyone, again with the same id', async () => {
  const mailbox = await openMailbox()
  const env = { SMTP_URL: `smtp://127.0.0.1:${mailbox.port}`, MAIL_FROM: 'parley@example.com' }
  const world = await startWithUnread(env)
  const { url, followers } = world
  await world.publish()
  const states = () =>
    inDatabase<NotificationState[]>(url, (db) => db.selectFrom('notification_state').selectAll().execute())
  await waitUntil(async () => (await states()).length === FOLLOWERS)
  await changeDatabase(url, (db) => db.updateTable('notification_state').set({ mail_due_at: 0 }).execute())
  await world.killRepeatedly(() => mailbox.mails.length, 'notification_state')
  await waitUntil(async () => (await states()).every(({ mail_due_at }) => mail_due_at === null))

  for (const { email } of followers) {
    const ids = mailbox.to(email).map(({ headers }) => headers.get('message-id'))
    expect([email, new Set(ids).size]).toEqual([email, 1])
  }
  expect(mailbox.mails.length).toBeLessThanOrEqual(FOLLOWERS + KILLS * AT_ONCE.mails)
  await world.stop()
  await mailbox.close()
}, 300_000)

test('a server that is killed while it pushes pushes to every browser', async () => {
  const service = openPushService()
  const env = { SECRET_KEY: 'a key of the test servers, of no use elsewhere', WEBHOOK_NETWORKS: '127.0.0.0/8' }
  const world = await startWithUnread(env)
  const { url, followers } = world
  const endpoints = await subscribe(world, service.subscription)
  const subscriptions = () =>
    inDatabase<PushSubscriptionRow[]>(url, (db) => db.selectFrom('push_subscriptions').selectAll().execute())
  await world.publish()
  await world.killRepeatedly(() => service.pushed.length, 'push_subscriptions')
  await waitUntil(async () => (await subscriptions()).every(({ due_at }) => due_at === null))

  expect(new Set(service.pushed.map(({ endpoint }) => endpoint))).toEqual(new Set(endpoints))
  expect(await subscriptions()).toHaveLength(followers.length)
  expect(service.pushed.length).toBeLessThanOrEqual(FOLLOWERS + KILLS * AT_ONCE.pushes)
  await world.stop()
  await service.close()
}, 300_000)

/** Gives everyone a browser that gets pushes. Returns their addresses. */
async function subscribe(
  { client, url, followers }: { client: Client; url: string; followers: Follower[] },
  { endpoint, keys }: ReturnType<typeof openPushService>['subscription'],
): Promise<string[]> {
  await client.me.getPushKey()
  const now = Date.now()
  return changeDatabase(url, async (db) => {
    const { workspace_key } = await db.selectFrom('members').select('workspace_key').executeTakeFirstOrThrow()
    const endpoints: string[] = []
    for (const { key: author_key } of followers) {
      const owner = { workspace_key, author_key, created_at: now }
      const session = await db
        .insertInto('sessions')
        .values({
          ...{ ...owner, id: `ses_${author_key}`, hash: `hash ${author_key}`, name: 'Browser' },
          ...{ last_used_at: now, renewed_at: now, expires_at: now + 3_600_000 },
        })
        .returning('key')
        .executeTakeFirstOrThrow()
      endpoints.push(`${endpoint}/${author_key}`)
      const state = { pushed_revision: 0, attempts: 0, claimed_until: 0, due_at: null }
      await db
        .insertInto('push_subscriptions')
        .values({ ...owner, ...keys, ...state, session_key: session.key, endpoint: endpoints.at(-1)! })
        .execute()
    }
    return endpoints
  })
}
