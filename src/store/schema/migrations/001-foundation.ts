import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** A statement for each table, a line for each index. `workspace_key` leads every index that is not a key. */
export async function up(db: Kysely<never>, syntax: SqlSyntax) {
  const run = (text: string) => sql.raw(text).execute(db)
  const { key, int, text } = syntax
  const count = `${int} not null default 0`

  await run(`CREATE TABLE workspaces (
    key ${key}, id ${text} not null unique, slug ${text} not null unique, name text not null,
    revision ${count}, names_revision ${count}, created_at ${int} not null,
    admins_count ${count}, members_count ${count}, viewers_count ${count}, guests_count ${count},
    apps_count ${count})`)

  await run(`CREATE TABLE users (
    key ${key}, id ${text} not null unique, email ${text} not null unique, created_at ${int} not null)`)

  await run(`CREATE TABLE authors (
    key ${key}, workspace_key ${int} not null references workspaces (key), id ${text} not null,
    type text not null, name text not null, avatar text not null,
    card text generated always as (type || '|' || id || '|' || avatar || '|' || name) stored, threads_count ${count}, tokens_count ${count})`)
  await run('CREATE UNIQUE INDEX authors_id ON authors (workspace_key, id)')

  await run(`CREATE TABLE members (
    author_key ${int} primary key references authors (key),
    workspace_key ${int} not null, id ${text} not null, user_key ${int} not null references users (key),
    role ${text} not null, is_deactivated ${count}, created_at ${int} not null, last_seen_at ${int} not null,
    search_text ${text} not null)`)
  await run('CREATE UNIQUE INDEX members_user ON members (workspace_key, user_key)')
  await run('CREATE INDEX members_by_created_at ON members (workspace_key, role, created_at, id)')
  await run('CREATE INDEX members_by_last_seen_at ON members (workspace_key, role, last_seen_at, id)')
  await syntax.createMemberSearch(db)

  await run(`CREATE TABLE apps (
    author_key ${int} primary key references authors (key), workspace_key ${int} not null, id ${text} not null,
    name_fold ${text} not null, created_at ${int} not null)`)
  await run('CREATE UNIQUE INDEX apps_name ON apps (workspace_key, name_fold)')
  await run('CREATE INDEX apps_by_created_at ON apps (workspace_key, created_at, id)')

  await run(`CREATE TABLE tokens (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), kind ${text} not null, hash ${text} not null unique,
    name text not null, scopes text not null, created_at ${int} not null, expires_at ${int}, last_used_at ${int})`)
  await run('CREATE UNIQUE INDEX tokens_id ON tokens (workspace_key, id)')
  await run('CREATE INDEX tokens_by_created_at ON tokens (workspace_key, author_key, kind, created_at, id)')

  await run(`CREATE TABLE sign_in_links (
    hash ${text} primary key, workspace_key ${int} not null, author_key ${int} not null references authors (key),
    created_at ${int} not null, expires_at ${int} not null, used_at ${int})`)

  await run(`CREATE TABLE channels (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    name ${text} not null, name_fold ${text} not null, is_private ${count}, archived_at ${int}, is_listed ${count},
    created_at ${int} not null, posts_count ${count}, resolved_count ${count}, members_count ${count})`)
  await run('CREATE UNIQUE INDEX channels_id ON channels (workspace_key, id)')
  await run('CREATE UNIQUE INDEX channels_name ON channels (workspace_key, name_fold)')
  await run('CREATE INDEX channels_by_created_at ON channels (workspace_key, is_listed, created_at, id)')
  await run('CREATE INDEX channels_by_name ON channels (workspace_key, is_listed, name_fold, id)')

  await run(`CREATE TABLE channel_members (
    workspace_key ${int} not null, channel_key ${int} not null references channels (key),
    author_key ${int} not null references authors (key), author_id ${text} not null, created_at ${int} not null,
    primary key (channel_key, author_key))`)
  await run(
    'CREATE INDEX channel_members_by_created_at ON channel_members (workspace_key, channel_key, created_at, author_id)',
  )
  await run('CREATE INDEX channel_members_of_author ON channel_members (workspace_key, author_key, channel_key)')

  await run(`CREATE TABLE posts (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    channel_key ${int} not null references channels (key), author_key ${int} not null references authors (key),
    published_at ${int} not null, last_activity_at ${int} not null,
    comments_count ${count}, root_comments_count ${count}, stamp ${count}, is_listed ${count}, is_resolved ${count},
    resolved_at ${int}, resolved_by_key ${count}, resolved_comment_key ${count},
    title text not null, content text not null, resolved_html text, markdown text not null, resolved_markdown text)`)
  await run('CREATE UNIQUE INDEX posts_id ON posts (workspace_key, id)')
  // An open and a resolved half each: a list of both merges the two, and neither filter ever scans.
  for (const sort of ['published_at', 'last_activity_at']) {
    await run(`CREATE INDEX posts_listed_by_${sort} ON posts (workspace_key, is_listed, is_resolved, ${sort}, id)`)
    await run(
      `CREATE INDEX posts_of_channel_by_${sort} ON posts (workspace_key, channel_key, is_resolved, ${sort}, id)`,
    )
  }

  await run(`CREATE TABLE comments (
    key ${key}, id ${text} not null, workspace_key ${int} not null, post_key ${int} not null,
    parent_key ${count}, author_key ${int} not null references authors (key), created_at ${int} not null,
    replies_count ${count}, is_deleted ${count}, content text not null, markdown text not null)`)
  await run('CREATE UNIQUE INDEX comments_id ON comments (workspace_key, id)')
  await run('CREATE INDEX comments_of_post ON comments (workspace_key, post_key, created_at, id)')
  await run('CREATE INDEX comments_of_parent ON comments (workspace_key, post_key, parent_key, created_at, id)')

  await run(`CREATE TABLE threads (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), title text not null, direct_pair ${text},
    created_at ${int} not null, last_activity_at ${int} not null, messages_count ${count})`)
  await run('CREATE UNIQUE INDEX threads_id ON threads (workspace_key, id)')
  await run('CREATE UNIQUE INDEX threads_direct ON threads (workspace_key, direct_pair)')

  await run(`CREATE TABLE thread_members (
    workspace_key ${int} not null, thread_key ${int} not null references threads (key),
    author_key ${int} not null references authors (key), thread_id ${text} not null,
    last_activity_at ${int} not null, primary key (thread_key, author_key))`)
  await run(
    'CREATE INDEX thread_members_of_author ON thread_members (workspace_key, author_key, last_activity_at, thread_id)',
  )

  await run(`CREATE TABLE messages (
    key ${key}, id ${text} not null, workspace_key ${int} not null, thread_key ${int} not null references threads (key),
    parent_key ${count}, author_key ${int} not null references authors (key), created_at ${int} not null,
    updated_at ${int} not null, content text not null, markdown text not null)`)
  await run('CREATE UNIQUE INDEX messages_id ON messages (workspace_key, id)')
  await run('CREATE INDEX messages_of_thread ON messages (workspace_key, thread_key, created_at, id)')
  await run('CREATE INDEX messages_of_parent ON messages (workspace_key, thread_key, parent_key)')

  await run(`CREATE TABLE events (
    workspace_key ${int} not null references workspaces (key), revision ${int} not null, type ${text} not null,
    actor_key ${int} not null, channel_key ${count}, thread_key ${count}, created_at ${int} not null,
    data text not null, primary key (workspace_key, revision))`)

  await run(`CREATE TABLE idempotency_keys (
    workspace_key ${int} not null, author_key ${int} not null, key ${text} not null, request_hash ${text} not null,
    answer text, created_at ${int} not null, primary key (workspace_key, author_key, key))`)
  await run('CREATE INDEX idempotency_keys_by_created_at ON idempotency_keys (created_at)')
}
