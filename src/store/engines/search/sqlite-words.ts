import { sql } from 'kysely'
import { TEXT_SEPARATOR } from '../../../domain/search/document'
import type { Term, Terms } from '../../../domain/search/terms'
import { prepare, type Reader } from '../db'
import type { IndexedText, MatchQuery } from './search-index'

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

/** A query in the language of FTS5. Everything is quoted, and tokens hold no quotes: none of it is taken for syntax. */
export function matchExpression({ terms: { all, none }, scope, outOfScope }: MatchQuery): string {
  const wanted = [...all.map(toPhrase), ...scope.map(anyOfScope)].join(' AND ')
  const unwanted = [...(outOfScope.length > 0 ? [anyOfScope(outOfScope)] : []), ...none.toSorted(byCost).map(toPhrase)]
  // Nested: each is looked up only for the results of the ones before it.
  return unwanted.reduce((left, right) => `(${left}) NOT ${right}`, wanted)
}

/** Words first, then phrases, then what FTS5 has to read as a whole. */
const byCost = (a: Term, b: Term) => costOf(a) - costOf(b)
const costOf = ({ tokens, isPrefix, words }: Term) => (isPrefix && !words ? 2 : tokens.length > 1 ? 1 : 0)

/**
 * Private characters, which no token contains. With them, words of titles and of scopes are words of their own. In columns of their
 * own they would have to be told apart for each match, however common the word is elsewhere.
 */
const TITLE_MARK = '\ue001'
const SCOPE_MARK = '\ue002'

const inTitle = (token: string) => TITLE_MARK + token
const inScope = (word: string) => SCOPE_MARK + word

/** All words of a text, as the index holds them. The words of the title are there twice: once as any word, once as a word of the title. */
export const wordsOf = ({ title, content, scope }: IndexedText): string[] => [
  ...(title.length > 0 ? [...title, TEXT_SEPARATOR, ...title.map(inTitle)] : []),
  ...content,
  ...scope.map(inScope),
]

function toPhrase({ words, ...term }: Term): string {
  // A prefix that stands for no word costs nothing.
  if (words && words.length > 0) return `(${words.map((word) => toPhrase(endWith(term, word))).join(' OR ')})`
  const tokens = term.inTitle ? term.tokens.map(inTitle) : term.tokens
  return `${quote(tokens)}${term.isPrefix ? ' *' : ''}`
}

const endWith = (term: Term, word: string): Term => ({
  ...term,
  tokens: [...term.tokens.slice(0, -1), word],
  isPrefix: false,
})

const anyOfScope = (words: readonly string[]) => `(${words.map((word) => quote([inScope(word)])).join(' OR ')})`

const quote = (words: readonly string[]) => `"${words.join(' ').replaceAll('"', '')}"`

/** The number of words of a text, as FTS5 stores it: seven bits a byte, the highest first. */
export const encodeSize = (text: IndexedText): Buffer => Buffer.from(varint(wordsOf(text).length))

function varint(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}
