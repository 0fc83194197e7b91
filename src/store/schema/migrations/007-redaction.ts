import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Where JSON shows a post, comment or message: by itself, or as where an app was mentioned. */
const records = [[], ['subject']]
/** What holds such JSON, and in which column. */
const holders = [
  ['events', 'data'],
  ['idempotency_keys', 'answer'],
] as const

/**
 * Events and stored answers say whose content they hold, so that it goes when that is deleted. What was deleted before
 * goes now.
 */
export async function up(db: Kysely<never>, syntax: SqlSyntax) {
  await addColumns(db, syntax)
  await setSubjects(db, syntax)
  for (const [table] of holders)
    await sql`CREATE INDEX ${sql.ref(`${table}_of_subject`)} ON ${sql.table(table)} (workspace_key, subject_id)
      WHERE subject_id <> ''`.execute(db)
  await redactDeleted(db, syntax)
  for (const record of records) await redactResolvedComments(db, syntax, [...record, 'resolution', 'resolved_comment'])
}

async function addColumns(db: Kysely<never>, { int, text }: SqlSyntax) {
  for (const [table] of holders)
    await sql`ALTER TABLE ${sql.table(table)} ADD COLUMN subject_id ${sql.raw(text)} not null default ''`.execute(db)
  await sql`ALTER TABLE events ADD COLUMN is_redacted ${sql.raw(int)} not null default 0`.execute(db)
}

async function setSubjects(db: Kysely<never>, { textInJson }: SqlSyntax) {
  const data = sql.ref('data')
  await sql`UPDATE events SET subject_id = ${textInJson(data, ['id'])}
    WHERE type LIKE 'post.%' OR type LIKE 'comment.%' OR type LIKE 'message.%'`.execute(db)
  await sql`UPDATE events SET subject_id = ${textInJson(data, ['subject', 'id'])}
    WHERE type = 'app.mentioned'`.execute(db)
  const id = textInJson(sql.ref('answer'), ['id'])
  await sql`UPDATE idempotency_keys SET subject_id = ${id}
    WHERE ${id} LIKE 'post_%' OR ${id} LIKE 'cmt_%' OR ${id} LIKE 'msg_%'`.execute(db)
}

async function redactDeleted(db: Kysely<never>, { replaceInJson }: SqlSyntax) {
  const content = records.flatMap((record) => [
    { path: [...record, 'title'], to: '' as const },
    { path: [...record, 'content'], to: '' as const },
    { path: [...record, 'resolution'], to: null },
  ])
  await sql`UPDATE events SET data = ${replaceInJson(sql.ref('data'), content)}, is_redacted = 1
    WHERE ${isDeleted('events')}`.execute(db)
  await sql`UPDATE idempotency_keys SET answer = '' WHERE ${isDeleted('idempotency_keys')}`.execute(db)
}

/** Posts keep a resolution whose comment is deleted, without the comment. */
async function redactResolvedComments(db: Kysely<never>, { textInJson, replaceInJson }: SqlSyntax, path: string[]) {
  for (const [table, column] of holders) {
    const json = sql`nullif(${sql.ref(column)}, '')`
    const id = textInJson(json, [...path, 'id'])
    await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${replaceInJson(json, [{ path, to: null }])}
      WHERE subject_id LIKE 'post_%' AND ${sql.ref(column)} LIKE '%"resolved_comment":{%'
      AND ${id} IS NOT NULL AND NOT ${exists('comments', table, id)}`.execute(db)
  }
}

function isDeleted(table: string) {
  const id = sql.ref(`${table}.subject_id`)
  return sql`subject_id <> '' AND NOT ${exists('posts', table, id)} AND NOT ${exists('comments', table, id)}
    AND NOT ${exists('messages', table, id)}`
}

/** A comment that only keeps its place is no more. */
const exists = (kind: 'posts' | 'comments' | 'messages', table: string, id: RawBuilder<unknown>) =>
  sql`EXISTS (SELECT 1 FROM ${sql.table(kind)} AS r
    WHERE r.workspace_key = ${sql.ref(`${table}.workspace_key`)} AND r.id = ${id}
    ${kind === 'comments' ? sql`AND r.is_deleted = 0` : sql``})`
