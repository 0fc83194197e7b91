import { afterAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openLog } from '../../src/log'
import { rebuildSearchIndex } from '../../src/operations/database'
import { seedWorkspace } from '../../src/seed'
import { openEngine } from '../../src/store/open'
import { listWorkspaces } from '../../src/store/people/workspaces'
import { continueBuild, restartBuild } from '../../src/store/search/build'
import { removeDocuments } from '../../src/store/search/documents'
import { expectConsistent, findInconsistencies } from '../consistency'
import { engineUnderTest, newMigratedDatabase, startTestServer, time } from '../server'
import { waitUntil } from '../torture/child'
import { world } from '../world'

const HOUR_MS = 3_600_000
const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

/** A server whose index is maintained by nobody but the test. */
async function startWithoutJob() {
  const database = await newMigratedDatabase()
  const server = await startTestServer({ DATABASE_URL: database.url })
  endings.push(database.drop, server.stop)
  await server.searchIndexing()!.close()
  return { database, server, cast: await world(server) }
}

test('records that are older than the index are found once a server has indexed them', async () => {
  const { database, server, cast } = await startWithoutJob()
  const { ada, general } = cast
  for (let number = 0; number < 120; number++)
    await ada.posts.create({ channel_id: general.id, content_markdown: `zebra ${number}` })
  await server.parley.engine.writeAlone(restartBuild)
  const search = () => ada.search.list({ q: 'zebra', limit: 1 })
  expect(await search()).toMatchObject({ total_count: 0, is_incomplete: true })
  const added = await ada.posts.create({ channel_id: general.id, content_markdown: 'zebra, later' })
  expect((await search()).data).toMatchObject([{ post: { id: added.id } }])

  const lines: string[] = []
  const log = openLog({ level: 'info', format: 'json', write: (text) => void lines.push(text) })
  const other = await startTestServer({ DATABASE_URL: database.url }, { log })
  endings.push(other.stop)
  await waitUntil(async () => !(await search()).is_incomplete)
  expect(await search()).toMatchObject({ total_count: 121, is_incomplete: false })
  await waitUntil(async () => lines.join('').includes('The search index is complete'))
  expect(lines.join('')).toMatch(/"Indexing records for search","remaining":\d+/)
  expect(await (await fetch(`${other.url}/metrics`)).text()).toContain('parley_search_records_waiting 0')
  await expectConsistent(server)
}, 300_000)

test('a build reaches all records, although one is written meanwhile by a clock that is behind', async () => {
  const { server, cast } = await startWithoutJob()
  const { ada, general } = cast
  for (let number = 0; number < 250; number++)
    await ada.posts.create({ channel_id: general.id, content_markdown: `zebra ${number}` })
  const { engine } = server.parley
  await engine.writeAlone(restartBuild)
  time.advance(-HOUR_MS)
  await ada.posts.create({ channel_id: general.id, content_markdown: 'zebra, an hour before' })
  time.advance(HOUR_MS)
  while (!(await engine.writeAlone(continueBuild)).isBuilt);
  await expectConsistent(server)
  expect((await ada.search.list({ q: 'zebra' })).total_count).toBe(251)
}, 300_000)

