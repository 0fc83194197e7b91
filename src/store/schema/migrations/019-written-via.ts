import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** The program that wrote something for a member, and when what is not fixed by the specification was last changed. */
export async function up(db: Kysely<never>, { int }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  for (const table of ['posts', 'comments', 'messages', 'events']) await run(`ALTER TABLE ${table} ADD COLUMN via text`)
  await run('ALTER TABLE posts ADD COLUMN resolved_via text')
  for (const table of ['workspaces', 'channels', 'threads', 'apps', 'webhooks']) {
    await run(`ALTER TABLE ${table} ADD COLUMN updated_at ${int} not null default 0`)
    await run(`UPDATE ${table} SET updated_at = created_at`)
  }
  await run(`ALTER TABLE threads ADD COLUMN last_message_at ${int}`)
  // The latest activity may have been a message that was deleted since.
  await run(`UPDATE threads SET updated_at = last_activity_at, last_message_at = (SELECT max(m.created_at)
    FROM messages AS m WHERE m.workspace_key = threads.workspace_key AND m.thread_key = threads.key) WHERE messages_count > 0`)
}
