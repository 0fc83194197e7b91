import { everyRecord } from '../../client'
import type { Page } from '../../contract/page'

/** More than that of something one looks at whole is not shown. */
const MAX_RECORDS = 500

/** The whole of a list that is short by its nature. */
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
