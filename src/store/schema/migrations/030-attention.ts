import { type Kysely, sql } from 'kysely'
import { newId } from '../../../domain/ids'
import { noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'

const ROWS_AT_ONCE = 1_000

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
  await run(`CREATE TABLE removed_subjects (kind ${int} not null, subject_key ${int} not null,
    primary key (kind, subject_key))`)
  await run(`ALTER TABLE members ADD COLUMN inbox_revision ${int} not null default 0`)

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
}

/** A row of `attention`, with the revision up to which its channel and everything is read. */
interface OldRow {
  author_key: number
  subject_type: number
  subject_key: number
  workspace_key: number
  channel_key: number
  read_revision: number
  is_marked_unread: number | boolean
  level: number | null
  is_level_chosen: number | boolean
  entry_id: string | null
  entry_revision: number | null
  entry_at: number | null
  reason: string | null
  actor_key: number | null
  item_key: number | null
  read_at: number | null
  archived_at: number | null
  before_reactions: string | null
  others: number
}

type Shown = Pick<
  OldRow,
  'reason' | 'actor_key' | 'item_key' | 'entry_revision' | 'entry_at' | 'read_at' | 'archived_at'
>

const CHANNEL = 3

async function copyRows(db: Kysely<never>, openProgress: OpenProgress) {
  const { rows: counted } = await sql<{ count: number }>`SELECT count(*) AS count FROM attention`.execute(db)
  const progress = openProgress('what members have read, follow and were told of', Number(counted[0]!.count))
  let done = 0
  let last: Pick<OldRow, 'author_key' | 'subject_type' | 'subject_key'> = {
    author_key: 0,
    subject_type: 0,
    subject_key: 0,
  }
  for (;;) {
    const { rows } =
      await sql<OldRow>`SELECT a.*, CASE WHEN coalesce(m.read_revision, 0) >= coalesce(place.read_revision, 0)
          THEN coalesce(m.read_revision, 0) ELSE place.read_revision END AS others
        FROM (SELECT * FROM attention
          WHERE (author_key, subject_type, subject_key) > (${last.author_key}, ${last.subject_type}, ${last.subject_key})
          ORDER BY author_key, subject_type, subject_key LIMIT ${sql.lit(ROWS_AT_ONCE)}) AS a
        LEFT JOIN members AS m ON m.author_key = a.author_key
        LEFT JOIN attention AS place ON place.author_key = a.author_key AND place.subject_type = ${sql.lit(CHANNEL)}
          AND place.subject_key = a.channel_key AND a.subject_type <> ${sql.lit(CHANNEL)}
        ORDER BY a.author_key, a.subject_type, a.subject_key`.execute(db)
    if (rows.length === 0) break
    last = rows.at(-1)!
    await insertAll(db, 'read_positions', rows.filter(hasPosition).map(toPosition))
    await insertAll(db, 'follows', rows.filter(({ level }) => level !== null).map(toFollow))
    await insertAll(db, 'inbox_entries', rows.flatMap(toEntries))
    done += rows.length
    progress.report(done)
  }
  progress.end()
}

const hasPosition = ({ read_revision, is_marked_unread }: OldRow) =>
  Number(read_revision) > 0 || isTrue(is_marked_unread)

const isTrue = (value: number | boolean) => Number(value) === 1

const toPosition = (row: OldRow) => ({
  author_key: row.author_key,
  kind: row.subject_type,
  subject_key: row.subject_key,
  channel_key: row.channel_key,
  revision: row.read_revision,
  is_marked_unread: Number(row.is_marked_unread),
})

const toFollow = (row: OldRow) => ({
  author_key: row.author_key,
  kind: row.subject_type,
  subject_key: row.subject_key,
  level: row.level,
  is_chosen: Number(row.is_level_chosen),
})

const abouts: Record<string, string> = { resolved: 'resolution', reopened: 'resolution' }
const others = ['mention', 'added', 'reminder', 'reaction']

const aboutOf = (reason: string) => abouts[reason] ?? (others.includes(reason) ? reason : 'activity')

/**
 * The entry itself, and where reactions moved it up, the state before them and one entry for each record that was reacted to. The
 * newest keeps the id.
 */
function toEntries(row: OldRow) {
  if (row.entry_id === null) return []
  const earlier: (Shown | null)[] = row.before_reactions === null ? [] : JSON.parse(row.before_reactions)
  const entries = new Map<string, ReturnType<typeof toEntry>>()
  for (const shown of [row, ...earlier.reverse()]) {
    if (!shown?.reason) continue
    const about = aboutOf(shown.reason)
    const name = about === 'reaction' ? `reaction ${shown.item_key}` : about
    if (!entries.has(name)) entries.set(name, toEntry(row, shown, about))
  }
  return [...entries.values()]
}

function toEntry(row: OldRow, shown: Shown, about: string) {
  const isRead = shown.read_at !== null
  // Entries about channels are not read with the channel: only what was read with everything counts.
  const isCovered = Number(shown.entry_revision) <= Number(row.others)
  return {
    id: shown === row ? row.entry_id : newId('inb', Number(shown.entry_at)),
    workspace_key: row.workspace_key,
    author_key: row.author_key,
    about,
    kind: row.subject_type,
    subject_key: row.subject_key,
    channel_key: row.subject_type === CHANNEL ? 0 : row.channel_key,
    item_key: shown.item_key ?? 0,
    reason: shown.reason,
    actor_key: shown.actor_key ?? 0,
    revision: shown.entry_revision,
    at: shown.entry_at,
    is_read: Number(isRead),
    is_marked_unread: Number(!isRead && isCovered),
    archived_at: shown.archived_at,
  }
}

/** Inserts rows, some at a time: both engines limit the number of parameters. */
async function insertAll(db: Kysely<never>, table: string, rows: readonly Record<string, unknown>[]) {
  const columns = Object.keys(rows[0] ?? {})
  for (let from = 0; from < rows.length; from += 200) {
    const values = rows.slice(from, from + 200).map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    await sql`INSERT INTO ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      VALUES ${sql.join(values)}`.execute(db)
  }
}
