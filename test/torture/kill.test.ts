import { afterAll, expect, test } from 'bun:test'
import { type Client, createClient } from '../../src/client'
import { recount } from '../../src/store/recount'
import { newDatabase } from '../server'
import { type Child, inDatabase, startChild, until } from './child'

const ROUNDS = Number(process.env.PARLEY_TORTURE_ROUNDS ?? 4)
const CONNECTIONS = 32

/** What the server said was done. */
interface Acknowledged {
  posts: string[]
  comments: string[]
  resolved: string[]
}

let child: Child | undefined
afterAll(() => child?.kill())

test('what was acknowledged is there after the process is killed at any moment', async () => {
  const database = await newDatabase()
  child = await startChild(database.url)
  const token = await child.firstToken()
  const done: Acknowledged = { posts: [], comments: [], resolved: [] }
  let acknowledged = 0

  for (let round = 0; round < ROUNDS; round++) {
    const client = createClient({ baseUrl: child.url, token })
    const channel = (await client.channels.list()).data[0]!
    const load = { isOver: false }
    const workers = Array.from({ length: CONNECTIONS }, (_, number) => work(client, channel.id, number, done, load))
    await until(() => size(done) > acknowledged)
    await Bun.sleep(Math.random() * 700)
    await child.kill()
    load.isOver = true
    await Promise.all(workers)

    acknowledged = size(done)
    child = await startChild(database.url)
    await until(child.isReady)
    await expectAllThere(database.url, done)
    const again = createClient({ baseUrl: child.url, token })
    expect((await again.posts.get({ id: done.posts.at(-1)! })).id).toBe(done.posts.at(-1)!)
  }
  await child.stop()
  await expectAllThere(database.url, done)
  await database.drop()
}, 600_000)

const size = ({ posts, comments, resolved }: Acknowledged) => posts.length + comments.length + resolved.length

/** One connection: writes one thing after the other until the server is gone. */
async function work(client: Client, channel_id: string, number: number, done: Acknowledged, load: { isOver: boolean }) {
  try {
    for (let turn = 0; !load.isOver; turn++) {
      const post = await client.posts.create({ channel_id, content_markdown: `Post ${number}.${turn}` })
      done.posts.push(post.id)
      const comment = await client.comments.create({ post_id: post.id, content_markdown: 'A comment' })
      done.comments.push(comment.id)
      if (turn % 2) continue
      await client.posts.resolve({ post_id: post.id, comment_id: comment.id })
      done.resolved.push(post.id)
    }
  } catch (error) {
    // The connection broke: nobody knows whether that one was done. An answer that refuses is a bug.
    expect(error).not.toHaveProperty('status')
  }
}

async function expectAllThere(url: string, done: Acknowledged) {
  const found = await inDatabase<{ wrong: string[]; posts: Row[]; comments: Row[]; events: Event[] }>(
    url,
    async (db) => ({
      wrong: await recount(db),
      posts: await db.selectFrom('posts').select(['id', 'resolved_at']).execute(),
      comments: await db.selectFrom('comments').select('id').execute(),
      events: await db.selectFrom('events').select(['type', 'data']).execute(),
    }),
  )
  expect(found.wrong).toEqual([])
  expect(missing(done.posts, found.posts)).toEqual([])
  expect(missing(done.comments, found.comments)).toEqual([])
  const resolved = found.posts.filter((post) => post.resolved_at !== null)
  expect(missing(done.resolved, resolved)).toEqual([])

  // Nothing was deleted or unresolved: there is an event for each thing that is there, and for nothing else.
  expect(idsOf(found.events, 'post.created')).toEqual(sorted(found.posts))
  expect(idsOf(found.events, 'comment.created')).toEqual(sorted(found.comments))
  expect(idsOf(found.events, 'post.resolved')).toEqual(sorted(resolved))
}

interface Row {
  id: string
  resolved_at?: number | null
}
interface Event {
  type: string
  data: string
}

function missing(ids: readonly string[], rows: readonly Row[]): string[] {
  const there = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !there.has(id))
}

const sorted = (rows: readonly Row[]) => rows.map(({ id }) => id).sort()

const idsOf = (events: readonly Event[], type: string) =>
  sorted(events.filter((event) => event.type === type).map(({ data }) => JSON.parse(data) as Row))
