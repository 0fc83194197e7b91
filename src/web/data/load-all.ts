import { everyRecord } from '../../client'
import type { Page } from '../../contract/page'

/** Longer lists are cut off. */
const MAX_RECORDS = 500

/** Loads all pages of a list that is usually short. */
export async function loadAll<I extends { after?: string }, R>(
  list: ((input: I) => Promise<Page<R>>) | ((input?: I) => Promise<Page<R>>),
  input: I,
): Promise<R[]> {
  const records: R[] = []
  for await (const record of everyRecord(list, input)) {
    records.push(record)
    if (records.length === MAX_RECORDS) break
  }
  return records
}
