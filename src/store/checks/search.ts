import { type Selectable, sql } from 'kysely'
import { type SearchType, searchTypes } from '../../contract/search'
import { kindNumbers } from '../../domain/references'
import { countRows, prepare, type Reader } from '../engines/db'
import { noProgress, type OpenProgress } from '../engines/engine'
import { searchIndexOf } from '../engines/search'
import {
  DAY_MS,
  documentColumns,
  type IndexScan,
  KEYS_IN_BLOCK,
  type KeyedText,
  type Read,
} from '../engines/search/search-index'
import type { Tables } from '../schema'
import { findBuildState } from '../search/build'
import { typeNamed } from '../search/scope'
import { findRecordsOf, recordTables, type SearchableRecord, textsInParts } from '../search/texts'

/** How many documents, of which each may be as long as a text can be, and how many keys of records, one read looks at. */
const BATCH = 200
const KEY_RANGE = 10_000
const MAX_REPORTED = 100
/** How many of the differing documents are looked at again. */
const MAX_SUSPECTS = 1_000

type DocumentRow = Selectable<Tables['search_documents']>

/**
 * Compares the search index with the records. A sentence for each difference; while it is built, nothing counts as missing.
 *
 * It takes time in proportion to the texts, in short reads, so that it may run beside a server. Where only the whole index can be
 * compared, what differs may have been written meanwhile: it is wrong if it differs again.
 */
export async function compareIndex(read: Read, openProgress: OpenProgress = noProgress): Promise<string[]> {
  const wrong = await findMissing(read)
  const scan = await read(async (db) => searchIndexOf(db).openScan?.())
  wrong.push(...(await compareDocuments(read, scan, openProgress)))
  // The scan knows all texts only if all documents were compared.
  if (scan && wrong.length < MAX_REPORTED) wrong.push(...(await compareWords(read, scan, openProgress)))
  return [...new Set(wrong)].slice(0, MAX_REPORTED)
}

async function findMissing(read: Read): Promise<string[]> {
  const wrong: string[] = []
  for (const type of searchTypes) {
    const [found] = await read((db) => lastKey(db, [recordTables[type].table], {}))
    for (let after = 0; after < (found!.last ?? 0) && wrong.length < MAX_REPORTED; after += KEY_RANGE) {
      const missing = await read(async (db) => {
        // Another process may begin to build it anew at any time.
        const { isBuilt } = await findBuildState(db)
        return isBuilt ? missingAfter(db, [type], { after, until: after + KEY_RANGE }) : []
      })
      wrong.push(...missing.map(({ id }) => `${id} is not in the search index.`))
    }
  }
  return wrong
}

const lastKey = prepare(
  (_, _param, table: string) => sql<{ last: number | null }>`SELECT max(key) AS last FROM ${sql.table(table)}`,
)

const missingAfter = prepare((_, param, type: string) => {
  const { table, joins, where } = recordTables[type as SearchType]
  return sql<{ id: string }>`SELECT r.id FROM ${sql.table(table)} AS r ${sql.raw(joins)}
    LEFT JOIN search_documents AS d ON d.type = ${sql.lit(kindNumbers[type as SearchType])} AND d.record_key = r.key
    WHERE r.key > ${param<number>('after')} AND r.key <= ${param<number>('until')} AND ${sql.raw(where)} AND d.key IS NULL
    LIMIT ${sql.lit(MAX_REPORTED)}`
})

/** Compares the rows of `search_documents` with the records, and adds their texts to the scan. */
async function compareDocuments(read: Read, scan: IndexScan | undefined, openProgress: OpenProgress) {
  const wrong: string[] = []
  const progress = openProgress(
    'records compared with the search index',
    await read((db) => countRows(db.selectFrom('search_documents'))),
  )
  let done = 0
  try {
    for (let last = Number.MIN_SAFE_INTEGER; ; ) {
      const after = last
      const { documents, faults } = await read(async (db) => {
        const found = await documentsAfter(db, after)
        return { documents: found, faults: await compareBatch(db, found, scan) }
      })
      wrong.push(...faults)
      done += documents.length
      progress.report(done)
      if (documents.length < BATCH || wrong.length >= MAX_REPORTED) return wrong
      last = documents.at(-1)!.key
    }
  } finally {
    progress.end()
  }
}

const documentRows = (db: Reader) =>
  db
    .selectFrom('search_documents')
    .select(['key', ...documentColumns])
    .orderBy('key')

const documentsAfter = (db: Reader, last: number): Promise<DocumentRow[]> =>
  documentRows(db).where('key', '>', last).limit(BATCH).execute()

