import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Sessions of browsers with the tokens of their pages, passwords, guesses at them, and pictures of people. */
export async function up(db: Kysely<never>, { key, int, text, bytes }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const count = `${int} not null default 0`

  await run(`CREATE TABLE sessions (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), hash ${text} not null unique, name text not null,
    created_at ${int} not null, last_used_at ${int} not null, renewed_at ${int} not null, expires_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX sessions_id ON sessions (workspace_key, id)')
  await run('CREATE INDEX sessions_by_created_at ON sessions (workspace_key, author_key, created_at, id)')
  await run(`INSERT INTO sessions (id, workspace_key, author_key, hash, name, created_at, last_used_at, renewed_at, expires_at)
    SELECT id, workspace_key, author_key, hash, name, created_at, created_at, created_at, expires_at
    FROM tokens WHERE kind = 'session'`)
  await run("DELETE FROM tokens WHERE kind = 'session'")
  await run(`ALTER TABLE tokens ADD COLUMN session_key ${count}`)

  await run(`CREATE TABLE passwords (
    author_key ${int} primary key references authors (key), user_key ${int} not null references users (key),
    hash text not null, changed_at ${int} not null)`)
  await run('CREATE INDEX passwords_of_user ON passwords (user_key)')

  await run(`CREATE TABLE sign_in_attempts (
    subject ${text} primary key, attempts ${int} not null, started_at ${int} not null)`)

  await run(`CREATE TABLE pictures (
    name ${text} primary key, workspace_key ${int} not null, author_key ${int} not null references authors (key),
    created_at ${int} not null, image ${bytes} not null)`)
  await run('CREATE INDEX pictures_of_author ON pictures (workspace_key, author_key)')
}
