import { type Kysely, sql } from 'kysely'

/**
 * What receivers answered may repeat what was sent to them, so it goes when that is deleted: found by the event. Of what was
 * kept until now nobody can tell any more, so all of it goes.
 */
export async function up(db: Kysely<never>) {
  await sql`CREATE INDEX deliveries_of_event ON deliveries (workspace_key, revision)`.execute(db)
  await sql`UPDATE delivery_attempts SET response_body = NULL WHERE response_body IS NOT NULL`.execute(db)
}
