import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/** Which secret key the secrets in this database are encrypted with: one row, none until a server has started. */
export async function up(db: Kysely<never>, { int, text }: SqlSyntax) {
  await sql.raw(`CREATE TABLE secret_key (id ${int} primary key, fingerprint ${text} not null)`).execute(db)
}
