import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * What members have read and follow, and their inboxes. What was there before is read by everyone: revisions are noted from
 * here on, and everyone has read up to the present one.
 */
export async function up(db: Kysely<never>, { int }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  for (const table of ['posts', 'threads'])
    await run(`ALTER TABLE ${table} ADD COLUMN activity_revision ${int} not null default 0`)
  await run(`ALTER TABLE posts ADD COLUMN own_revision ${int} not null default 0`)
  for (const table of ['comments', 'messages'])
    await run(`ALTER TABLE ${table} ADD COLUMN revision ${int} not null default 0`)
  await run('CREATE INDEX posts_activity ON posts (channel_key, activity_revision)')
  await run('CREATE INDEX comments_revision ON comments (post_key, revision)')
  await run('CREATE INDEX messages_revision ON messages (thread_key, revision)')

  await run(`ALTER TABLE members ADD COLUMN read_revision ${int} not null default 0`)
  await run('UPDATE members SET read_revision = (SELECT revision FROM workspaces WHERE key = members.workspace_key)')

  await run(`ALTER TABLE events ADD COLUMN recipients text not null default ''`)
  await run(`ALTER TABLE events ADD COLUMN mentioned text not null default ''`)

  await run(`CREATE TABLE attention (author_key ${int} not null, subject_type ${int} not null, subject_key ${int} not null,
    workspace_key ${int} not null, channel_key ${int} not null,
    read_revision ${int} not null default 0, is_marked_unread ${int} not null default 0,
    level ${int}, is_level_chosen ${int} not null default 0,
    entry_id text, entry_revision ${int}, entry_at ${int}, reason text, actor_key ${int}, item_key ${int},
    read_at ${int}, archived_at ${int}, primary key (author_key, subject_type, subject_key))`)
  await run('CREATE INDEX attention_followers ON attention (subject_type, subject_key, level, author_key)')
  await run('CREATE UNIQUE INDEX attention_entries ON attention (workspace_key, entry_id) WHERE entry_id IS NOT NULL')
  await run(`CREATE INDEX attention_inbox ON attention (author_key, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NULL`)
  await run(`CREATE INDEX attention_archived ON attention (author_key, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NOT NULL`)
  await run(`CREATE INDEX attention_unread ON attention (author_key, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NULL AND read_at IS NULL`)
  await run(`CREATE INDEX attention_reason ON attention (author_key, reason, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NULL`)
  await run(`CREATE INDEX attention_unread_places ON attention (author_key, channel_key)
    WHERE entry_id IS NOT NULL AND read_at IS NULL`)
  await run(`CREATE INDEX attention_marked ON attention (author_key, channel_key) WHERE is_marked_unread = 1`)

  await run(`CREATE TABLE inbox_positions (workspace_key ${int} primary key, revision ${int} not null,
    recipient_key ${int} not null)`)
  await run('INSERT INTO inbox_positions SELECT key, revision, 0 FROM workspaces')
}
