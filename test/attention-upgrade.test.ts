import { expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { entryIsUnread, joinPosition, readUpTo } from '../src/store/attention/reads'
import type { Db } from '../src/store/engines/db'
import { openEngine } from '../src/store/open'
import * as migration from '../src/store/schema/migrations/029-attention'
import { newRandom } from './random-writes'
import { newMigratedDatabase, startTestServer } from './server'
import { world } from './world'

const SUBJECTS = 700
const [POST, THREAD, CHANNEL] = [1, 2, 3]
const CHANNELS = 5

/** The table as 0.2.0 has it, in place of the three that follow it. */
async function goBack(db: Db, int: string) {
  const run = (text: string) => sql.raw(text).execute(db)
  for (const table of ['read_positions', 'follows', 'inbox_entries', 'removed_subjects'])
    await run(`DROP TABLE ${table}`)
  await run('ALTER TABLE members DROP COLUMN inbox_revision')
  await run('ALTER TABLE events RENAME COLUMN named TO mentioned')
  await run('DROP INDEX push_subscriptions_of_endpoint')
  await run(`CREATE TABLE attention (author_key ${int} not null, subject_type ${int} not null, subject_key ${int} not null,
    workspace_key ${int} not null, channel_key ${int} not null,
    read_revision ${int} not null default 0, is_marked_unread ${int} not null default 0,
    level ${int}, is_level_chosen ${int} not null default 0,
    entry_id text, entry_revision ${int}, entry_at ${int}, reason text, actor_key ${int}, item_key ${int},
    read_at ${int}, archived_at ${int}, before_reactions text, primary key (author_key, subject_type, subject_key))`)
}

const REASONS = ['mention', 'reply', 'comment', 'post', 'resolved', 'reopened', 'message', 'added', 'reminder']

/** Rows in every state, of posts, threads and channels. */
function rowsOf(author_key: number, workspace_key: number, seed: number) {
  const random = newRandom(seed)
  const chance = (one: number) => random.below(one) === 0
  const shown = (revision: number) => ({
    reason: random.pick(REASONS),
    actor_key: random.below(3),
    item_key: random.below(4) - 1,
    entry_revision: revision,
    entry_at: 1_700_000_000_000 + revision,
    read_at: chance(2) ? 5 : null,
    archived_at: chance(3) ? 7 : null,
  })
  return Array.from({ length: SUBJECTS }, (_, at) => {
    const subject_type = at < CHANNELS ? CHANNEL : chance(3) ? THREAD : POST
    const subject_key = at + 1
    const channel_key =
      subject_type === THREAD ? 0 : subject_type === CHANNEL ? subject_key : 1 + random.below(CHANNELS)
    const position = chance(2) ? {} : { read_revision: random.below(1_000), is_marked_unread: Number(chance(3)) }
    const follow = chance(2) ? {} : { level: random.below(3), is_level_chosen: Number(chance(2)) }
    const before = chance(4) ? [null, shown(3 * at)] : [shown(3 * at)]
    const reaction = { ...shown(3 * at + 2), reason: 'reaction', read_at: 9 }
    const earlier = { ...reaction, item_key: 4, entry_revision: 3 * at + 1 }
    const entry = chance(4)
      ? {}
      : subject_type !== CHANNEL && chance(3)
        ? { ...reaction, before_reactions: JSON.stringify(chance(2) ? before : [...before, earlier]) }
        : shown(3 * at + 2)
    const id = 'reason' in entry ? { entry_id: `inb_${author_key}_${at}` } : {}
    return {
      author_key,
      subject_type,
      subject_key,
      workspace_key,
      channel_key,
      ...position,
      ...follow,
      ...id,
      ...entry,
    }
  })
}

type OldRow = ReturnType<typeof rowsOf>[number] & {
  item_key?: number
  before_reactions?: string
  entry_id?: string
  reason?: string
}

/** What the old rows say, by the rules of 0.2.0. */
async function readOld(db: Db) {
  const mine = 'coalesce(a.read_revision, 0)'
  const ofChannel = 'coalesce(place.read_revision, 0)'
  const { rows } = await sql
    .raw<{ name: string; position: number; level: number | null; chosen: number }>(
      `SELECT a.author_key || ' ' || a.subject_type || ' ' || a.subject_key AS name, a.level, a.is_level_chosen AS chosen,
        CASE WHEN a.is_marked_unread = 1 OR (${mine} >= ${ofChannel} AND ${mine} >= m.read_revision) THEN ${mine}
          WHEN ${ofChannel} >= m.read_revision THEN ${ofChannel} ELSE m.read_revision END AS position
      FROM attention a JOIN members m ON m.author_key = a.author_key LEFT JOIN attention place ON place.author_key = a.author_key
        AND place.subject_type = 3 AND place.subject_key = a.channel_key ORDER BY 1`,
    )
    .execute(db)
  return rows.map((row) => ({ ...row, position: Number(row.position) }))
}

test('what members have read, follow and have in their inbox stays the same', async () => {
  const { url, drop } = await newMigratedDatabase()
  const server = await startTestServer({ DATABASE_URL: url })
  const { ada, bob, workspaceKey } = await world(server)
  await server.stop()
  const engine = openEngine(url)
  await engine
    .migrate(async (db) => {
      await goBack(db, engine.syntax.int)
      const people = await db.selectFrom('authors').where('id', 'in', [ada.id, bob.id]).select('key').execute()
      const old = people.flatMap(({ key }, at) => rowsOf(key, workspaceKey, 7 + at)) as OldRow[]
      for (const { key } of people)
        await db.updateTable('members').set({ read_revision: 300 }).where('author_key', '=', key).execute()
      for (const row of old)
        await db
          .insertInto('attention' as 'follows')
          .values(row as never)
          .execute()
      const before = await readOld(db)
      const reported: number[] = []
      await migration.up(db as unknown as Kysely<never>, engine.syntax, () => ({
        report: (done) => reported.push(done),
        end() {},
      }))
      expect(reported.at(-1)).toBe(old.length)

      // Positions and levels.
      const pairs = sql.raw(
        old.map((row) => `(${row.author_key}, ${row.subject_type}, ${row.subject_key}, ${row.channel_key})`).join(),
      )
      const { rows: positions } = await sql<
        (typeof before)[number]
      >`WITH s (author_key, kind, subject_key, channel_key) AS (VALUES ${pairs})
      SELECT s.author_key || ' ' || s.kind || ' ' || s.subject_key AS name, f.level, coalesce(f.is_chosen, 0) AS chosen,
        ${readUpTo('own', 'place', 'm')} AS position
      FROM s JOIN members AS m ON m.author_key = s.author_key
      LEFT JOIN read_positions AS own ON own.kind = s.kind AND own.subject_key = s.subject_key AND own.author_key = s.author_key
      LEFT JOIN follows AS f ON f.kind = s.kind AND f.subject_key = s.subject_key AND f.author_key = s.author_key
      ${joinPosition('place', 'channel', 's.channel_key', 's.author_key')} ORDER BY 1`.execute(db)
      expect(positions.map((row) => ({ ...row, position: Number(row.position) }))).toEqual(
        before.map((row) => (row.level === null ? { ...row, chosen: 0 } : row)),
      )

      // Entries: which there are, unread and archived, and the state before reactions beside these.
      const { rows: entries } = await sql<
        Record<string, unknown>
      >`SELECT e.author_key, e.kind, e.subject_key, e.reason, e.revision,
        e.at, e.actor_key, e.item_key, e.archived_at, e.id, CASE WHEN ${entryIsUnread('e', 'place', 'm')} THEN 1 ELSE 0 END AS unread
      FROM inbox_entries AS e JOIN members AS m ON m.author_key = e.author_key
      ${joinPosition('place', 'channel', 'e.channel_key', 'e.author_key')} ORDER BY e.author_key, e.revision`.execute(
        db,
      )
      const expected = old.flatMap((row) => toExpected(row))
      expect(entries.map(({ id: _, ...entry }) => plain(entry))).toEqual(expected.map(({ id: _, ...entry }) => entry))
      for (const [at, { id }] of entries.entries())
        expect(id).toEqual(expected[at]!.id ?? expect.stringMatching(/^inb_\w{26}$/))
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
      throw new Done()
    })
    .catch((error) => {
      if (!(error instanceof Done)) throw error
    })
  await engine.close()
  await drop()
})

class Done extends Error {}

const plain = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && name !== 'reason' ? Number(value) : value,
    ]),
  )

/** The newest comes last, and keeps the id. */
function toExpected(row: OldRow) {
  if (!row.entry_id) return []
  const history = JSON.parse(row.before_reactions ?? '[]') as (OldRow | null)[]
  const states = new Map<string, ReturnType<typeof toEntry>>()
  const toEntry = (shown: OldRow, id?: string) => {
    const { reason, entry_revision, entry_at, actor_key, item_key, read_at, archived_at } = shown as never as Record<
      string,
      number
    >
    return {
      author_key: row.author_key,
      kind: row.subject_type,
      subject_key: row.subject_key,
      ...{
        reason,
        revision: entry_revision,
        at: entry_at,
        actor_key,
        item_key,
        archived_at,
        id,
        unread: Number(read_at === null),
      },
    }
  }
  for (const shown of history) if (shown) states.set(`${shown.reason} ${shown.item_key}`, toEntry(shown))
  states.delete(`${row.reason} ${(row as never as { item_key: number }).item_key}`)
  return [...states.values(), toEntry(row, row.entry_id)].sort(
    (one, other) => Number(one.revision) - Number(other.revision),
  )
}
