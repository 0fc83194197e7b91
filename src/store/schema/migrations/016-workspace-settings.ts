import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * The icon of a workspace and whether it is set up, descriptions of channels, profiles of members, and the posts of each
 * author: an index for each order, and how many there are in each channel.
 */
export async function up(db: Kysely<never>, { int, text, bytes }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const count = `${int} not null default 0`

  await run('ALTER TABLE workspaces ADD COLUMN icon text')
  await run(`ALTER TABLE workspaces ADD COLUMN is_set_up ${count}`)
  await run('UPDATE workspaces SET is_set_up = 1')
  await run(`CREATE TABLE workspace_icons (
    workspace_key ${int} primary key references workspaces (key), name ${text} not null unique,
    created_at ${int} not null, image ${bytes} not null)`)

  await run("ALTER TABLE channels ADD COLUMN description text not null default ''")
  await run('ALTER TABLE members ADD COLUMN job_title text')
  await run('ALTER TABLE members ADD COLUMN time_zone text')

  await run(`CREATE TABLE author_posts (
    workspace_key ${int} not null, author_key ${int} not null references authors (key),
    channel_key ${int} not null references channels (key), posts_count ${count}, resolved_count ${count},
    primary key (author_key, channel_key))`)
  await run(`INSERT INTO author_posts (workspace_key, author_key, channel_key, posts_count, resolved_count)
    SELECT workspace_key, author_key, channel_key, count(*), sum(is_resolved)
    FROM posts GROUP BY workspace_key, author_key, channel_key`)
  for (const sort of ['published_at', 'last_activity_at'])
    await run(`CREATE INDEX posts_of_author_by_${sort}
      ON posts (workspace_key, author_key, channel_key, is_resolved, ${sort}, id)`)
}
