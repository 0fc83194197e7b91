import type { Reader, Writer } from '../db'
import { searchIndexOf } from '../engines/search'

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
