import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * Responses are valid until what they depend on changes: content, or the state of one member. The log has one order for both, so
 * the last position of content is noted apart. What authors see besides public channels is named by a job, one after the other.
 */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  for (const column of ['content_revision', 'content_nonce', 'access_revision'])
    await sql`ALTER TABLE workspaces ADD COLUMN ${sql.ref(column)} ${sql.raw(int)} NOT NULL DEFAULT 0`.execute(db)
  await sql`UPDATE workspaces SET content_revision = revision, content_nonce = nonce, access_revision = revision`.execute(
    db,
  )
  await sql`ALTER TABLE authors ADD COLUMN sight ${sql.raw(text)}`.execute(db)
  await sql`CREATE INDEX authors_without_sight ON authors (workspace_key) WHERE sight IS NULL`.execute(db)
  await sql`CREATE TABLE personal_states (author_key ${sql.raw(int)} PRIMARY KEY, nonce ${sql.raw(int)} NOT NULL)`.execute(
    db,
  )
  await sql`CREATE TABLE personal_events (key ${sql.raw(key)}, workspace_key ${sql.raw(int)} NOT NULL,
    nonce ${sql.raw(int)} NOT NULL, type ${sql.raw(text)} NOT NULL, actor_key ${sql.raw(int)} NOT NULL,
    recipients ${sql.raw(text)} NOT NULL, via text, created_at ${sql.raw(int)} NOT NULL, data text NOT NULL)`.execute(
    db,
  )
  await sql`CREATE INDEX personal_events_of_workspace ON personal_events (workspace_key, key)`.execute(db)
}
