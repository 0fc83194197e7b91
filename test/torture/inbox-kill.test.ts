import { afterAll, expect, test } from 'bun:test'
import { listLaggingInboxes } from '../../src/store/attention/inbox-events'
import { insertRows } from '../../src/store/engines/bulk'
import type { Reader, Writer } from '../../src/store/engines/db'
import { openEngine } from '../../src/store/open'
import { type Client, createClient } from '../client'
import { findFaults } from '../consistency'
import { addFollowers, type Follower } from '../inbox/followers'
import { newRandom } from '../random-writes'
import { newMigratedDatabase } from '../server'
import { type Child, startChild, waitUntil } from './child'

/** Three batches for each post. */
const FOLLOWERS = 600
const POSTS_PER_ROUND = 3
const ROUNDS = process.env.PARLEY_TORTURE === 'long' ? 40 : 2

let child: Child | undefined
afterAll(() => child?.kill())

test('everyone is told of everything once, if the process is killed while it fills inboxes or reminds', async () => {
  const random = newRandom(12)
  const database = await newMigratedDatabase()
  child = await startChild(database.url)
  const token = await child.firstToken()
  await waitUntil(child.isReady)
  const root = createClient({ baseUrl: child.url, token })
  const channel = await root.channels.create({ name: 'news' })
  await root.follows.set({ subject_id: channel.id, level: 'all' })
  const { id } = await root.apps.create({ name: 'Reporter' })
  const reporter = await root.apps.createToken({ id, scopes: ['write'] })
  const engine = openEngine(database.url, {})
  const followers = await engine.write((db) => addFollowers(db, channel.id, FOLLOWERS))

  for (let round = 0; round < ROUNDS; round++) {
    const enough = FOLLOWERS * POSTS_PER_ROUND * round + random.below(FOLLOWERS * POSTS_PER_ROUND)
    await publish(createClient({ baseUrl: child.url, token: reporter.token }), channel.id)
    while ((await engine.read(countEntries)) < enough);
    await child.kill()
    child = await startChild(database.url)
    await waitUntil(child.isReady)
    await waitUntil(async () => (await engine.read(listLaggingInboxes)).length === 0)
  }
  const posts = ROUNDS * POSTS_PER_ROUND
  await engine.read((db) => expectToldOnce(db, followers, posts))

  const { revision } = await engine.read(findRevision)
  await engine.write((db) => remindOf(db, channel.id, followers))
  while ((await engine.read(countReminders)) === FOLLOWERS);
  await child.kill()
  child = await startChild(database.url)
  await waitUntil(child.isReady)
  await waitUntil(async () => (await engine.read(countReminders)) === 0)
  await engine.read((db) => expectRemindedOnce(db, followers, revision))

  const again = createClient({ baseUrl: child.url, token })
  expect([(await again.inbox.list()).total_count, (await again.unread.get()).inbox_count]).toEqual([posts, posts])
  await child.stop()
  expect(await engine.snapshot(findFaults)).toEqual([])
  await engine.close()
  await database.drop()
}, 600_000)

/** Has all followers reminded of a post. */
async function remindOf(db: Writer, channelId: string, followers: readonly Follower[]) {
  const post = await db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('c.id', '=', channelId)
    .select(['p.key as post_key', 'p.id as post_id', 'p.workspace_key'])
    .executeTakeFirstOrThrow()
  const saved = followers.map(({ key }) => ({ ...post, author_key: key, saved_at: 1, remind_at: 1 }))
  await insertRows(db, 'saved_posts', saved)
}

const findRevision = (db: Reader) => db.selectFrom('workspaces').select('revision').executeTakeFirstOrThrow()

const countReminders = async (db: Reader): Promise<number> =>
  (await db.selectFrom('saved_posts').where('remind_at', 'is not', null).select('post_key').execute()).length

/** Expects each follower to have one entry that is a reminder, and to be told of one by one event of each kind. */
async function expectRemindedOnce(db: Reader, followers: readonly Follower[], revision: number) {
  const once = followers.map(({ key }): [number, number] => [key, 1])
  const entries = await db.selectFrom('inbox_entries').where('about', '=', 'reminder').select('author_key').execute()
  expect(countEach(entries.map(({ author_key }) => author_key))).toEqual(once)
  for (const type of ['inbox.updated', 'saved.updated']) {
    const events = db.selectFrom('events').where('type', '=', type).where('revision', '>', revision)
    const recipients = await events.select('recipients').execute()
    expect(countEach(recipients.flatMap((event) => recipientsIn(event.recipients)))).toEqual(once)
  }
}

const publish = (client: Client, channel_id: string) =>
  Promise.all(
    Array.from({ length: POSTS_PER_ROUND }, () => client.posts.create({ channel_id, content_markdown: 'News' })),
  )

async function countEntries(db: Reader): Promise<number> {
  const entries = db.selectFrom('inbox_entries')
  const { count } = await entries.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

/** Expects each follower to have one unread entry for each post, and to be named by one event about each. */
async function expectToldOnce(db: Reader, followers: readonly Follower[], posts: number) {
  const expected = followers.map(({ key }): [number, number] => [key, posts])
  const keys = new Set(followers.map(({ key }) => key))
  const entries = await db
    .selectFrom('inbox_entries')
    .where('is_read', '=', false)
    .where('about', '=', 'activity')
    .select('author_key')
    .execute()
  expect(countEach(entries.map(({ author_key }) => author_key).filter((key) => keys.has(key)))).toEqual(expected)

  const events = await db
    .selectFrom('events')
    .where('type', '=', 'inbox.updated')
    .select(['data', 'recipients'])
    .execute()
  const named = events.flatMap(({ data, recipients }) =>
    recipientsIn(recipients).map((key) => ({ key, subject: (JSON.parse(data) as { subject_id: string }).subject_id })),
  )
  const ofFollowers = named.filter(({ key }) => keys.has(key))
  expect(countEach(ofFollowers.map(({ key }) => key))).toEqual(expected)
  expect(new Set(ofFollowers.map(({ key, subject }) => `${key} ${subject}`)).size).toBe(followers.length * posts)
}

const recipientsIn = (text: string) => text.split(',').filter(Boolean).map(Number)

/** How often each key occurs, by key. */
function countEach(keys: readonly number[]): [number, number][] {
  const counts = new Map<number, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a - b)
}