test.if(engineUnderTest === 'postgres')(
  'the last steps of a build read as much of the queue as the first',
  async () => {
    const { database, server } = await startWithoutJob()
    const { parley } = server
    const workspace = (await parley.engine.read((db) => listWorkspaces(db)))[0]!
    const plan = { posts: 800, channels: 2, members: 2, commentsEvery: 1, threads: 0, seed: 1, until: parley.clock() }
    await seedWorkspace(parley, workspace, plan)
    const engine = openEngine(database.url, { poolSize: 1 })
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    endings.push(() => engine.close())
    endings.push(() => client.end())
    await client.query('ALTER TABLE search_queue SET (autovacuum_enabled = off)')
    const isQueueing = async () => {
      const { rowCount } = await client.query(
        'SELECT 1 FROM search_state WHERE next_post > 0 OR next_comment > 0 OR next_message > 0',
      )
      return rowCount === 1
    }
    /** Pages of the index of the queue that statements have looked at. */
    const pagesRead = async () => {
      await engine.writeAlone((db) => sql`SELECT pg_stat_force_next_flush()`.execute(db))
      const { rows } = await client.query(
        `SELECT idx_blks_hit + idx_blks_read AS pages FROM pg_statio_user_indexes WHERE indexrelname = 'search_queue_pkey'`,
      )
      return Number(rows[0].pages)
    }
    await engine.writeAlone(restartBuild)
    while (await isQueueing()) await engine.writeAlone(continueBuild)
    const pages: number[] = []
    for (let isBuilt = false; !isBuilt; ) {
      const before = await pagesRead()
      isBuilt = (await engine.writeAlone(continueBuild)).isBuilt
      pages.push((await pagesRead()) - before)
    }
    expect(pages.length).toBeGreaterThan(30)
    // The very last one looks through the whole index, whether anything is left.
    expect(Math.max(...pages.slice(-11, -1))).toBeLessThanOrEqual(Math.max(...pages.slice(0, 10)) + 2)
    await expectConsistent(server)
  },
  300_000,
)

test('a build that is interrupted goes on where it was, whatever was written meanwhile', async () => {
  const { server, cast } = await startWithoutJob()
  const { ada, general } = cast
  const posts = []
  for (let number = 0; number < 250; number++)
    posts.push(await ada.posts.create({ channel_id: general.id, content_markdown: `zebra ${number}` }))
  const { engine } = server.parley
  await engine.writeAlone(restartBuild)
  const interrupted = new Error('interrupted')
  for (let step = 0, isBuilt = false; !isBuilt; step++) {
    const fails = engine.writeAlone(async (db) => {
      await continueBuild(db)
      throw interrupted
    })
    expect(await fails.catch((error) => error)).toBe(interrupted)
    await ada.posts.update({ id: posts[step]!.id, content_markdown: 'a giraffe' })
    await ada.posts.delete({ id: posts.at(-1 - step)!.id })
    isBuilt = (await engine.writeAlone(continueBuild)).isBuilt
    await expectConsistent(server)
  }
  // The titles, which come from the first text, are still there.
  const { total_count: edited } = await ada.search.list({ q: 'giraffe' })
  expect(edited).toBeGreaterThan(1)
  expect((await ada.search.list({ q: 'zebra' })).total_count).toBe(250 - edited)
}, 300_000)

const GONE_KEY = 1_000_000

test('an index that lacks a record, or has one too many, is reported, and repaired by a new one', async () => {
  const { server, cast } = await startWithoutJob()
  const { ada, general } = cast
  const [lost, gone] = [
    await ada.posts.create({ channel_id: general.id, content_markdown: 'zebra' }),
    await ada.posts.create({ channel_id: general.id, content_markdown: 'giraffe' }),
  ]
  await server.parley.engine.write(async (db) => {
    const keyOf = async (id: string) =>
      (await db.selectFrom('posts').where('id', '=', id).select('key').executeTakeFirstOrThrow()).key
    await removeDocuments(db, 'post', [await keyOf(lost.id)])
    await db
      .updateTable('search_documents')
      .set({ record_key: GONE_KEY })
      .where('record_key', '=', await keyOf(gone.id))
      .where('type', '=', 1)
      .execute()
  })
  expect(await findInconsistencies(server)).toEqual([
    `${lost.id} is not in the search index.`,
    `${gone.id} is not in the search index.`,
    `The search index holds post ${GONE_KEY}, which does not exist.`,
  ])
  await rebuildSearchIndex(server.parley)
  await expectConsistent(server)
  expect((await ada.search.list({ q: 'zebra' })).total_count).toBe(1)
}, 300_000)
