import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Reactions, the count of each emoji, custom emoji, and what an inbox entry showed before someone reacted. */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`CREATE TABLE reactions (
    key ${key}, workspace_key ${int} not null, subject_type ${int} not null, subject_key ${int} not null,
    author_key ${int} not null references authors (key), emoji ${text} not null, created_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX reactions_own ON reactions (subject_type, subject_key, author_key, emoji)')
  await run('CREATE INDEX reactions_in_order ON reactions (subject_type, subject_key, emoji, key)')

  await run(`CREATE TABLE reaction_counts (
    subject_type ${int} not null, subject_key ${int} not null, emoji ${text} not null, reactions_count ${int} not null,
    created_at ${int} not null, primary key (subject_type, subject_key, emoji))`)

  await run(`CREATE TABLE custom_emoji (
    workspace_key ${int} not null references workspaces (key), name ${text} not null, picture ${text} not null unique,
    author_key ${int} not null references authors (key), created_at ${int} not null,
    blob_key ${int} not null references blobs (key), primary key (workspace_key, name))`)
  await run('CREATE INDEX custom_emoji_of_blob ON custom_emoji (blob_key)')

  await run('ALTER TABLE attention ADD COLUMN before_reactions text')
}
