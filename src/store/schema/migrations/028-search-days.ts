import { type Kysely, sql } from 'kysely'
import type { SqlSyntax } from '../../engines/syntax'

const KEYS_AT_ONCE = 64 * 2_048

/**
 * The days of the records in each block of keys of the search index, by which records of a period are found, even if the clock
 * was wrong when they were written; and a secret for the keys in cursors.
 */
export async function up(db: Kysely<never>, { int, text }: SqlSyntax) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`ALTER TABLE search_state ADD COLUMN secret ${text} not null default ''`)
  await sql`UPDATE search_state SET secret = ${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`.execute(
    db,
  )

  await run(`CREATE TABLE search_days (day ${int} not null, block ${int} not null)`)
  await run('CREATE INDEX search_days_by_day ON search_days (day, block)')
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    SELECT min(key) AS first, max(key) AS last FROM search_documents`.execute(db)
  const [first, last] = [Number(rows[0]!.first ?? 1), Number(rows[0]!.last ?? 0)]
  // By whole blocks, so that no pair is inserted twice.
  for (let from = first - (first % KEYS_AT_ONCE); from <= last; from += KEYS_AT_ONCE)
    await sql`INSERT INTO search_days (day, block)
      SELECT DISTINCT created_at / 86400000, key / 2048 FROM search_documents
      WHERE key >= ${from} AND key < ${from + KEYS_AT_ONCE}`.execute(db)
}
