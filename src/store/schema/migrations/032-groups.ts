import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Groups of people, mentions of them and of whole channels, and how often someone has mentioned many people. */
export async function up(db: Kysely<never>, { key, int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  await run(`CREATE TABLE groups (key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    name text not null, name_fold ${text} not null, name_order ${text} not null, description text not null default '',
    members_count ${int} not null default 0, created_at ${int} not null, updated_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX groups_id ON groups (workspace_key, id)')
  await run('CREATE UNIQUE INDEX groups_name ON groups (workspace_key, name_fold)')
  await run('CREATE INDEX groups_by_name ON groups (workspace_key, name_order, id)')
  await run(`CREATE TABLE group_members (workspace_key ${int} not null, group_key ${int} not null references groups (key),
    author_key ${int} not null references authors (key), author_id ${text} not null, created_at ${int} not null,
    primary key (group_key, author_key))`)
  await run(
    'CREATE INDEX group_members_by_created_at ON group_members (workspace_key, group_key, created_at, author_id)',
  )
  await run(`CREATE TABLE mention_uses (author_key ${int} not null references authors (key), kind ${text} not null,
    workspace_key ${int} not null, started_at ${int} not null, uses ${int} not null, primary key (author_key, kind))`)
  await run(`ALTER TABLE workspaces ADD COLUMN channel_mentions ${text} not null default 'members'`)
  await run(`ALTER TABLE events ADD COLUMN named_groups text not null default ''`)
  await run(`ALTER TABLE inbox_entries ADD COLUMN group_key ${int} not null default 0`)
}
