import { Database as Sqlite } from 'bun:sqlite'
import { plainText } from '../../src/domain/search/document'
import type { Dataset } from './dataset'
import { grouped, megabytes } from './figures'
import { queryPostgres } from './postgres'
import { addResult } from './results'
import { size } from './settings'

const MAX_RATIO = 1
/** The text of every so many records stands for that of all. */
const SAMPLE = size.large >= 100_000 ? 100 : 1

const texts = [
  `SELECT title, content, resolved_html AS note FROM posts WHERE key % ${SAMPLE} = 0`,
  `SELECT '' AS title, content, NULL AS note FROM comments WHERE key % ${SAMPLE} = 0`,
]
const sqliteIndex = "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE 'search_%' AND aggregate = TRUE"
const postgresIndex = "SELECT pg_total_relation_size('search_documents') AS bytes"

/** The size of the index relative to the text in it: that of titles, content and notes, without markup. */
export async function measureSearchIndex({ engine, url }: Dataset, posts: number) {
  const read = engine === 'SQLite' ? openSqlite(url) : (query: string) => queryPostgres(url, query)
  const [{ bytes } = {}] = await read(engine === 'SQLite' ? sqliteIndex : postgresIndex)
  let text = 0
  for (const query of texts) for (const row of await read(query)) text += SAMPLE * textBytes(row as TextRow)
  addResult({
    name: `Search index of ${grouped(posts)} posts relative to their text`,
    engine,
    value: Number(bytes) / text,
    goal: engine === 'SQLite' ? { max: MAX_RATIO } : undefined,
    isHeadline: true,
  })
  console.log(`\nSearch index on ${engine}: ${megabytes(Number(bytes))} for ${megabytes(text)} of text`)
}

type Row = Record<string, unknown>
type TextRow = { title: string; content: string; note: string | null }

function openSqlite(url: string) {
  const database = new Sqlite(url.slice('sqlite:'.length), { readonly: true })
  return async (query: string): Promise<Row[]> => database.query<Row, []>(query).all()
}

const textBytes = ({ title, content, note }: TextRow): number =>
  Buffer.byteLength(title + plainText(content) + (note === null ? '' : plainText(note)))
