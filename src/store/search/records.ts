import type { Reader } from '../engines/db'
import { findRecordsByKeys, type SearchableRecord } from './texts'
import { typeNamed } from './types'

/** How rows of the index refer to a record. */
interface RecordReference {
  type: number
  record_key: number
}

/** Reads the records that rows of the index refer to. */
export async function findRecordsOf(
  db: Reader,
  references: readonly RecordReference[],
): Promise<(reference: RecordReference) => SearchableRecord | undefined> {
  const found = new Map<string, SearchableRecord>()
  for (const [type, ofType] of Map.groupBy(references, (reference) => reference.type)) {
    const keys = ofType.map(({ record_key }) => record_key)
    for (const record of await findRecordsByKeys(db, typeNamed(type), keys)) found.set(`${type} ${record.key}`, record)
  }
  return ({ type, record_key }) => found.get(`${type} ${record_key}`)
}
