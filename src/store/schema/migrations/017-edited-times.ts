import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** When posts and comments were last edited, and when the answer of a post was deleted. The times of earlier edits are unknown. */
export async function up(db: Kysely<never>, { int }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`ALTER TABLE posts ADD COLUMN edited_at ${int}`)
  await run(`ALTER TABLE posts ADD COLUMN answer_deleted_at ${int}`)
  await run(`ALTER TABLE comments ADD COLUMN edited_at ${int}`)
}
