import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Running } from '../../src/server'
import { runChecks } from '../../src/store/checks/consistency'
import { ownTime } from '../cpu-time'
import { startTestServer, statementsOf } from '../server'
import { type Person, type World, world } from '../world'
import { mention, publish } from './entries'

const [FEW, MANY] = [200, 20_000]
/** It was more than 30 times as long when each entry was changed or looked at. */
const MAX_RATIO = 6
const ROUNDS = 5

let server: Running
let cast: World
let secret: { id: string }
beforeAll(async () => {
  server = await startTestServer()
  cast = await world(server)
  const { root, ada, bob } = cast
  secret = await root.channels.create({ name: 'secret', private: true })
  for (const { id } of [ada, bob]) await root.channels.addMember({ channel_id: secret.id, member_id: id })
  await publish(root, secret, 'Plans', 'Hm')
  await cast.fillInboxes()
  for (const who of [ada, bob]) await who.reads.setAll()
  await addEntries(ada, FEW)
  await addEntries(bob, MANY)
  // One more, which they may always see.
  await publish(root, cast.general, 'Lunch', `${mention(ada)} ${mention(bob)}`)
  await cast.fillInboxes()
  // As autovacuum does after so many rows.
  if (server.parley.engine.kind === 'postgres') await run('ANALYZE')
})
afterAll(() => server.stop())

const run = (text: string) => server.parley.engine.write((db) => sql.raw(text).execute(db))

/** Unread entries about so many posts of the private channel. */
async function addEntries({ id }: Person, count: number) {
  const { rows } = await server.parley.engine.write((db) =>
    sql<{ name: string }>`SELECT * FROM posts LIMIT 1`
      .execute(db)
      .then(({ rows }) => ({ rows: Object.keys(rows[0]!) as never[] })),
  )
  // The database makes the times.
  const columns = (rows as string[]).filter((name) => name !== 'key' && !name.endsWith('_time'))
  const numbers = `WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < ${count})`
  const copied = columns.map((name) => (name === 'id' ? `'post_${id}_' || number` : `p.${name}`))
  await run(`INSERT INTO posts (${columns.join()}) ${numbers} SELECT ${copied.join()} FROM n
    JOIN posts p ON p.key = (SELECT min(q.key) FROM posts q JOIN channels c ON c.key = q.channel_key WHERE c.id = '${secret.id}')`)
  await run(`INSERT INTO inbox_entries (author_key, about, kind, subject_key, workspace_key, channel_key, id, revision, at, reason,
      actor_key, item_key)
    SELECT a.key, 'activity', 1, p.key, p.workspace_key, p.channel_key, 'inb_' || p.key, 1000000 + p.key, p.published_at, 'post',
      p.author_key, 0
    FROM posts p JOIN authors a ON a.id = '${id}' WHERE p.id LIKE 'post_${id}_%'`)
  await run(`UPDATE workspaces SET revision = 2000000 WHERE key = ${cast.workspaceKey}`)
  await run(`UPDATE inbox_positions SET revision = 2000000 WHERE workspace_key = ${cast.workspaceKey}`)
}

/** Does something for who has few entries and who has many, in turn, and compares the least times and numbers of statements. */
async function compare(work: (who: Person) => Promise<unknown>, restore: () => Promise<unknown> = async () => {}) {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const statements = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, who] of [cast.ada, cast.bob].entries()) {
      await restore()
      await cast.fillInboxes()
      await server.inboxFiller()!.whilePaused(async () => {
        statementsOf(server).length = 0
        const started = ownTime()
        await work(who)
        least[at] = Math.min(least[at]!, ownTime() - started)
        // A job may add some of its own.
        statements[at] = Math.min(statements[at]!, statementsOf(server).length)
      })
    }
  expect(statements[1]).toBe(statements[0]!)
  expect(least[1]! / least[0]!).toBeLessThan(MAX_RATIO)
}

const unread = () => run('UPDATE members SET read_revision = 0, inbox_revision = 0')

