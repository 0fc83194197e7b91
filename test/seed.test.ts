import { afterAll, describe, expect, test } from 'bun:test'
import { issueToken } from '../src/actions/tokens'
import { toHtml } from '../src/domain/markdown'
import { operatorOf } from '../src/domain/permissions'
import { type SeedOptions, seedWorkspace } from '../src/seed'
import type { Running } from '../src/server'
import { changeWorkspace } from '../src/store/changes/change'
import { runChecks } from '../src/store/checks/consistency'
import type { Reader } from '../src/store/engines/db'
import { findWorkspace, insertWorkspace } from '../src/store/people/workspaces'
import { createClient } from './client'
import { newMigratedDatabase, startTestServer } from './server'

const DAY = 86_400_000
const until = Date.parse('2026-11-01')
const small: SeedOptions = { posts: 1_200, channels: 20, members: 60, commentsEvery: 3, threads: 20, seed: 1, until }

const endings: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of endings) await end()
})

async function newHome() {
  const database = await newMigratedDatabase()
  const server = await startTestServer({ DATABASE_URL: database.url })
  endings.push(async () => {
    await server.stop()
    await database.drop()
  })
  return server
}

const home = (server: Running) => server.parley.engine.read(async (db) => (await findWorkspace(db, 'home'))!)
const read = <T>(server: Running, work: (db: Reader) => Promise<T>) => server.parley.engine.read(work)

async function seeded(wishes: Partial<SeedOptions> = {}) {
  const server = await newHome()
  const made = await seedWorkspace(server.parley, await home(server), { ...small, ...wishes })
  return { server, made }
}

/** All rows without their keys, which depend on the rows before them. */
const written = (server: Running) =>
  read(server, async (db) => ({
    posts: await db
      .selectFrom('posts')
      .innerJoin('post_activity', 'post_key', 'key')
      .where('published_at', '<', until)
      .select([
        'id',
        'title',
        'content',
        'markdown',
        'published_at',
        'last_activity_at',
        'resolved_at',
        'resolved_html',
      ])
      .orderBy('id')
      .execute(),
    comments: await db
      .selectFrom('comments')
      .where('created_at', '<=', until)
      .select(['id', 'markdown'])
      .orderBy('id')
      .execute(),
    messages: await db.selectFrom('messages').select(['id', 'markdown']).orderBy('id').execute(),
    members: await db
      .selectFrom('members')
      .where('created_at', '<', until)
      .select(['id', 'search_text', 'role'])
      .orderBy('id')
      .execute(),
    channels: await db
      .selectFrom('channels')
      .where('created_at', '<', until)
      .select(['id', 'name'])
      .orderBy('id')
      .execute(),
  }))

