import { type Kysely, type RawBuilder, sql } from 'kysely'
import { newId } from '../../../domain/ids'
import { noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'

/** Members are taken together up to so many rows; all rows of a member are copied at once. */
const ROWS_AT_ONCE = 10_000
const HISTORIES_AT_ONCE = 1_000

/**
 * `attention` becomes three tables: how far members have read, what they follow, and the entries of their inboxes, which are now
 * told apart by what they are about. Nothing that was unread becomes read, and the other way around.
 */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax, openProgress: OpenProgress = noProgress) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`CREATE TABLE read_positions (author_key ${int} not null, kind ${int} not null, subject_key ${int} not null,
    channel_key ${int} not null, revision ${int} not null, is_marked_unread ${int} not null default 0,
    primary key (kind, subject_key, author_key))`)
  await run(`CREATE TABLE follows (author_key ${int} not null, kind ${int} not null, subject_key ${int} not null,
    level ${int} not null, is_chosen ${int} not null default 0, primary key (kind, subject_key, author_key))`)
  await run(`CREATE TABLE inbox_entries (key ${key}, id ${text} not null, workspace_key ${int} not null, author_key ${int} not null,
    about ${text} not null, kind ${int} not null, subject_key ${int} not null, channel_key ${int} not null,
    item_key ${int} not null, reason ${text} not null, actor_key ${int} not null, revision ${int} not null, at ${int} not null,
    is_read ${int} not null default 0, is_marked_unread ${int} not null default 0, archived_at ${int})`)
  await run(`CREATE TABLE removed_subjects (kind ${int} not null, subject_key ${int} not null, author_key ${int} not null,
    primary key (kind, subject_key))`)
  await run(`ALTER TABLE members ADD COLUMN inbox_revision ${int} not null default 0`)
  await run('ALTER TABLE events RENAME COLUMN mentioned TO named')

  await copyRows(db, openProgress)
  await run('DROP TABLE attention')

  await run(`CREATE INDEX read_positions_marked ON read_positions (author_key, channel_key) WHERE is_marked_unread = 1`)
  await run(`CREATE INDEX follows_all ON follows (kind, subject_key, author_key) WHERE level = 2`)
  await run('CREATE UNIQUE INDEX inbox_entries_id ON inbox_entries (workspace_key, id)')
  await run(`CREATE UNIQUE INDEX inbox_entries_subject ON inbox_entries (kind, subject_key, author_key, about,
    (CASE WHEN about = 'reaction' THEN item_key ELSE 0 END))`)
  await run(
    `CREATE INDEX inbox_entries_inbox ON inbox_entries (author_key, channel_key, revision) WHERE archived_at IS NULL`,
  )
  await run(`CREATE INDEX inbox_entries_archived ON inbox_entries (author_key, channel_key, revision)
    WHERE archived_at IS NOT NULL`)
  await run(`CREATE INDEX inbox_entries_about ON inbox_entries (author_key, about, channel_key, revision)
    WHERE archived_at IS NULL`)
  await run(`CREATE INDEX inbox_entries_unread ON inbox_entries (author_key, channel_key, revision)
    WHERE is_read = 0 AND is_marked_unread = 0`)
  await run(`CREATE INDEX inbox_entries_marked ON inbox_entries (author_key, channel_key, revision)
    WHERE is_marked_unread = 1`)
  // An index of PostgreSQL cannot hold the longest addresses.
  await run('CREATE INDEX push_subscriptions_of_endpoint ON push_subscriptions (substr(endpoint, 1, 300))')
}

const CHANNEL = sql.lit(3)

const aboutOf = (reason: string) => `CASE WHEN ${reason} IN ('resolved', 'reopened') THEN 'resolution'
  WHEN ${reason} IN ('mention', 'added', 'reminder', 'reaction') THEN ${reason} ELSE 'activity' END`

/** The columns of an entry, from a row `a` and what it shows or showed, `e`. What was unread beside a read channel is marked so. */
const entryOf = (e: string) =>
  sql.raw(`a.workspace_key, a.author_key, ${aboutOf(`${e}.reason`)}, a.subject_type, a.subject_key,
  CASE WHEN a.subject_type = 3 THEN 0 ELSE a.channel_key END, coalesce(${e}.item_key, 0), ${e}.reason,
  coalesce(${e}.actor_key, 0), ${e}.entry_revision, ${e}.entry_at, CASE WHEN ${e}.read_at IS NULL THEN 0 ELSE 1 END,
  CASE WHEN ${e}.read_at IS NULL AND (${e}.entry_revision <= m.read_revision OR ${e}.entry_revision <= place.read_revision)
    THEN 1 ELSE 0 END, ${e}.archived_at`)

/** With how far the member has read everything, and the channel; entries about channels are not read with these. */
const withOthers = sql`LEFT JOIN members AS m ON m.author_key = a.author_key
  LEFT JOIN attention AS place ON place.author_key = a.author_key AND place.subject_type = ${CHANNEL}
    AND place.subject_key = a.channel_key AND a.subject_type <> ${CHANNEL}`

const ENTRY = sql`inbox_entries (id, workspace_key, author_key, about, kind, subject_key, channel_key, item_key, reason, actor_key,
  revision, at, is_read, is_marked_unread, archived_at)`

