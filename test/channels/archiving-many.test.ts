import { expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from 'kysely'
import { runChecks } from '../../src/store/checks/consistency'
import { lockWorkspace } from '../../src/store/people/workspaces'
import { runSql } from '../replication'
import { engineUnderTest, newMigratedDatabase, startTestServer } from '../server'
import { type World, world } from '../world'

setDefaultTimeout(300_000)

/** Adds copies of a post, with a text of usual length. */
async function addPosts({ ada, server }: World, channelId: string, count: number) {
  const post = await ada.posts.create({ channel_id: channelId, content_markdown: 'Some words. '.repeat(50) })
  // Writing has joined it.
  await ada.channels.leave({ channel_id: channelId })
  await server.parley.engine.write(async (db) => {
    const { key, channel_key } = await db
      .selectFrom('posts')
      .where('id', '=', post.id)
      .select(['key', 'channel_key'])
      .executeTakeFirstOrThrow()
    await sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO posts (id, workspace_key, channel_key, author_key, published_at, is_listed, title, content, markdown)
      SELECT 'post_' || ${key} || '_' || i, workspace_key, channel_key, author_key, published_at - i / 3, is_listed, title,
        content, markdown FROM n, posts WHERE key = ${key}`.execute(db)
    await sql`INSERT INTO post_activity (post_key, post_id, workspace_key, channel_key, author_key, is_listed, last_activity_at,
        activity_revision, own_revision)
      SELECT p.key, p.id, p.workspace_key, p.channel_key, p.author_key, p.is_listed, p.published_at - p.key % 100,
        n.activity_revision, n.own_revision FROM posts AS p, post_activity AS n
      WHERE n.post_key = ${key} AND p.id LIKE ${`post_${key}_%`} ESCAPE '\\'`.execute(db)
    await sql`UPDATE channels SET posts_count = posts_count + ${count} WHERE key = ${channel_key}`.execute(db)
    await sql`UPDATE author_posts SET posts_count = posts_count + ${count} WHERE channel_key = ${channel_key}`.execute(
      db,
    )
  })
}

test('archiving and restoring a channel with many posts holds up nobody', async () => {
  const server = await startTestServer()
  const here = await world(server)
  const { ada, root, general } = here
  const big = await root.channels.create({ name: 'big' })
  await addPosts(here, big.id, 4_000)
  const other = await ada.posts.create({ channel_id: general.id, content_markdown: 'Elsewhere' })
  /** How many posts are not listed as their channel is yet. */
  const left = () =>
    server.parley.engine.read(async (db) => {
      const { count } = await db
        .selectFrom('posts as p')
        .innerJoin('channels as c', 'c.key', 'p.channel_key')
        .whereRef('p.is_listed', '<>', 'c.is_listed')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    })
  const listed = async () => (await ada.posts.list({ limit: 2 })).total_count

  // A request changes a part of the posts, which takes some twenty milliseconds; the job does the rest, a part at a time.
  await root.channels.update({ id: big.id, archived: true })
  expect(await left()).toBeGreaterThan(0)
  // At once, although most posts are still to be changed.
  const page = await ada.posts.list({ limit: 2 })
  expect([page.total_count, page.data.map(({ id }) => id)]).toEqual([1, [other.id]])
  await server.relisting()!.tick()
  expect(await listed()).toBe(1)

  await root.channels.update({ id: big.id, archived: false })
  expect(await listed()).toBe(4_002)
  await server.relisting()!.tick()
  expect(await listed()).toBe(4_002)
})

test('a list is the same while the posts of a channel are being listed, and afterwards', async () => {
  const server = await startTestServer()
  const here = await world(server)
  const { ada, gus, root, general } = here
  const big = await root.channels.create({ name: 'big' })
  await addPosts(here, big.id, 1_200)
  await addPosts(here, general.id, 300)
  const ids = async () => {
    const found: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await ada.posts.list({ limit: 50, ...(after && { after }) })
      found.push(...page.data.map(({ id }) => id))
      if (!page.next_cursor) return found
      after = page.next_cursor
    }
  }
  // The copies above are not quite posts otherwise.
  const wronglyListed = async () =>
    (await server.parley.engine.read(runChecks)).filter((fault) => fault.includes('listed'))
  const all = await ids()
  expect(new Set(all).size).toBe(1_502)
  for (const change of [{ archived: true }, { archived: false }, { private: true }, { private: false }]) {
    await root.channels.update({ id: big.id, ...change })
    const during = await ids()
    // What is written meanwhile is there, and neither twice.
    const isOpen = change.archived === false || change.private === false
    expect(during).toHaveLength(isOpen ? all.length : 301)
    expect(await wronglyListed()).toEqual([])
    await server.relisting()!.tick()
    expect(await ids()).toEqual(during)
    expect(await wronglyListed()).toEqual([])
    expect((await gus.posts.list({})).total_count).toBe(0)
  }
  // Back and forth without a pause.
  await root.channels.update({ id: big.id, archived: true })
  await root.channels.update({ id: big.id, archived: false })
  expect(await ids()).toEqual(all)
  await server.relisting()!.tick()
  expect(await ids()).toEqual(all)
  expect(await wronglyListed()).toEqual([])
})

test('a write to a post and its channel does not wait for the posts of the channel to be changed', async () => {
  const { url } = await newMigratedDatabase()
  // How long two wait for each other before PostgreSQL ends one: much longer than a statement takes on a busy machine.
  if (engineUnderTest === 'postgres')
    await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '20s'`)
  const server = await startTestServer({ DATABASE_URL: url })
  const here = await world(server)
  const { ada, root } = here
  const big = await root.channels.create({ name: 'big' })
  await addPosts(here, big.id, 3_000)
  const { engine } = server.parley
  await root.channels.update({ id: big.id, private: true })
  const first = await engine.read((db) =>
    db
      .selectFrom('posts as p')
      .innerJoin('channels as c', 'c.key', 'p.channel_key')
      .where('c.id', '=', big.id)
      .where('p.is_listed', '=', true)
      .select(['p.key', 'p.workspace_key', 'p.channel_key'])
      .orderBy('p.published_at')
      .executeTakeFirstOrThrow(),
  )
  let tries = 0
  let waited = 0
  let relisting: Promise<void> | undefined
  // What resolving a post does, with a pause in the middle.
  await engine.write(async (db) => {
    tries += 1
    await lockWorkspace(db, first.workspace_key)
    await db.updateTable('posts').set({ resolved_via: null }).where('key', '=', first.key).execute()
    relisting ??= server.relisting()!.tick()
    await Bun.sleep(400)
    const started = performance.now()
    await db.updateTable('channels').set({ updated_at: 1 }).where('key', '=', first.channel_key).execute()
    waited = performance.now() - started
  })
  await relisting
  expect(tries).toBe(1)
  expect(waited).toBeLessThan(10_000)
  expect((await ada.posts.list({ limit: 2 })).total_count).toBe(0)
})
