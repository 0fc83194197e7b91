import { type Kysely, type RawBuilder, sql } from 'kysely'
import { prepare, type Reader } from '../../db'
import { find } from './postgres-find'
import { BUCKET_BITS, lexeme, lexemesOf, wordsOf } from './postgres-lexemes'
import { documentColumns, type IndexedDocument, type IndexedText, type SearchIndex } from './search-index'

interface IndexTables {
  search_texts: IndexedDocument & { key: number; vector: string; title_words: string; content_words: string }
}

const columnTypes = documentColumns.map((column) => `${column} bigint`).join(', ')
const columnNames = documentColumns.join(', ')
const sameColumns = documentColumns.map((column) => `s.${column} = t.${column}`).join(' AND ')

/** The table is no part of the schema that both engines share. */
const tablesOf = (db: unknown) => db as Kysely<IndexTables>

const addTexts = prepare((db, param) =>
  tablesOf(db)
    .insertInto('search_texts')
    .columns(['key', ...documentColumns, 'vector', 'title_words', 'content_words'])
    .expression(
      sql`SELECT key, ${sql.raw(columnNames)}, array_to_tsvector(string_to_array(lexemes, ' ')), title_words, content_words
        FROM jsonb_to_recordset(CAST(${param<string>('texts')} AS text)::jsonb)
          AS t (key bigint, ${sql.raw(columnTypes)}, lexemes text, title_words text, content_words text)`,
    ),
)

const SEQUENCE = sql`pg_get_serial_sequence('search_documents', 'key')`

const nextKeys = prepare(
  (_db, param) => sql<{ key: number }>`SELECT nextval(${SEQUENCE}) AS key
    FROM generate_series(1, CAST(${param<string>('count')} AS text)::int)`,
)

const findSame = prepare(
  (_db, param) => sql<{
    key: number
  }>`SELECT key FROM jsonb_to_recordset(CAST(${param<string>('texts')} AS text)::jsonb)
      AS t (key bigint, ${sql.raw(columnTypes)}, lexemes text, title_words text, content_words text)
    JOIN search_texts AS s USING (key)
    WHERE ${sql.raw(sameColumns)} AND s.vector = array_to_tsvector(string_to_array(t.lexemes, ' '))
      AND s.title_words = t.title_words AND s.content_words = t.content_words`,
)

const orphans = prepare(
  (_db, param) => sql<{ key: number }>`SELECT key FROM search_texts AS t
    WHERE NOT EXISTS (SELECT 1 FROM search_documents AS d WHERE d.key = t.key) LIMIT ${param<number>('limit')}`,
)

const removeTexts = prepare((db, param) =>
  tablesOf(db)
    .deleteFrom('search_texts')
    .where(db.syntax.isInJson('key', param<string>('keys'))),
)

/** `TRUNCATE` would wait for every search and every backup that runs, and let all later ones wait with it. */
const removeAll = prepare((db) => tablesOf(db).deleteFrom('search_texts'))

/**
 * Looks at the newest texts first: a common word is found there, without reading the long list of all texts that have it. With two
 * conditions PostgreSQL expects few matches; with one it would expect to meet a match soon, and read the table from its beginning.
 */
const findOccurring = prepare((_db, param) => {
  const bits = sql.lit(BUCKET_BITS[0])
  const occursIn = (texts: RawBuilder<unknown>) =>
    sql`EXISTS (SELECT 1 FROM search_texts WHERE vector @@ c.query AND vector @@ ${texts})`
  return sql<{ token: string }>`WITH newest AS MATERIALIZED (
      SELECT format('''B%s:%s''', ${bits}, max(key) >> ${bits})::tsquery AS query FROM search_documents
    ), candidates AS MATERIALIZED (
      SELECT token, lexeme::tsquery AS query
      FROM jsonb_to_recordset(CAST(${param<string>('candidates')} AS text)::jsonb) AS c (token text, lexeme text)
    )
    SELECT c.token FROM candidates AS c CROSS JOIN newest
    WHERE ${occursIn(sql`newest.query`)} OR ${occursIn(sql`c.query`)}`
})

const toRow = (text: IndexedText) => ({
  key: text.key,
  ...text.document,
  lexemes: [...lexemesOf(text)].join(' '),
  title_words: wordsOf(text.title),
  content_words: wordsOf(text.content),
})

/**
 * A row of `search_texts` holds the lexemes of a text, which are indexed, its words in their order, and its row of
 * `search_documents`, which would otherwise be looked up for each match. There are no statistics of the lexemes: they would only
 * make the planner choose another plan for the same statement at another time.
 */
export const postgresSearchIndex: SearchIndex = {
  async create(db) {
    await sql`CREATE TABLE search_texts (
      key bigint PRIMARY KEY, ${sql.raw(documentColumns.map((column) => `${column} bigint NOT NULL`).join(', '))},
      vector tsvector NOT NULL, title_words text NOT NULL, content_words text NOT NULL
    )`.execute(db)
    await sql`ALTER TABLE search_texts ALTER vector SET STATISTICS 0`.execute(db)
    // With `fastupdate`, each search reads the list of what is not merged yet, and the write that fills it has to merge it.
    await sql`CREATE INDEX search_texts_vector ON search_texts USING gin (vector) WITH (fastupdate = off)`.execute(db)
  },

  async reserveKeys(db, count) {
    const rows = await nextKeys(db, [], { count: String(count) })
    return rows.map(({ key }) => key)
  },

  async leaveRoom(db, count) {
    const { rows } = await sql<{ key: number }>`
      SELECT setval(${SEQUENCE}, nextval(${SEQUENCE}) + ${sql.lit(count)}) + 1 AS key`.execute(db)
    return rows[0]!.key
  },

  async add(db, texts) {
    if (texts.length > 0) await addTexts(db, [], { texts: JSON.stringify(texts.map(toRow)) })
  },

  async remove(db, keys) {
    if (keys.length > 0) await removeTexts(db, [], { keys: JSON.stringify(keys) })
  },

  async clear(db) {
    // A large index takes longer than a request may.
    await sql`SET LOCAL statement_timeout = 0`.execute(db)
    await removeAll(db, [], {})
  },

  find,

  async findTokens(db: Reader, tokens) {
    if (tokens.length === 0) return new Set()
    const candidates = JSON.stringify(tokens.map((token) => ({ token, lexeme: lexeme(token) })))
    const rows = await findOccurring(db, [], { candidates })
    return new Set(rows.map(({ token }) => token))
  },

  async findDifferent(db, texts) {
    const same = await findSame(db, [], { texts: JSON.stringify(texts.map(toRow)) })
    const keys = new Set(same.map(({ key }) => key))
    return texts.map(({ key }) => key).filter((key) => !keys.has(key))
  },

  async findOrphans(db, limit) {
    const rows = await orphans(db, [], { limit })
    return rows.map(({ key }) => key)
  },

  tidy: async () => false,
}
