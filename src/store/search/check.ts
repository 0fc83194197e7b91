import { type Selectable, sql } from 'kysely'
import { type SearchType, searchTypes } from '../../contract/search'
import type { Reader } from '../db'
import { searchIndexOf } from '../engines/search'
import { documentColumns } from '../engines/search/search-index'
import type { Tables } from '../schema'
import { findBuildState } from './build'
import { findRecordsOf } from './records'
import { idOf, sources, textsInParts } from './texts'
import { typeNamed, typeNumbers } from './types'

const BATCH = 200
const MAX_REPORTED = 100

/** Compares the search index with the records. A sentence for each difference; while it is built, nothing counts as missing. */
export async function compareIndex(db: Reader): Promise<string[]> {
  const wrong: string[] = []
  if ((await findBuildState(db)).isBuilt)
    for (const type of searchTypes)
      for (const id of await findMissing(db, type)) wrong.push(`${id} is not in the search index.`)
  for (const key of await searchIndexOf(db).findOrphans(db, MAX_REPORTED))
    wrong.push(`The search index holds a text under ${key} that belongs to no record.`)
  await compareDocuments(db, wrong)
  return wrong.slice(0, MAX_REPORTED)
}

async function findMissing(db: Reader, type: SearchType): Promise<string[]> {
  const { table, joins, where } = sources[type]
  const rows = await db
    .selectFrom(
      sql<{ id: string }>`(SELECT r.id FROM ${sql.table(table)} AS r ${sql.raw(joins)}
        LEFT JOIN search_documents AS d ON d.type = ${sql.lit(typeNumbers[type])} AND d.record_key = r.key
        WHERE ${sql.raw(where)} AND d.key IS NULL LIMIT ${sql.lit(MAX_REPORTED)})`.as('missing'),
    )
    .select('id')
    .execute()
  return rows.map(({ id }) => id)
}

async function compareDocuments(db: Reader, wrong: string[]) {
  for (let last = Number.MIN_SAFE_INTEGER; wrong.length < MAX_REPORTED; ) {
    const documents = await db
      .selectFrom('search_documents')
      .where('key', '>', last)
      .select(['key', ...documentColumns])
      .orderBy('key')
      .limit(BATCH)
      .execute()
    await compareBatch(db, documents, wrong)
    if (documents.length < BATCH) return
    last = documents.at(-1)!.key
  }
}

type DocumentRow = Selectable<Tables['search_documents']>

async function compareBatch(db: Reader, documents: readonly DocumentRow[], wrong: string[]) {
  const recordOf = await findRecordsOf(db, documents)
  for (const document of documents.filter((each) => !recordOf(each)))
    wrong.push(`The search index holds ${typeNamed(document.type)} ${document.record_key}, which does not exist.`)
  const entries = documents.flatMap((document) => {
    const record = recordOf(document)
    return record ? [{ record, key: document.key, document }] : []
  })
  for (const texts of textsInParts(entries)) {
    const different = new Set(await searchIndexOf(db).findDifferent(db, texts))
    for (const { key, document } of texts) {
      const entry = entries.find((each) => each.key === key)!
      if (different.has(key) || !Bun.deepEquals(entry.document, { key, ...document }))
        wrong.push(`${idOf(entry.record)} is in the search index with another text.`)
    }
  }
}
