import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * Files: their bytes (`blobs`), each upload (`files`), the records that reference it (`file_references`), and the channels
 * and threads it is listed in (`file_places`).
 */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const count = `${int} not null default 0`

  await run(`CREATE TABLE blobs (
    key ${key}, workspace_key ${int} not null references workspaces (key), hash ${text} not null,
    object ${text} not null unique, size ${int} not null, created_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX blobs_by_hash ON blobs (workspace_key, hash)')

  await run(`CREATE TABLE files (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), blob_key ${int} not null references blobs (key),
    name ${text} not null, content_type ${text} not null, size ${int} not null, width ${int}, height ${int},
    created_at ${int} not null, references_count ${count}, is_shared ${count}, erase_at ${int})`)
  await run('CREATE UNIQUE INDEX files_id ON files (workspace_key, id)')
  await run('CREATE INDEX files_of_blob ON files (blob_key)')
  await run('CREATE INDEX files_to_erase ON files (erase_at) WHERE erase_at IS NOT NULL')
  await run(`CREATE INDEX files_not_shared ON files (workspace_key, author_key, created_at, id) WHERE is_shared = 0`)

  await run(`CREATE TABLE file_references (
    file_key ${int} not null references files (key), subject_type ${int} not null, subject_key ${int} not null,
    workspace_key ${int} not null, channel_key ${count}, thread_key ${count}, owner_key ${count},
    primary key (file_key, subject_type, subject_key))`)
  await run('CREATE INDEX file_references_of_subject ON file_references (subject_type, subject_key)')

  await run(`CREATE TABLE file_places (
    workspace_key ${int} not null, channel_key ${int} not null, thread_key ${int} not null,
    file_key ${int} not null references files (key), file_id ${text} not null, shared_at ${int} not null,
    references_count ${int} not null, primary key (file_key, channel_key, thread_key))`)
  await run(`CREATE INDEX file_places_by_time
    ON file_places (workspace_key, channel_key, thread_key, shared_at, file_id)`)

  for (const table of ['channels', 'threads']) await run(`ALTER TABLE ${table} ADD COLUMN files_count ${count}`)
  await run(`ALTER TABLE workspaces ADD COLUMN files_bytes ${count}`)

  await run(`CREATE TABLE stray_objects (object ${text} primary key, delete_after ${int} not null)`)
  await run(`CREATE TABLE backup_holds (id ${text} primary key, until ${int} not null)`)
}
