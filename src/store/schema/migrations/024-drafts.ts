import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** The drafts of members, and other versions of them. */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const content = `title ${text} not null, content_markdown ${text} not null, version ${int} not null, updated_at ${int} not null`

  await run(`CREATE TABLE drafts (
    key ${key}, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), subject_id ${text} not null, ${content}, announced_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX drafts_by_subject ON drafts (author_key, subject_id)')
  await run('CREATE INDEX drafts_by_time ON drafts (author_key, updated_at, subject_id)')
  await run(`CREATE TABLE draft_versions (
    draft_key ${int} not null references drafts (key), ${content}, primary key (draft_key, version))`)

  await run(`ALTER TABLE members ADD COLUMN draft_version ${int} not null default 0`)
}
