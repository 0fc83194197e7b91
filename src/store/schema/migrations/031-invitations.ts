import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Links by which several people join, and the mails that confirm their addresses. */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`CREATE TABLE invite_links (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    hash ${text} not null unique, secret ${text}, role ${text} not null, email_domain ${text}, max_uses ${int},
    uses_count ${int} not null default 0, expires_at ${int},
    created_by_key ${int} not null references authors (key), created_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX invite_links_id ON invite_links (workspace_key, id)')
  await run('CREATE INDEX invite_links_by_created_at ON invite_links (workspace_key, created_at, id)')
  await run('CREATE INDEX invite_links_of_creator ON invite_links (created_by_key)')
  await run(`CREATE TABLE invite_link_channels (
    link_key ${int} not null references invite_links (key), channel_key ${int} not null references channels (key),
    added_by_key ${int} not null references authors (key), is_private ${int} not null, primary key (link_key, channel_key))`)
  await run(`CREATE TABLE pending_joins (
    key ${key}, link_key ${int} not null references invite_links (key), email ${text} not null,
    hash ${text} not null unique, created_at ${int} not null, expires_at ${int} not null)`)
  await run('CREATE INDEX pending_joins_of_link ON pending_joins (link_key, email)')
  await run(`ALTER TABLE mails ADD COLUMN link_key ${int} not null default 0`)
  await run(`ALTER TABLE members ADD COLUMN link_key ${int} not null default 0`)
  await run('CREATE INDEX members_of_link ON members (link_key) WHERE link_key <> 0')
}