describe('the number of entries does not matter', () => {
  test('to mark everything as read', async () => {
    await compare(async (who) => {
      await who.reads.setAll()
      expect((await who.unread.get()).inbox_count).toBe(0)
    }, unread)
  }, 120_000)

  test('to mark the inbox as read', async () => {
    await compare(async (who) => {
      await who.inbox.readAll()
      expect((await who.inbox.list({ unread: true })).total_count).toBe(0)
    }, unread)
  }, 120_000)

  test('to mark a channel as read', async () => {
    await compare(
      async (who) => {
        await who.reads.set({ subject_id: secret.id })
        expect((await who.inbox.list({ unread: true })).data.map(({ subject }) => subject.title)).toEqual(['Lunch'])
      },
      async () => {
        await unread()
        await run('UPDATE read_positions SET revision = 0')
      },
    )
  }, 120_000)

  test('to list and count what is left when they are in a channel that one may no longer see', async () => {
    await unread()
    await run('UPDATE read_positions SET revision = 0')
    for (const { id } of [cast.ada, cast.bob])
      await cast.root.channels.removeMember({ channel_id: secret.id, member_id: id })
    await compare(async (who) => {
      for (const filter of [{}, { unread: true }, { about: ['mention' as const] }]) {
        const { data, total_count } = await who.inbox.list(filter)
        expect([data.map(({ subject }) => subject.title), total_count]).toEqual([['Lunch'], 1])
      }
      expect((await who.unread.get()).inbox_count).toBe(1)
      expect((await who.inbox.list({ archived: true })).data).toEqual([])
    })
  }, 120_000)
})

test('a deleted post leaves no rows, however many members have it in their inboxes', async () => {
  const { root, ada, general } = cast
  const times: number[] = []
  const tables = ['inbox_entries', 'follows', 'read_positions'] as const
  for (const count of [FEW, MANY]) {
    const post = await publish(root, general, 'Gone', mention(ada))
    await cast.fillInboxes()
    const rows = `WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < ${count})
      SELECT 1000000 + number AS author_key, 1 AS kind, p.key AS subject_key`
    const from = `FROM n JOIN posts p ON p.id = '${post.id}'`
    await run(`INSERT INTO inbox_entries (author_key, kind, subject_key, channel_key, about, workspace_key, id, revision, at, reason,
      actor_key, item_key) ${rows}, p.channel_key, 'activity', p.workspace_key, 'inb_gone_' || p.key || '_' || number, 1, 1, 'post', 0, 0 ${from}`)
    await run(`INSERT INTO follows (author_key, kind, subject_key, level) ${rows}, 2 ${from}`)
    await run(
      `INSERT INTO read_positions (author_key, kind, subject_key, channel_key, revision) ${rows}, p.channel_key, 1 ${from}`,
    )
    const { key } = await server.parley.engine.read((db) =>
      db.selectFrom('posts').where('id', '=', post.id).select('key').executeTakeFirstOrThrow(),
    )
    await server.inboxFiller()!.whilePaused(async () => {
      const started = ownTime()
      await root.posts.delete({ id: post.id })
      times.push(ownTime() - started)
      // At once for everyone, while rows are left.
      expect((await ada.inbox.list()).data.map(({ subject }) => subject.id)).not.toContain(post.id)
      const wrong = await server.parley.engine.read(runChecks)
      expect(wrong.filter((line) => /inbox_entries|follows|read_positions/.test(line))).toEqual([])
    })
    await server.inboxFiller()!.tick()
    for (const table of tables)
      expect(
        await server.parley.engine.read((db) =>
          db.selectFrom(table).where('subject_key', '=', key).where('kind', '=', 1).selectAll().execute(),
        ),
      ).toEqual([])
  }
  expect(times[1]! / times[0]!).toBeLessThan(MAX_RATIO)
  expect(await server.parley.engine.read((db) => db.selectFrom('removed_subjects').selectAll().execute())).toEqual([])
}, 120_000)
