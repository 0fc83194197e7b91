import { type Kysely, sql } from 'kysely'
import { searchIndexOf } from '../../engines/search'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * The full-text index, with a row for each record in it. What exists already is indexed in the background, from the newest
 * record on: `search_state` says how far that is.
 */
export async function up(db: Kysely<never>, syntax: SqlSyntax) {
  const { key, int } = syntax
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`CREATE TABLE search_documents (key ${key}, workspace_key ${int} not null, type ${int} not null,
    record_key ${int} not null, place_key ${int} not null, post_key ${int} not null, created_at ${int} not null, title_signature ${int} not null)`)
  await run('CREATE UNIQUE INDEX search_documents_of_records ON search_documents (type, record_key)')
  await run(`CREATE TABLE search_queue (created_at ${int} not null, type ${int} not null, record_key ${int} not null,
    primary key (created_at, type, record_key))`)
  await run(`CREATE TABLE search_state (id ${int} primary key, is_built ${int} not null, next_post ${int} not null,
    next_comment ${int} not null, next_message ${int} not null, last_key ${int} not null,
    remaining ${int} not null, is_purge_due ${int} not null)`)
  const last = (table: string) => `(SELECT coalesce(max(key), 0) FROM ${table})`
  const count = (table: string) => `(SELECT count(*) FROM ${table})`
  await run(`INSERT INTO search_state
    (id, is_built, next_post, next_comment, next_message, last_key, remaining, is_purge_due)
    SELECT 1, 0, ${last('posts')}, ${last('comments')}, ${last('messages')}, 1,
      ${count('posts')} + ${count('comments')} + ${count('messages')}, 0`)
  await run('UPDATE search_state SET is_built = 1 WHERE remaining = 0')
  const index = searchIndexOf({ syntax })
  await index.create(db)
  const { rows } = await sql<{ remaining: number }>`SELECT remaining FROM search_state`.execute(db)
  await sql`UPDATE search_state SET last_key = ${await index.leaveRoom(db, rows[0]!.remaining)}`.execute(db)
}
