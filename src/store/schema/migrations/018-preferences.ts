import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** How the web app behaves for each member. */
export async function up(db: Kysely<never>, { text }: SqlSyntax) {
  await sql.raw(`ALTER TABLE members ADD COLUMN preferences ${text} not null default '{}'`).execute(db)
}
