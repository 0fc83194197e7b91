import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * New pictures and icons are kept in the file storage. Existing ones stay in the database until they are replaced. The tables
 * are created again, because SQLite cannot remove NOT NULL from a column.
 */
export async function up(db: Kysely<never>, { int, text, bytes }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`CREATE TABLE new_pictures (
    name ${text} primary key, workspace_key ${int} not null, author_key ${int} not null references authors (key),
    created_at ${int} not null, image ${bytes}, blob_key ${int} references blobs (key))`)
  await run(`INSERT INTO new_pictures (name, workspace_key, author_key, created_at, image)
    SELECT name, workspace_key, author_key, created_at, image FROM pictures`)
  await run('DROP TABLE pictures')
  await run('ALTER TABLE new_pictures RENAME TO pictures')
  await run('CREATE INDEX pictures_of_author ON pictures (workspace_key, author_key)')

  await run(`CREATE TABLE new_workspace_icons (
    workspace_key ${int} primary key references workspaces (key), name ${text} not null unique,
    created_at ${int} not null, image ${bytes}, blob_key ${int} references blobs (key))`)
  await run(`INSERT INTO new_workspace_icons (workspace_key, name, created_at, image)
    SELECT workspace_key, name, created_at, image FROM workspace_icons`)
  await run('DROP TABLE workspace_icons')
  await run('ALTER TABLE new_workspace_icons RENAME TO workspace_icons')

  for (const table of ['pictures', 'workspace_icons'])
    await run(`CREATE INDEX ${table}_of_blob ON ${table} (blob_key) WHERE blob_key IS NOT NULL`)
}
