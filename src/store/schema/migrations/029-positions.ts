import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * Responses are valid until what they depend on changes: content, or the state of one member. The log has one order for both, so
 * the last position of content is noted apart. A job hashes what authors see besides public channels, some at a time.
 *
 * Members are searched in the database: the indexes of their lists hold what is searched, where entries may be long. Deliveries that
 * were not tried yet have an index, in the order of the log.
 */
export async function up(db: Kysely<never>, { key, int, text, searchedInIndex }: SqlSyntax) {
  for (const column of ['content_revision', 'content_nonce', 'access_revision'])
    await sql`ALTER TABLE workspaces ADD COLUMN ${sql.ref(column)} ${sql.raw(int)} NOT NULL DEFAULT 0`.execute(db)
  await sql`UPDATE workspaces SET content_revision = revision, content_nonce = nonce, access_revision = revision`.execute(
    db,
  )
  await sql`ALTER TABLE authors ADD COLUMN visibility_hash ${sql.raw(text)}`.execute(db)
  await sql`CREATE INDEX authors_without_hash ON authors (workspace_key) WHERE visibility_hash IS NULL`.execute(db)
  await sql`CREATE TABLE personal_states (author_key ${sql.raw(int)} PRIMARY KEY, nonce ${sql.raw(int)} NOT NULL)`.execute(
    db,
  )
  await sql`CREATE TABLE personal_events (key ${sql.raw(key)}, workspace_key ${sql.raw(int)} NOT NULL,
    nonce ${sql.raw(int)} NOT NULL, type ${sql.raw(text)} NOT NULL, actor_key ${sql.raw(int)} NOT NULL,
    recipients ${sql.raw(text)} NOT NULL, via text, created_at ${sql.raw(int)} NOT NULL, data text NOT NULL)`.execute(
    db,
  )
  await sql`CREATE INDEX personal_events_of_workspace ON personal_events (workspace_key, key)`.execute(db)

  const run = (statement: string) => sql.raw(statement).execute(db)
  await run('DROP INDEX events_of_members')
  for (const sort of ['created_at', 'last_seen_at']) {
    await run(`DROP INDEX members_by_${sort}`)
    const columns = ['workspace_key', 'role', sort, 'id', ...searchedInIndex('search_text')]
    await run(`CREATE INDEX members_by_${sort} ON members (${columns.join(', ')})`)
  }
  await run(`CREATE INDEX deliveries_new ON deliveries (webhook_key, key)
    WHERE next_attempt_at IS NOT NULL AND attempts_count = attempts_before`)
}
