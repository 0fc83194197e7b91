import { type Kysely, sql } from 'kysely'
import { type Files, type Mentioned, readMarkdown } from '../../../domain/markdown'
import { maxHtmlBytes, toPlainHtml } from '../../../domain/markdown/html'
import { plainText } from '../../../domain/search/document'
import { noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'

type Db = Kysely<never>

/** How many rows are looked at by one statement. Their texts are read one at a time. */
const BATCH = 5_000
/** What the HTML of the longest text may take, if all its characters have one byte. */
const MAX_LOGGED_BYTES = 4 * 100_000 + 4 * 1024

/** Each column of stored JSON that holds HTML, with the Markdown it was made of. The index and references to files use the same numbers. */
const columns = [
  { table: 'posts', json: 'fields', html: 'content', markdown: 'markdown', file: 1, search: 1 },
  { table: 'posts', json: 'resolution', html: 'resolved_html', markdown: 'resolved_markdown', file: 4, search: 1 },
  { table: 'comments', json: 'fields', html: 'content', markdown: 'markdown', file: 2, search: 2 },
  { table: 'messages', json: 'fields', html: 'content', markdown: 'markdown', file: 3, search: 3 },
] as const
type Column = (typeof columns)[number]

/**
 * HTML is at most four times as long as its Markdown, and 4 KB. Texts that are longer are rendered again, with the names and
 * files they show; events and stored responses get the same HTML. What cannot be rendered again there, because it is an older
 * version, becomes plain text if it is longer than any text may be. Channels note how far their posts are listed as they are.
 */
export async function up(db: Db, { int }: SqlSyntax, openProgress: OpenProgress = noProgress) {
  await sql`ALTER TABLE channels ADD COLUMN relisting_at ${sql.raw(int)}`.execute(db)
  await sql`CREATE INDEX channels_relisting ON channels (workspace_key) WHERE relisting_at IS NOT NULL`.execute(db)
  await boundHtml(db, openProgress)
}

export async function boundHtml(db: Db, openProgress: OpenProgress = noProgress) {
  let changed = 0
  for (const column of columns) changed += await renderAgain(db, column, openProgress)
  await shortenLog(db)
  if (changed > 0)
    await sql`UPDATE search_state SET is_built = 0, remaining = remaining + ${changed}
      WHERE EXISTS (SELECT 1 FROM search_queue)`.execute(db)
}

async function renderAgain(db: Db, column: Column, openProgress: OpenProgress): Promise<number> {
  const { table, json, markdown } = column
  const last = await lastKeyOf(db, table)
  const progress = openProgress(`${table} checked`, last)
  let changed = 0
  for (let from = 0; from < last; from += BATCH) {
    const { rows } = await sql<{ key: number }>`SELECT key FROM ${sql.table(table)}
      WHERE key > ${from} AND key <= ${from + BATCH}
      AND octet_length(${sql.ref(json)}) > 4 * octet_length(${sql.ref(markdown)}) + 4096 ORDER BY key`.execute(db)
    for (const { key } of rows) if (await renderRecord(db, column, key)) changed += 1
    progress.report(Math.min(from + BATCH, last))
    // On SQLite statements block everything else: requests for readiness are answered in between.
    await Bun.sleep(0)
  }
  progress.end()
  return changed
}

async function lastKeyOf(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`SELECT coalesce(max(key), 0) AS last FROM ${sql.table(table)}`.execute(
    db,
  )
  return Number(rows[0]!.last)
}

interface Stored {
  id: string
  workspace_key: number
  json: string
  markdown: string
}

/** Whether it was too long. */
async function renderRecord(db: Db, column: Column, key: number): Promise<boolean> {
  const { table, html: name } = column
  const { rows } = await sql<Stored>`SELECT id, workspace_key, ${sql.ref(column.json)} AS json,
    ${sql.ref(column.markdown)} AS markdown
    FROM ${sql.table(table)} WHERE key = ${key}`.execute(db)
  const { id, workspace_key, json, markdown } = rows[0]!
  const fields = JSON.parse(`{${json}}`) as Record<string, unknown>
  const before = fields[name]
  if (typeof before !== 'string' || Buffer.byteLength(before) <= maxHtmlBytes(markdown)) return false

  const after = readMarkdown(markdown).toHtml(mentionedIn(before), await filesOf(db, column.file, key))
  const changed = JSON.stringify({ ...fields, [name]: after }).slice(1, -1)
  await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column.json)} = ${changed} WHERE key = ${key}`.execute(db)
  for (const subject of [id, ...(await postResolvedBy(db, table, key))])
    await replaceInLog(db, workspace_key, subject, before, after)
  await indexAgain(db, column.search, key)
  return true
}

/** Only if it is in the index: otherwise it is to be indexed anyway. */
const indexAgain = (db: Db, type: number, key: number) =>
  sql`INSERT INTO search_queue (created_at, type, record_key) SELECT created_at, type, record_key FROM search_documents
    WHERE type = ${type} AND record_key = ${key} ON CONFLICT DO NOTHING`.execute(db)

/** Who a text mentions, with the names it shows. */
function mentionedIn(html: string): Mentioned {
  const links = html.matchAll(/<a class="mention" href="([^"<>]*\/([^"<>/]+))"[^<>]*>@([^<>]*)<\/a>/g)
  return new Map(
    [...links].map(([, href, id, name]) => [id!, { name: plainText(name!), href: plainText(href!) }] as const),
  )
}

async function filesOf(db: Db, subjectType: number, key: number): Promise<Files> {
  const { rows } = await sql<{
    id: string
    name: string
    content_type: string
    size: number
    width: number | null
    height: number | null
  }>`
    SELECT f.id, f.name, f.content_type, f.size, f.width, f.height FROM file_references AS r JOIN files AS f ON f.key = r.file_key
    WHERE r.subject_type = ${subjectType} AND r.subject_key = ${key}`.execute(db)
  return new Map(rows.map((file) => [file.id, file]))
}

/** A comment is also shown by the post that is resolved with it. */
async function postResolvedBy(db: Db, table: string, key: number): Promise<string[]> {
  if (table !== 'comments') return []
  const { rows } = await sql<{ id: string }>`SELECT p.id FROM comments AS m JOIN posts AS p ON p.key = m.post_key
    WHERE m.key = ${key} AND p.resolved_comment_key = m.key`.execute(db)
  return rows.map(({ id }) => id)
}

/** What shows records as JSON, and what tells its rows apart. */
const logs = [
  { table: 'events', json: 'data', keys: ['workspace_key', 'revision'] },
  { table: 'idempotency_keys', json: 'answer', keys: ['workspace_key', 'author_key', 'key'] },
] as const
type Log = (typeof logs)[number]
type RowKey = Record<string, string | number>

async function replaceInLog(db: Db, workspaceKey: number, subjectId: string, before: string, after: string) {
  for (const log of logs) {
    const { rows } = await sql<RowKey>`SELECT ${sql.raw(log.keys.join())} FROM ${sql.table(log.table)}
      WHERE workspace_key = ${workspaceKey} AND subject_id = ${subjectId} AND subject_id <> ''
      AND octet_length(${sql.ref(log.json)}) > ${Buffer.byteLength(before)}`.execute(db)
    for (const row of rows) await rewrite(db, log, row, (text) => (text === before ? after : text))
  }
}

async function shortenLog(db: Db) {
  const shorten = (text: string) => (Buffer.byteLength(text) > MAX_LOGGED_BYTES ? toPlainHtml(plainText(text)) : text)
  for (const log of logs) {
    const { rows } = await sql<RowKey>`SELECT ${sql.raw(log.keys.join())} FROM ${sql.table(log.table)}
      WHERE octet_length(${sql.ref(log.json)}) > ${MAX_LOGGED_BYTES}`.execute(db)
    for (const row of rows) await rewrite(db, log, row, shorten)
  }
}

async function rewrite(db: Db, { table, json, keys }: Log, row: RowKey, change: (html: string) => string) {
  const isRow = sql.join(
    keys.map((key) => sql`${sql.ref(key)} = ${row[key]}`),
    sql` AND `,
  )
  const { rows } = await sql<{
    json: string
  }>`SELECT ${sql.ref(json)} AS json FROM ${sql.table(table)} WHERE ${isRow}`.execute(db)
  const before = rows[0]!.json
  const after = JSON.stringify(
    JSON.parse(before, (name, value) => (HTML_FIELDS.has(name) && typeof value === 'string' ? change(value) : value)),
  )
  if (after !== before) await sql`UPDATE ${sql.table(table)} SET ${sql.ref(json)} = ${after} WHERE ${isRow}`.execute(db)
}

const HTML_FIELDS = new Set(['content', 'resolved_html'])
