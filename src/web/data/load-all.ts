/** Longer lists are cut off. */
const MAX_RECORDS = 500

/** Loads all pages of a list that is usually short. */
export async function loadAll<R>(list: AsyncIterable<R>): Promise<R[]> {
  const records: R[] = []
  for await (const record of list) {
    records.push(record)
    if (records.length === MAX_RECORDS) break
  }
  return records
}
