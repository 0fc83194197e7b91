import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** A nonce for each change, so that a restored workspace can be told from the one it was; and where its log begins. */
export async function up(db: Kysely<never>, { int }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)
  const count = `${int} not null default 0`

  for (const column of ['nonce', 'pruned_revision', 'pruned_nonce'])
    await run(`ALTER TABLE workspaces ADD COLUMN ${column} ${count}`)
  await run(`ALTER TABLE events ADD COLUMN nonce ${count}`)
  await run(`UPDATE workspaces SET pruned_revision = coalesce(
    (SELECT min(revision) - 1 FROM events WHERE events.workspace_key = workspaces.key), revision)`)
}
