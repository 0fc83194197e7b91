import { type Kysely, sql } from 'kysely'
import { newId } from '../../../domain/ids'
import type { SqlSyntax } from '../../engines/syntax'

type Run = (statement: string) => Promise<unknown>

const DEACTIVATED = '(SELECT author_key FROM members WHERE is_deactivated = 1)'
const BATCH = 500

/** One password per person, sign-in links with ids, and nothing left of the access of deactivated members. */
export async function up(db: Kysely<never>, syntax: SqlSyntax) {
  const run: Run = (statement) => sql.raw(statement).execute(db)
  await endAccessOfDeactivated(run)
  await movePasswords(run, syntax)
  await moveSignInLinks(db, run, syntax)
}

async function endAccessOfDeactivated(run: Run) {
  for (const table of ['tokens', 'sessions', 'sign_in_links', 'passwords'])
    await run(`DELETE FROM ${table} WHERE author_key IN ${DEACTIVATED}`)
  await run(`UPDATE authors SET tokens_count = 0 WHERE tokens_count <> 0 AND key IN ${DEACTIVATED}`)
}

/**
 * Of several passwords of a person, the one changed last is kept. It opens only the workspace it was set in: an admin of
 * that workspace may have set it in the person's name, so it must not open any other.
 */
async function movePasswords(run: Run, { int }: SqlSyntax) {
  await run('ALTER TABLE passwords RENAME TO member_passwords')
  await run(`CREATE TABLE passwords (
    user_key ${int} primary key references users (key), hash text not null, changed_at ${int} not null)`)
  await run(`CREATE TABLE password_workspaces (
    user_key ${int} not null references users (key), workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), primary key (user_key, workspace_key))`)
  await run(`CREATE TABLE kept_passwords AS SELECT * FROM (
      SELECT p.author_key, p.user_key, p.hash, p.changed_at, m.workspace_key,
        row_number() OVER (PARTITION BY p.user_key ORDER BY p.changed_at DESC, p.author_key DESC) AS place
      FROM member_passwords p JOIN members m ON m.author_key = p.author_key
    ) AS placed WHERE place = 1`)
  await run('INSERT INTO passwords SELECT user_key, hash, changed_at FROM kept_passwords')
  await run('INSERT INTO password_workspaces SELECT user_key, workspace_key, author_key FROM kept_passwords')
  await run('DROP TABLE kept_passwords')
  await run('DROP TABLE member_passwords')
}

interface OldLink {
  hash: string
  workspace_key: number
  author_key: number
  created_at: number
  expires_at: number
}

/** The newest unused link of each member stays; a link that was used is a row no longer. */
async function moveSignInLinks(db: Kysely<never>, run: Run, { key, int, text }: SqlSyntax) {
  await run('ALTER TABLE sign_in_links RENAME TO old_sign_in_links')
  await run(`CREATE TABLE sign_in_links (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null unique references authors (key), hash ${text} not null unique,
    created_by_key ${int} not null default 0, created_at ${int} not null, expires_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX sign_in_links_id ON sign_in_links (workspace_key, id)')
  await run('CREATE INDEX sign_in_links_by_created_at ON sign_in_links (workspace_key, created_at, id)')
  const { rows } = await sql<OldLink>`SELECT hash, workspace_key, author_key, created_at, expires_at FROM (
      SELECT l.*, row_number() OVER (PARTITION BY author_key ORDER BY created_at DESC, hash) AS place
      FROM old_sign_in_links l WHERE used_at IS NULL
    ) AS placed WHERE place = 1 ORDER BY created_at`.execute(db)
  for (let at = 0; at < rows.length; at += BATCH) {
    const values = rows.slice(at, at + BATCH).map((link) => {
      const { hash, workspace_key, author_key, created_at, expires_at } = link
      return sql`(${newId('link', created_at)}, ${workspace_key}, ${author_key}, ${hash}, ${created_at}, ${expires_at})`
    })
    await sql`INSERT INTO sign_in_links (id, workspace_key, author_key, hash, created_at, expires_at)
      VALUES ${sql.join(values)}`.execute(db)
  }
  await run('DROP TABLE old_sign_in_links')
}
