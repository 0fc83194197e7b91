import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

/**
 * An index that alone answers which deliveries are due. Deleted webhooks are noted, so that their deliveries can be deleted
 * in batches afterwards.
 */
export async function up(db: Kysely<never>, { int }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run('DROP INDEX deliveries_due')
  await run('CREATE INDEX deliveries_due ON deliveries (webhook_key, next_attempt_at, key)')
  await run(`CREATE TABLE deleted_webhooks (webhook_key ${int} primary key)`)
}