const documentsByKeys = (db: Reader, keys: readonly number[]): Promise<DocumentRow[]> =>
  documentRows(db)
    .where(db.syntax.isInJson('key', JSON.stringify(keys)))
    .execute()

interface Pair {
  record: SearchableRecord
  key: number
  document: DocumentRow
}

/** Documents that cannot be found by their time: see `findKeysBetween`. */
const withoutDay = prepare(
  (db, param) => sql<{ key: number }>`SELECT d.key FROM search_documents AS d
    WHERE ${db.syntax.isInJson('d.key', param<string>('keys'))} AND NOT EXISTS (SELECT 1 FROM search_days AS s
      WHERE s.day = d.created_at / ${sql.lit(DAY_MS)} AND s.block = d.key / ${sql.lit(KEYS_IN_BLOCK)})`,
)

async function compareBatch(db: Reader, documents: readonly DocumentRow[], scan: IndexScan | undefined) {
  const { pairs, withoutRecord } = await withRecords(db, documents)
  const undated = new Set(
    (await withoutDay(db, [], { keys: JSON.stringify(documents.map(({ key }) => key)) })).map(({ key }) => key),
  )
  const wrong = withoutRecord.map(
    ({ type, record_key }) => `The search index holds ${typeNamed(type)} ${record_key}, which does not exist.`,
  )
  const byKey = new Map(pairs.map((pair) => [pair.key, pair]))
  for (const { key, record } of pairs)
    if (undated.has(key)) wrong.push(`${record.id} cannot be found by its date in the search index.`)
  for (const texts of textsInParts(pairs)) {
    const different = new Set(await searchIndexOf(db).findDifferent(db, texts))
    for (const { key, document } of texts) {
      const pair = byKey.get(key)!
      if (different.has(key) || !Bun.deepEquals(pair.document, { key, ...document })) wrong.push(describe(pair.record))
    }
    scan?.expect(texts)
  }
  return wrong
}

const describe = (record: SearchableRecord) => `${record.id} is in the search index with another text.`

async function withRecords(db: Reader, documents: readonly DocumentRow[]) {
  const recordOf = await findRecordsOf(db, documents)
  const pairs: Pair[] = []
  const withoutRecord: DocumentRow[] = []
  for (const document of documents) {
    const record = recordOf(document)
    if (record) pairs.push({ record, key: document.key, document })
    else withoutRecord.push(document)
  }
  return { pairs, withoutRecord }
}

async function compareWords(read: Read, scan: IndexScan, openProgress: OpenProgress): Promise<string[]> {
  const { different, surplus } = await runScan(read, scan, openProgress)
  const wrong: string[] = []
  for (const entry of surplus)
    if (wrong.length < MAX_REPORTED && (await read(async (db) => isSurplus(db, scan, entry))))
      wrong.push(`The search index holds a text under ${entry.key} that belongs to no record.`)
  const suspects = different.slice(0, MAX_SUSPECTS)
  if (suspects.length === 0) return wrong

  const again = await read(async (db) => searchIndexOf(db).openScan!())
  await forEachText(read, suspects, (text) => {
    if (scan.isExpected(text)) again.expect([text])
  })
  const stillDifferent = (await runScan(read, again, openProgress)).different
  await forEachText(read, stillDifferent, (text, record) => {
    if (again.isExpected(text)) wrong.push(describe(record))
  })
  return wrong
}

async function runScan(read: Read, scan: IndexScan, openProgress: OpenProgress) {
  const progress = openProgress('words of the search index read', scan.words())
  let done = 0
  try {
    return await scan.run(read, (words) => {
      done += words
      progress.report(done)
    })
  } finally {
    progress.end()
  }
}

const isSurplus = async (db: Reader, scan: IndexScan, entry: { key: number; word: string }): Promise<boolean> =>
  (await documentsByKeys(db, [entry.key])).length === 0 && (await scan.holds(db, entry))

/** The current texts of these documents. Deleted ones are left out. */
async function forEachText(
  read: Read,
  keys: readonly number[],
  onText: (text: KeyedText, record: SearchableRecord) => void,
) {
  for (let at = 0; at < keys.length; at += BATCH)
    await read(async (db) => {
      const { pairs } = await withRecords(db, await documentsByKeys(db, keys.slice(at, at + BATCH)))
      const byKey = new Map(pairs.map(({ key, record }) => [key, record]))
      for (const texts of textsInParts(pairs)) for (const text of texts) onText(text, byKey.get(text.key)!)
    })
}