describe('seed', () => {
  test('the same seed gives the same content, another seed a different one', async () => {
    const [one, same, other] = [await seeded(), await seeded(), await seeded({ seed: 2 })]
    const text = await written(one.server)
    expect(text.posts).toHaveLength(small.posts)
    expect(await written(same.server)).toEqual(text)
    expect(await written(other.server)).not.toEqual(text)
  })

  test('all counters, copied columns and indexes are correct, also after a second run', async () => {
    const { server, made } = await seeded()
    expect(await read(server, runChecks)).toEqual([])
    const again = await seedWorkspace(server.parley, await home(server), small)
    expect(again.posts).toBe(made.posts)
    expect(await read(server, runChecks)).toEqual([])
    expect((await written(server)).posts).toHaveLength(2 * small.posts)
  })

  test('two workspaces in one database can have the same seed', async () => {
    const { server } = await seeded({ posts: 10, threads: 1 })
    const { parley } = server
    const second = await parley.engine.write(async (db) => {
      const row = { id: parley.newId('ws', until), slug: 'second', name: 'Second', created_at: until }
      return insertWorkspace(db, row)
    })
    await seedWorkspace(parley, second, { ...small, posts: 10, threads: 1 })
    expect(await read(server, runChecks)).toEqual([])
  })

  test('works for the smallest team', async () => {
    const { server } = await seeded({ posts: 40, members: 1, channels: 1, threads: 5, commentsEvery: 1 })
    expect(await read(server, runChecks)).toEqual([])
  })

  test('members and viewers are in the default channel, and guests are not', async () => {
    const { server } = await seeded({ posts: 10, threads: 1 })
    const roles = await read(server, (db) =>
      db
        .selectFrom('channels')
        .innerJoin('channel_members', 'channel_members.channel_key', 'channels.key')
        .innerJoin('members', 'members.author_key', 'channel_members.author_key')
        .where('channels.is_default', '=', true)
        .select('members.role')
        .execute(),
    )
    const all = await read(server, (db) => db.selectFrom('members').select('role').execute())
    const expected = all.map(({ role }) => role).filter((role) => role !== 'guest')
    expect(roles.map(({ role }) => role).toSorted()).toEqual(expected.toSorted())
  })

  test('content is exactly what its Markdown renders to', async () => {
    const { server } = await seeded()
    const { posts } = await written(server)
    for (const { markdown, content } of posts.slice(0, 400)) expect(content).toBe(toHtml(markdown))
    const rest = await read(server, async (db) => [
      ...(await db.selectFrom('comments').select(['markdown', 'content']).limit(200).execute()),
      ...(await db.selectFrom('messages').select(['markdown', 'content']).limit(200).execute()),
    ])
    for (const { markdown, content } of rest) expect(content).toBe(toHtml(markdown))
  })

  test('the content looks like that of a real team', async () => {
    const { server, made } = await seeded()
    const { posts, members, channels } = await written(server)
    const share = (count: number) => count / posts.length
    const average = posts.reduce((sum, post) => sum + post.markdown.length, 0) / posts.length
    expect(average).toBeGreaterThan(280)
    expect(average).toBeLessThan(380)
    expect(share(new Set(posts.map((post) => post.markdown)).size)).toBeGreaterThan(0.8)
    expect(share(posts.filter((post) => post.resolved_at !== null).length)).toBeWithin(0.25, 0.42)
    for (const markup of ['## ', '\n- ', '```', '| --- |', '](https://', '> '])
      expect(posts.some((post) => post.markdown.includes(markup))).toBeTrue()

    const times = posts.map((post) => new Date(post.published_at))
    expect(Math.max(...times.map(Number)) - Math.min(...times.map(Number))).toBeGreaterThan(700 * DAY)
    expect(share(times.filter((time) => time.getUTCDay() % 6 === 0).length)).toBeLessThan(0.1)
    expect(share(times.filter((time) => time.getUTCHours() >= 8 && time.getUTCHours() < 18).length)).toBeGreaterThan(
      0.8,
    )

    expect(new Set(members.map(({ role }) => role))).toEqual(new Set(['admin', 'member', 'viewer', 'guest']))
    expect(channels).toHaveLength(20)
    expect(made.comments).toBeGreaterThan(small.posts / 3)
    const odd = await read(server, async (db) => ({
      early: await db
        .selectFrom('posts as p')
        .innerJoin('members as m', 'm.author_key', 'p.author_key')
        .whereRef('p.published_at', '<', 'm.created_at')
        .select('p.id')
        .execute(),
      byViewers: await db
        .selectFrom('posts as p')
        .innerJoin('members as m', 'm.author_key', 'p.author_key')
        .where('m.role', '=', 'viewer')
        .select('p.id')
        .execute(),
      private: await db.selectFrom('channels').where('is_private', '=', true).select('id').execute(),
      left: await db.selectFrom('members').where('is_deactivated', '=', true).select('id').execute(),
    }))
    expect(odd.early).toEqual([])
    expect(odd.byViewers).toEqual([])
    expect(odd.private.length).toBeWithin(1, 10)
    expect(odd.left.length).toBeWithin(1, 15)
  })

  test('each batch is one event, and the log has no gaps', async () => {
    const { server } = await seeded({ posts: 6_000, threads: 0 })
    const events = await read(server, (db) =>
      db
        .selectFrom('events')
        .where('type', '=', 'workspace.seeded')
        .select(['revision', 'data'])
        .orderBy('revision')
        .execute(),
    )
    expect(events.map(({ data }) => Object.keys(JSON.parse(data)).join())).toEqual([
      'members',
      '',
      'channels',
      'posts,comments',
      'posts,comments',
    ])
    expect(events.at(-1)!.revision - events[0]!.revision).toBe(events.length - 1)
  })

  test('the API serves it', async () => {
    const { server } = await seeded()
    const client = await clientOf(server)
    const first = await client.posts.list({ limit: 50 })
    expect(first.data).toHaveLength(50)
    expect(first.total_count).toBeGreaterThan(700)
    const next = await client.posts.list({ after: first.next_cursor! })
    expect(next.data).toHaveLength(50)
    const talked = [...first.data, ...next.data].find((post) => post.comments_count > 0)!
    const comments = await client.comments.list({ post_id: talked.id })
    expect(comments.total_count).toBe(talked.comments_count)
    expect((await client.posts.get({ id: talked.id })).title).toBe(talked.title)
    expect((await client.members.list({ q: 'example.com' })).total_count).toBeGreaterThanOrEqual(small.members)
    const threads = await client.threads.list({})
    const messages = await client.messages.list({ thread_id: threads.data[0]!.id })
    expect(messages.total_count).toBeGreaterThan(0)
  })
})

/** A client of the existing admin. */
async function clientOf(server: Running) {
  const { parley } = server
  const workspace = await home(server)
  const token = await parley.engine.write((db) =>
    changeWorkspace(parley, db, operatorOf(workspace), async (context) => {
      const admin = await db
        .selectFrom('authors as a')
        .innerJoin('members as m', 'm.author_key', 'a.key')
        .innerJoin('users as u', 'u.key', 'm.user_key')
        .where('u.email', '=', 'admin@example.com')
        .select(['a.key', 'a.id'])
        .executeTakeFirstOrThrow()
      return (await issueToken(context, admin, { scopes: ['admin'] })).token
    }),
  )
  return createClient({ baseUrl: server.url, token })
}
