import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Addresses that other systems post to. */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const place = `${int} not null default 0`

  await run(`CREATE TABLE hooks (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), owner_key ${int} not null references authors (key),
    channel_key ${place}, post_key ${place}, thread_key ${place}, target_id ${text} not null,
    hash ${text}, last_used_at ${int}, created_at ${int} not null, updated_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX hooks_id ON hooks (workspace_key, id)')
  await run('CREATE UNIQUE INDEX hooks_by_hash ON hooks (hash)')
  await run('CREATE INDEX hooks_by_owner ON hooks (workspace_key, owner_key, created_at, id)')
}
