import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Posts that are pinned to their channels, and posts that members saved, with their reminders. */
export async function up(db: Kysely<never>, { int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`CREATE TABLE pins (
    post_key ${int} primary key references posts (key), post_id ${text} not null,
    workspace_key ${int} not null references workspaces (key), channel_key ${int} not null references channels (key),
    author_key ${int} not null references authors (key), pinned_at ${int} not null)`)
  await run('CREATE INDEX pins_of_channel ON pins (workspace_key, channel_key, pinned_at, post_id)')

  await run(`CREATE TABLE saved_posts (
    author_key ${int} not null references authors (key), post_key ${int} not null references posts (key),
    post_id ${text} not null, workspace_key ${int} not null references workspaces (key),
    saved_at ${int} not null, remind_at ${int}, primary key (author_key, post_key))`)
  await run('CREATE INDEX saved_posts_by_time ON saved_posts (author_key, saved_at, post_id)')
  await run('CREATE INDEX saved_posts_of_post ON saved_posts (post_key)')
  await run('CREATE INDEX reminders_due ON saved_posts (remind_at, author_key, post_key) WHERE remind_at IS NOT NULL')
}
