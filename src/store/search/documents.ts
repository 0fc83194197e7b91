import type { SearchType } from '../../contract/search'
import { textChangeOf } from '../../domain/events/effects'
import type { TextChange } from '../../domain/events/table'
import { endTurn } from '../../domain/fair-queue'
import { kindNumbers } from '../../domain/references'
import { inBatches } from '../engines/bulk'
import { prepare, type Reader, type Writer } from '../engines/db'
import { searchIndexOf } from '../engines/search'
import type { EventRow } from '../log/events'
import { findRecordsByIds, type IndexEntry, lengthOf, type SearchableRecord, textsInParts } from './texts'

/**
 * Brings the index up to date with events of this transaction: texts are read as they are now. Deleted ones have been removed
 * already, see `removeDocuments`.
 */
export async function indexEvents(db: Writer, events: readonly EventRow[]) {
  const changes = events.flatMap((event) => changeOf(event) ?? [])
  if (changes.length === 0) return
  for (const [workspaceKey, ofWorkspace] of Map.groupBy(changes, (change) => change.workspaceKey))
    for (const [type, ofType] of Map.groupBy(ofWorkspace, (change) => change.type)) {
      const ids = [...new Set(ofType.map(({ id }) => id))]
      const records = await findRecordsByIds(db, type, workspaceKey, ids)
      await endTurn({ length: records.reduce((sum, record) => sum + lengthOf(record), 0) })
      await indexRecords(db, type, records, new Set(ofType.filter(({ isNew }) => isNew).map(({ id }) => id)))
    }
}

interface Change extends TextChange {
  workspaceKey: number
  id: string
}

function changeOf({ type, subject_id, workspace_key }: EventRow): Change | undefined {
  const change = textChangeOf(type)
  return change && { ...change, workspaceKey: workspace_key, id: subject_id }
}

/**
 * Indexes new records, and indexes records again that are in the index. A record that is neither is older than the index: the
 * build will reach it, see build.ts.
 */
async function indexRecords(
  db: Writer,
  type: SearchType,
  records: readonly SearchableRecord[],
  newIds: ReadonlySet<string>,
) {
  const isNew = (record: SearchableRecord) => newIds.has(record.id)
  const added = records.filter(isNew).sort((a, b) => a.key - b.key)
  const others = records.filter((record) => !isNew(record))
  await replaceDocuments(db, type, others)
  if (added.length === 0) return
  await addDocuments(
    db,
    added.map((record) => ({ record })),
  )
}

/** Adds records to the index. */
export async function addDocuments(db: Writer, entries: readonly IndexEntry[]) {
  let isFirst = true
  for (const texts of textsInParts(entries)) {
    if (!isFirst) await new Promise(setImmediate)
    isFirst = false
    await searchIndexOf(db).add(db, texts)
  }
}

/** Indexes the records again that are in the index, and returns them. */
export async function replaceIndexed(db: Writer, records: readonly SearchableRecord[]): Promise<Set<SearchableRecord>> {
  const indexed = new Set<SearchableRecord>()
  for (const [type, ofType] of Map.groupBy(records, (record) => record.type)) {
    const keys = new Set(await replaceDocuments(db, type, ofType))
    for (const record of ofType) if (keys.has(record.key)) indexed.add(record)
  }
  return indexed
}

/** Returns the keys of the records that are in the index. */
async function replaceDocuments(db: Writer, type: SearchType, records: readonly SearchableRecord[]): Promise<number[]> {
  if (records.length === 0) return []
  const documents = await findDocuments(
    db,
    type,
    records.map(({ key }) => key),
  )
  if (documents.length === 0) return []
  const byKey = new Map(records.map((record) => [record.key, record]))
  await searchIndexOf(db).remove(
    db,
    documents.map(({ key }) => key),
  )
  await addDocuments(
    db,
    documents.map(({ key, record_key }) => ({ record: byKey.get(record_key)!, key })),
  )
  return documents.map(({ record_key }) => record_key)
}

const documentsOfRecords = prepare((db, param) =>
  db
    .selectFrom('search_documents')
    .where('type', '=', param<number>('type'))
    .where(db.syntax.isInJson('record_key', param<string>('keys')))
    .select(['key', 'record_key'])
    .orderBy('key'),
)

const findDocuments = (db: Reader, type: SearchType, recordKeys: readonly number[]) =>
  documentsOfRecords(db, [], { type: kindNumbers[type], keys: JSON.stringify(recordKeys) })

/** Removes records that are being deleted from the index. */
export const removeDocuments = (db: Writer, type: SearchType, recordKeys: readonly number[]) =>
  inBatches(recordKeys, async (some) => {
    const documents = (await findDocuments(db, type, some)).map(({ key }) => key)
    if (documents.length > 0) await searchIndexOf(db).remove(db, documents)
  })
