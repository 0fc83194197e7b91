import { sql } from 'kysely'
import type { SearchType } from '../../contract/search'
import { kindNumbers } from '../../domain/references'
import { documentTokens, plainText } from '../../domain/search/document'
import { matchesTitle, mayHaveAll, querySignature, type Terms, titleSignature } from '../../domain/search/terms'
import { tokensOf } from '../../domain/search/tokens'
import { prepare, type Reader } from '../engines/db'
import type { IndexedDocument, IndexedText, Match } from '../engines/search/search-index'
import { scopeWords, typeNamed } from './scope'

/** A record, with all that the index needs of it. */
export interface SearchableRecord {
  type: SearchType
  key: number
  workspace_key: number
  place_key: number
  post_key: number
  author_key: number
  created_at: number
  id: string
  /** Empty where there is none. */
  title: string
  /** HTML. */
  content: string
  /** The note of a resolution. */
  note: string | null
}

type Row = Omit<SearchableRecord, 'type'>

/** Which records: by ids of a workspace, or by keys. */
type Choice = 'ids' | 'keys'

/** Where the records of each type are, as `r`, with the columns that the index needs. */
export const recordTables: Record<
  SearchType,
  { table: string; time: string; columns: string; joins: string; where: string }
> = {
  post: {
    table: 'posts',
    time: 'published_at',
    columns: `r.channel_key AS place_key, r.key AS post_key, r.published_at AS created_at, r.title,
      r.resolved_html AS note`,
    joins: '',
    where: '1 = 1',
  },
  comment: {
    table: 'comments',
    time: 'created_at',
    columns: "p.channel_key AS place_key, r.post_key, r.created_at, '' AS title, NULL AS note",
    joins: 'JOIN posts AS p ON p.key = r.post_key',
    where: 'r.is_deleted = 0',
  },
  message: {
    table: 'messages',
    time: 'created_at',
    columns: "r.thread_key AS place_key, 0 AS post_key, r.created_at, '' AS title, NULL AS note",
    joins: '',
    where: '1 = 1',
  },
}

const readRecords = prepare((db, param, type: string, by: string) => {
  const { table, columns, joins, where } = recordTables[type as SearchType]
  const { syntax } = db
  const chosen = {
    ids: syntax.hasIdInJson('r', param<number>('workspace'), param<string>('ids')),
    keys: syntax.isInJson('r.key', param<string>('keys')),
  }[by as Choice]
  return sql<Row>`SELECT r.key, r.id, r.workspace_key, r.author_key, r.content, ${sql.raw(columns)}
    FROM ${sql.table(table)} AS r ${sql.raw(joins)} WHERE ${sql.raw(where)} AND ${chosen}`
})

const withType = (rows: Row[], type: SearchType): SearchableRecord[] => rows.map((row) => ({ ...row, type }))

export const findRecordsByIds = async (
  db: Reader,
  type: SearchType,
  workspace: number,
  ids: readonly string[],
): Promise<SearchableRecord[]> =>
  withType(await readRecords(db, [type, 'ids'], { workspace, ids: JSON.stringify(ids) }), type)

const findRecordsByKeys = async (db: Reader, type: SearchType, keys: readonly number[]): Promise<SearchableRecord[]> =>
  withType(await readRecords(db, [type, 'keys'], { keys: JSON.stringify(keys) }), type)

/** The document of a record for the index. */
function toIndexedText(record: SearchableRecord): IndexedText {
  const { type, workspace_key, place_key, author_key } = record
  const location = type === 'message' ? scopeWords.thread(place_key) : scopeWords.channel(place_key)
  const scope = [scopeWords.workspace(workspace_key), location, scopeWords.author(author_key), scopeWords.type(type)]
  const tokens = documentTokens(textOf(record))
  return { document: toDocument(record, tokens.title), ...tokens, scope }
}

/** A record, and the key of its document if it has one. */
export interface IndexEntry {
  record: SearchableRecord
  key?: number
}

/** Characters of records that are made into texts at once. */
const MAX_PART = 100_000

/**
 * The documents of these records for the index, a part at a time. Long texts take a tenth of a second each: the caller should await
 * something between the parts, so that requests have their turn. All together could be more than PostgreSQL takes in a statement.
 */
export function* textsInParts<Entry extends IndexEntry>(
  entries: readonly Entry[],
): Generator<(IndexedText & Pick<Entry, 'key'>)[]> {
  let part: (IndexedText & Pick<Entry, 'key'>)[] = []
  let length = 0
  for (const { record, key } of entries) {
    part.push({ ...toIndexedText(record), key })
    length += lengthOf(record)
    if (length < MAX_PART) continue
    yield part
    part = []
    length = 0
  }
  if (part.length > 0) yield part
}

const textOf = ({ title, content, note }: SearchableRecord) => ({
  title,
  content: note === null ? [plainText(content)] : [plainText(content), plainText(note)],
})

/** About how long its text takes. */
export const lengthOf = ({ content, note }: SearchableRecord): number => content.length + (note?.length ?? 0)

const toDocument = (record: SearchableRecord, title: readonly string[]): IndexedDocument => ({
  workspace_key: record.workspace_key,
  type: kindNumbers[record.type],
  record_key: record.key,
  place_key: record.place_key,
  post_key: record.post_key,
  created_at: record.created_at,
  title_signature: titleSignature(title),
})

/** How many titles are read at once. */
const BATCH = 64

const titlesOfPosts = prepare((db, param) =>
  db
    .selectFrom('posts')
    .where(db.syntax.isInJson('key', param<string>('keys')))
    .select(['key', 'title']),
)

/** The keys of the matches with all words in the title, in their order; no more are looked for once there are as many as wanted. */
export async function findInTitle(
  db: Reader,
  terms: Terms,
  matches: readonly Match[],
  wanted: number,
): Promise<Set<number>> {
  const signature = querySignature(terms)
  const possible = matches.filter(
    ({ type, title_signature }) => type === kindNumbers.post && mayHaveAll(title_signature, signature),
  )
  const found = new Set<number>()
  for (let from = 0; from < possible.length && found.size < wanted; from += BATCH) {
    const batch = possible.slice(from, from + BATCH)
    const titles = await readTitles(
      db,
      batch.map(({ record_key }) => record_key),
    )
    for (const { key, record_key } of batch) {
      const title = titles.get(record_key)
      if (title !== undefined && matchesTitle(terms, tokensOf(title))) found.add(key)
    }
  }
  return found
}

async function readTitles(db: Reader, posts: readonly number[]): Promise<Map<number, string>> {
  const rows = await titlesOfPosts(db, [], { keys: JSON.stringify(posts) })
  return new Map(rows.map(({ key, title }) => [key, title]))
}

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
