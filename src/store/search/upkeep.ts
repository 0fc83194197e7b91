import { sql } from 'kysely'
import type { Reader, Writer } from '../engines/db'
import { searchIndexOf } from '../engines/search'
import { DAY_MS, KEYS_IN_BLOCK } from '../engines/search/search-index'

/** Whether all parts of the index should become one: texts were removed whose words may still be in the file, or it was built. */
export async function isPurgeDue(db: Reader): Promise<boolean> {
  const state = await db.selectFrom('search_state').select('is_purge_due').executeTakeFirstOrThrow()
  return state.is_purge_due
}

/** Does a part of the work that keeps searching fast. Resolves to whether there is more to do. */
export const tidyIndex = (db: Writer): Promise<boolean> => searchIndexOf(db).tidy(db)

/** Begins to make all parts of the index one, without the words of removed texts. `tidyIndex` does the rest, step by step. */
export async function beginPurge(db: Writer) {
  await db.updateTable('search_state').set({ is_purge_due: false }).execute()
  await searchIndexOf(db).beginPurge?.(db)
}

/** Many more than are written while nodes are upgraded one after the other. Reading them takes some ten milliseconds. */
const NEWEST = 50_000

/**
 * Notes the days of the newest records where they are not. A node of a version that did not note them may have written
 * some after another had migrated the database.
 */
export const addMissingDays = (db: Writer) =>
  sql`INSERT INTO search_days (day, block)
    SELECT day, block FROM (
      SELECT DISTINCT created_at / ${sql.lit(DAY_MS)} AS day, key / ${sql.lit(KEYS_IN_BLOCK)} AS block FROM search_documents
      WHERE key > (SELECT max(key) FROM search_documents) - ${sql.lit(NEWEST)}
    ) AS written
    WHERE NOT EXISTS (SELECT 1 FROM search_days AS s WHERE s.day = written.day AND s.block = written.block)`.execute(db)
