import { sql } from 'kysely'
import { insertRows } from '../bulk'
import { prepare, type Writer } from '../db'
import {
  type BuildCondition,
  DAY_MS,
  type IndexedText,
  KEYS_IN_BLOCK,
  type KeyedText,
  type Match,
  type SearchIndex,
} from './search-index'
import { openScan } from './sqlite-scan'
import { encodeSize, expandTerms, matchExpression, wordsOf } from './sqlite-words'

/** Pages that one step of a merge writes: a few milliseconds. */
const MERGED_PAGES = 100
/** A write that adds texts never merges them with others, unless as many parts as this wait for it. */
const MAX_PARTS = 1_500

const insertText = prepare(
  (_, param) => sql<never>`INSERT INTO search_index (rowid, words) VALUES
    (${param<number>('key')}, ${param<string>('words')})`,
)

const addDays = prepare(
  (_, param) => sql<never>`INSERT INTO search_days (day, block)
    SELECT DISTINCT added.value ->> 0, added.value ->> 1 FROM json_each(${param<string>('days')}) AS added
    WHERE NOT EXISTS (SELECT 1 FROM search_days WHERE day = added.value ->> 0 AND block = added.value ->> 1)`,
)

const lastKey = prepare(() => sql<{ seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = 'search_documents'`)

const deleteDocuments = prepare((db, param) =>
  db.deleteFrom('search_documents').where(db.syntax.isInJson('key', param<string>('keys'))),
)

const deleteTexts = prepare(
  (db, param) => sql<never>`DELETE FROM search_index WHERE ${db.syntax.isInJson('rowid', param<string>('keys'))}`,
)

const purgeIsDue = prepare((db) =>
  db.updateTable('search_state').set({ is_purge_due: true }).where('is_purge_due', '=', false),
)

/** One statement for each function that builds a condition: there are few. */
const statements = new Map<BuildCondition, ReturnType<typeof findStatement>>()

/** The index is read in the order of its keys, so that no more is read than the limit asks for. */
const findStatement = (build: BuildCondition) =>
  prepare(
    (
      _,
      param,
      scan: string,
      shape: readonly string[],
    ) => sql<Match>`SELECT d.key, d.type, d.record_key, d.title_signature
      FROM search_index CROSS JOIN search_documents AS d ON d.key = search_index.rowid
      WHERE search_index MATCH ${param<string>('match')}
        AND search_index.rowid BETWEEN ${param<number>('from')} AND ${param<number>('to')}
        AND ${build(param, shape)}
      ORDER BY search_index.rowid ${sql.raw(scan)} LIMIT ${param<number>('limit')}`,
  )

const findTokensStatement = prepare(
  (_, param) => sql<{ token: string }>`SELECT value AS token FROM json_each(${param<string>('tokens')})
    WHERE EXISTS (SELECT 1 FROM search_index WHERE search_index MATCH '"' || value || '"')`,
)

const sizeByKeys = prepare(
  (db, param) => sql<{ key: number; size: Uint8Array }>`SELECT id AS key, sz AS size FROM search_index_docsize
    WHERE ${db.syntax.isInJson('id', param<string>('keys'))}`,
)

const merge = prepare(
  (_, param) => sql<never>`INSERT INTO search_index (search_index, rank) VALUES ('merge', ${param<number>('pages')})`,
)
const changes = prepare(() => sql<{ changes: number }>`SELECT total_changes() AS changes`)

/**
 * There is one writer at a time, so what follows the last key is free until the end of the transaction. By ascending keys: FTS5
 * begins a new part of the index, of which it can have 2,000, where one is lower than that before it.
 */
async function withKeys(db: Writer, texts: readonly IndexedText[]): Promise<KeyedText[]> {
  let next = texts.every(({ key }) => key !== undefined) ? 0 : ((await lastKey(db, [], {}))[0]?.seq ?? 0) + 1
  const keyed = texts.map((text) => ({ ...text, key: text.key ?? next++ }))
  return keyed.sort((a, b) => a.key - b.key)
}

/** FTS5, without the texts themselves. Its tokenizer only splits at spaces: domain/search makes the tokens. */
export const sqliteSearchIndex: SearchIndex = {
  async create(db) {
    await sql`CREATE VIRTUAL TABLE search_index
      USING fts5(words, content='', contentless_delete=1, tokenize='ascii')`.execute(db)
    const configure = (name: string, value: number) =>
      sql`INSERT INTO search_index (search_index, rank) VALUES (${name}, ${value})`.execute(db)
    await configure('automerge', 0)
    await configure('crisismerge', MAX_PARTS)
  },

  async leaveRoom(db, count) {
    await sql`INSERT INTO sqlite_sequence (name, seq) SELECT 'search_documents', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'search_documents')`.execute(db)
    await sql`UPDATE sqlite_sequence SET seq = seq + ${count} WHERE name = 'search_documents'`.execute(db)
    const { rows } = await sql<{
      seq: number
    }>`SELECT seq FROM sqlite_sequence WHERE name = 'search_documents'`.execute(db)
    return rows[0]!.seq + 1
  },

  async add(db, texts) {
    const keyed = await withKeys(db, texts)
    await insertRows(
      db,
      'search_documents',
      keyed.map(({ key, document }) => ({ key, ...document })),
    )
    const days = keyed.map(({ key, document }) => [
      Math.floor(document.created_at / DAY_MS),
      Math.floor(key / KEYS_IN_BLOCK),
    ])
    await addDays(db, [], { days: JSON.stringify(days) })
    for (const text of keyed) await insertText(db, [], { key: text.key, words: wordsOf(text).join(' ') })
  },

  async remove(db, keys) {
    await deleteTexts(db, [], { keys: JSON.stringify(keys) })
    await deleteDocuments(db, [], { keys: JSON.stringify(keys) })
    await purgeIsDue(db, [], {})
  },

  async clear(db) {
    await sql`INSERT INTO search_index (search_index) VALUES ('delete-all')`.execute(db)
    await db.deleteFrom('search_documents').execute()
  },

  expand: expandTerms,

  find(db, query) {
    const { condition, scan, from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, limit } = query
    const statement = statements.getOrInsertComputed(condition.build, () => findStatement(condition.build))
    const values = { ...condition.values, match: matchExpression(query), from, to, limit }
    return statement(db, [scan, condition.shape], values)
  },

  async findTokens(db, tokens) {
    const rows = await findTokensStatement(db, [], { tokens: JSON.stringify(tokens) })
    return new Set(rows.map(({ token }) => token))
  },

  // The number of words. The words themselves are compared by a scan.
  async findDifferent(db, texts) {
    const rows = await sizeByKeys(db, [], { keys: JSON.stringify(texts.map(({ key }) => key)) })
    const sizes = new Map(rows.map(({ key, size }) => [key, Buffer.from(size)]))
    return texts.filter((text) => !sizes.get(text.key)?.equals(encodeSize(text))).map(({ key }) => key)
  },

  openScan,

  // A step that changes nothing but itself was the last.
  async tidy(db) {
    const [before] = await changes(db, [], {})
    await merge(db, [], { pages: MERGED_PAGES })
    const [after] = await changes(db, [], {})
    return after!.changes - before!.changes >= 2
  },

  // All parts become one, in which nothing is left of what was removed.
  async beginPurge(db) {
    await merge(db, [], { pages: -MERGED_PAGES })
  },
}
