import { type RawBuilder, sql } from 'kysely'
import { type ParamFor, prepare, type Reader } from '../db'
import { BUCKET_BITS, bucketPrefix, find, lexeme, lexemesOf, wordsOf } from './postgres-find'
import { DAY_MS, documentColumns, type IndexedText, KEYS_IN_BLOCK, type SearchIndex } from './search-index'

const inputTable = (param: ParamFor) => sql`jsonb_to_recordset(CAST(${param<string>('texts')} AS text)::jsonb) AS t (
    key bigint, ${sql.raw(documentColumns.map((column) => `${column} bigint`).join(', '))},
    lexemes text, title_words text, content_words text
  )`
const columnNames = sql.raw(documentColumns.join(', '))
const sameColumns = sql.raw(documentColumns.map((column) => `s.${column} = t.${column}`).join(' AND '))

const SEQUENCE = sql`pg_get_serial_sequence('search_documents', 'key')`

/** The lexemes of a row and of its buckets, which depend on its key. */
const toVector = sql`array_to_tsvector(string_to_array(lexemes, ' ') || ARRAY[${sql.join(
  BUCKET_BITS.map((bits) => sql`${sql.lit(bucketPrefix(bits))} || (key >> ${sql.lit(bits)})`),
)}])`

/** No transaction waits for the days of another: that a pair may be there twice does no harm. */
const addTexts = prepare(
  (_db, param) => sql<never>`WITH added AS (
      INSERT INTO search_documents (key, ${columnNames}, vector, title_words, content_words)
      SELECT key, ${columnNames}, ${toVector}, title_words, content_words FROM (
        SELECT coalesce(key, nextval(${SEQUENCE})) AS key, ${columnNames}, lexemes, title_words, content_words
        FROM ${inputTable(param)} OFFSET 0
      ) AS keyed RETURNING created_at / ${sql.lit(DAY_MS)} AS day, key / ${sql.lit(KEYS_IN_BLOCK)} AS block
    )
    INSERT INTO search_days (day, block) SELECT DISTINCT day, block FROM added
    WHERE NOT EXISTS (SELECT 1 FROM search_days AS known WHERE known.day = added.day AND known.block = added.block)`,
)

const findSame = prepare(
  (_db, param) => sql<{ key: number }>`SELECT s.key
    FROM (SELECT key, ${columnNames}, ${toVector} AS vector, title_words, content_words FROM ${inputTable(param)}) AS t
    JOIN search_documents AS s ON s.key = t.key
    WHERE ${sameColumns} AND s.vector = t.vector AND s.title_words = t.title_words AND s.content_words = t.content_words`,
)

const removeTexts = prepare((db, param) =>
  db.deleteFrom('search_documents').where(db.syntax.isInJson('key', param<string>('keys'))),
)

/** `TRUNCATE` would wait for every search and every backup that runs, and let all later ones wait with it. */
const removeAll = prepare((db) => db.deleteFrom('search_documents'))

/**
 * Looks at the newest texts first: a common word is found there, without reading the long list of all texts that have it. With two
 * conditions PostgreSQL expects few matches; with one it would expect to meet a match soon, and read the table from its beginning.
 */
const findOccurring = prepare((_db, param) => {
  const bits = sql.lit(BUCKET_BITS[0])
  const occursIn = (texts: RawBuilder<unknown>) =>
    sql`EXISTS (SELECT 1 FROM search_documents WHERE vector @@ c.query AND vector @@ ${texts})`
  return sql<{ token: string }>`WITH newest AS MATERIALIZED (
      SELECT format('''B%s:%s''', ${bits}, max(key) >> ${bits})::tsquery AS query FROM search_documents
    ), candidates AS MATERIALIZED (
      SELECT token, lexeme::tsquery AS query
      FROM jsonb_to_recordset(CAST(${param<string>('candidates')} AS text)::jsonb) AS c (token text, lexeme text)
    )
    SELECT c.token FROM candidates AS c CROSS JOIN newest
    WHERE ${occursIn(sql`newest.query`)} OR ${occursIn(sql`c.query`)}`
})

const PENDING_KILOBYTES = 16 * 1024

const mergePending = prepare(() => sql<never>`SELECT gin_clean_pending_list('search_documents_vector')`)

const toRow = (text: IndexedText) => ({
  key: text.key,
  ...text.document,
  lexemes: [...lexemesOf(text)].join(' '),
  title_words: wordsOf(text.title),
  content_words: wordsOf(text.content),
})

/**
 * Rows of `search_documents` also hold the lexemes of a text, which are indexed, and its words in their order. There are no
 * statistics of the lexemes: they would only make the planner choose another plan for the same statement at another time.
 */
export const postgresSearchIndex: SearchIndex = {
  async create(db) {
    await sql`ALTER TABLE search_documents ADD vector tsvector NOT NULL, ADD title_words text NOT NULL,
      ADD content_words text NOT NULL`.execute(db)
    await sql`ALTER TABLE search_documents ALTER vector SET STATISTICS 0`.execute(db)
    // A write only adds to a list, which `tidy` merges into the index long before it is full. Searches read both.
    await sql`CREATE INDEX search_documents_vector ON search_documents USING gin (vector)
      WITH (fastupdate = on, gin_pending_list_limit = ${sql.lit(PENDING_KILOBYTES)})`.execute(db)
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

  expand: async (_, terms) => terms,
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

  async tidy(db) {
    await mergePending(db, [], {})
    return false
  },
}
