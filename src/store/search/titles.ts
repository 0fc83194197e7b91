import { sql } from 'kysely'
import { parsePostTitle, TITLE_END } from '../../domain/record-fields'
import { matchesTitle, mayHaveAll, querySignature, type Terms } from '../../domain/search/terms'
import { tokensOf } from '../../domain/search/tokens'
import { prepare, type Reader } from '../engines/db'
import type { Match } from '../engines/search/search-index'
import { typeNumbers } from './types'

/** How many titles are read at once. */
const BATCH = 64

const startsOfPosts = prepare(
  (db, param) => sql<{ key: number; start: string }>`SELECT p.key, substr(p.fields, 1, ${sql.lit(TITLE_END)}) AS start
    FROM posts AS p WHERE ${db.syntax.isInJson('p.key', param<string>('keys'))}`,
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
    ({ type, title_signature }) => type === typeNumbers.post && mayHaveAll(title_signature, signature),
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
  const rows = await startsOfPosts(db, [], { keys: JSON.stringify(posts) })
  return new Map(rows.map(({ key, start }) => [key, parsePostTitle(start)]))
}
