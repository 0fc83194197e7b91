import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * The id of a user belongs to the membership, so that it does not tell whether a person is in other workspaces, too; existing
 * memberships keep theirs. A link to reset a password has a row for each membership, so that nobody who ends one ends the link.
 * The table is created again, because SQLite cannot remove UNIQUE from a column.
 */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`ALTER TABLE members ADD COLUMN user_id ${text} not null default ''`)
  await run('UPDATE members SET user_id = (SELECT id FROM users WHERE users.key = members.user_key)')

  await run(`CREATE TABLE new_account_links (
    key ${key}, kind ${text} not null, mail_key ${int} not null, user_key ${int} not null references users (key),
    author_key ${int} not null references authors (key), hash ${text} not null,
    created_at ${int} not null, expires_at ${int} not null)`)
  const columns = 'kind, mail_key, user_key, author_key, hash, created_at, expires_at'
  await run(`INSERT INTO new_account_links (${columns}) SELECT ${columns} FROM account_links ORDER BY key`)
  await run('DROP TABLE account_links')
  await run('ALTER TABLE new_account_links RENAME TO account_links')
  await run('CREATE UNIQUE INDEX account_links_by_hash ON account_links (hash, author_key)')
  await run('CREATE INDEX account_links_of_user ON account_links (user_key, kind)')
  await run('CREATE INDEX account_links_of_author ON account_links (author_key, kind)')
}