/** Copies the rows of some members at a time. */
async function copyRows(db: Kysely<never>, openProgress: OpenProgress) {
  const count = async (isCounted: RawBuilder<unknown>) =>
    Number(
      (await sql<{ count: number }>`SELECT count(*) AS count FROM attention AS a WHERE ${isCounted}`.execute(db))
        .rows[0]!.count,
    )
  const progress = openProgress('what members have read, follow and were told of', await count(sql`1 = 1`))
  let done = 0
  for (let after = -1; ; ) {
    const { rows } = await sql<{
      last: number | null
    }>`SELECT max(author_key) AS last FROM (SELECT author_key FROM attention
      WHERE author_key > ${after} ORDER BY author_key LIMIT ${sql.lit(ROWS_AT_ONCE)}) AS next`.execute(db)
    const { last } = rows[0]!
    if (last === null) break
    const isNext = sql`a.author_key > ${after} AND a.author_key <= ${Number(last)}`
    await copyNext(db, isNext)
    after = Number(last)
    done += await count(isNext)
    progress.report(done)
  }
  progress.end()
}

async function copyNext(db: Kysely<never>, isNext: RawBuilder<unknown>) {
  await sql`INSERT INTO read_positions (author_key, kind, subject_key, channel_key, revision, is_marked_unread)
    SELECT a.author_key, a.subject_type, a.subject_key, a.channel_key, a.read_revision, a.is_marked_unread FROM attention AS a
    WHERE ${isNext} AND (a.read_revision > 0 OR a.is_marked_unread = 1)`.execute(db)
  await sql`INSERT INTO follows (author_key, kind, subject_key, level, is_chosen)
    SELECT a.author_key, a.subject_type, a.subject_key, a.level, a.is_level_chosen FROM attention AS a
    WHERE ${isNext} AND a.level IS NOT NULL`.execute(db)
  await sql`INSERT INTO ${ENTRY} SELECT a.entry_id, ${entryOf('a')} FROM attention AS a ${withOthers}
    WHERE ${isNext} AND a.entry_id IS NOT NULL`.execute(db)
  await copyHistories(db, isNext)
}

/** What an entry showed before a reaction. */
interface Shown {
  reason: string
  actor_key: number | null
  item_key: number | null
  entry_revision: number
  entry_at: number
  read_at: number | null
  archived_at: number | null
}

type History = Pick<Shown, 'reason' | 'item_key'> & {
  author_key: number
  subject_type: number
  subject_key: number
  before_reactions: string
}

/** Reactions hid other entries of the same post or thread, and each other: these become entries of their own. */
async function copyHistories(db: Kysely<never>, isNext: RawBuilder<unknown>) {
  for (let last: History | undefined; ; ) {
    const isAfter = last
      ? sql`(a.author_key, a.subject_type, a.subject_key) > (${last.author_key}, ${last.subject_type}, ${last.subject_key})`
      : sql`1 = 1`
    const { rows } =
      await sql<History>`SELECT a.author_key, a.subject_type, a.subject_key, a.reason, a.item_key, a.before_reactions
      FROM attention AS a WHERE ${isNext} AND ${isAfter} AND a.before_reactions IS NOT NULL AND a.entry_id IS NOT NULL
      ORDER BY a.author_key, a.subject_type, a.subject_key LIMIT ${sql.lit(HISTORIES_AT_ONCE)}`.execute(db)
    for (const row of rows) for (const shown of hiddenBy(row)) await insertShown(db, row, shown)
    if (rows.length < HISTORIES_AT_ONCE) return
    last = rows.at(-1)
  }
}

/** The latest of each, without what the entry itself shows. */
function hiddenBy({ reason, item_key, before_reactions }: History): Shown[] {
  const nameOf = (shown: Pick<Shown, 'reason' | 'item_key'>) =>
    shown.reason === 'reaction' ? `reaction ${Number(shown.item_key)}` : 'other'
  const earlier = (JSON.parse(before_reactions) as (Shown | null)[]).filter((shown) => shown?.reason)
  const hidden = new Map(earlier.map((shown) => [nameOf(shown!), shown!]))
  hidden.delete(nameOf({ reason, item_key }))
  return [...hidden.values()]
}

async function insertShown(db: Kysely<never>, { author_key, subject_type, subject_key }: History, shown: Shown) {
  const texts = ['reason']
  const columns = ['reason', 'item_key', 'actor_key', 'entry_revision', 'entry_at', 'read_at', 'archived_at'] as const
  const values = columns.map(
    (name) => sql`CAST(${shown[name]} AS ${sql.raw(texts.includes(name) ? 'text' : 'bigint')}) AS ${sql.ref(name)}`,
  )
  await sql`INSERT INTO ${ENTRY} SELECT ${newId('inb', Number(shown.entry_at))}, ${entryOf('e')}
    FROM attention AS a CROSS JOIN (SELECT ${sql.join(values)}) AS e ${withOthers}
    WHERE a.author_key = ${author_key} AND a.subject_type = ${subject_type} AND a.subject_key = ${subject_key}`.execute(
    db,
  )
}
