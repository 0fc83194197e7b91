import { sql } from 'kysely'
import type { Term, Terms } from '../../../domain/search/terms'
import { prepare, type Reader } from '../../db'
import { inTitle } from './sqlite-expression'

/** The words of the index, on each connection that searches. It stores nothing: it reads the index. */
export const SEARCH_WORDS = `CREATE VIRTUAL TABLE temp.search_words USING fts5vocab(main, search_index, instance)`

/** A prefix that stands for more words is left to FTS5. Finding a word takes some 40 microseconds. */
const MAX_WORDS = 200

/** Greater than every character. */
const LAST = '\u{10ffff}'

/**
 * Each step seeks the first place of the next word, which is at least the word before with a character that is in none. All places of all words, which is what a range would read, are as many as
 * FTS5 itself has to read for a prefix.
 */
const wordsFrom = prepare((_, param) => {
  const [prefix, end] = [param<string>('prefix'), param<string>('end')]
  const next = (after: ReturnType<typeof sql>) => sql`(SELECT term FROM temp.search_words WHERE ${after} LIMIT 1)`
  return sql<{ word: string }>`WITH RECURSIVE found (word) AS (
      SELECT ${next(sql`term >= ${prefix}`)}
      UNION ALL SELECT ${next(sql`term >= word || char(1)`)} FROM found WHERE word < ${end} LIMIT ${param<number>('limit')}
    ) SELECT word FROM found WHERE word < ${end}`
})

/**
 * Terms with the words that their prefixes stand for, where they are few. FTS5 reads all places of all words of a prefix before
 * it finds anything; words are read from the newest text on, and no further than needed.
 */
export const expandTerms = async (db: Reader, { all, none }: Terms): Promise<Terms> => ({
  all: await Promise.all(all.map((term) => expandTerm(db, term))),
  none: await Promise.all(none.map((term) => expandTerm(db, term))),
})

async function expandTerm(db: Reader, term: Term): Promise<Term> {
  if (!term.isPrefix) return term
  const last = term.tokens.at(-1)!
  const prefix = term.inTitle ? inTitle(last) : last
  const rows = await wordsFrom(db, [], { prefix, end: prefix + LAST, limit: MAX_WORDS + 1 })
  if (rows.length > MAX_WORDS) return term
  return { ...term, words: rows.map(({ word }) => word.slice(prefix.length - last.length)) }
}
