import { isShortPrefix, type Term } from '../../../domain/search/terms'
import type { IndexedText } from './search-index'

/** PostgreSQL stores the length of a lexeme in 11 bits, and does not complain about a longer one. A unit is 3 bytes at most. */
const MAX_LEXEME_UNITS = 600

/** Each text is in one bucket of 2^11 keys, one of 2^13 and so on. A search looks at the buckets with the newest first. */
export const BUCKET_BITS = [11, 13, 15, 17, 19, 21] as const

/** These begin with an upper-case letter and contain a colon: no token has the former, no word of a scope the latter. */
const TITLE = 'T:'
export const bucketPrefix = (bits: number) => `B${bits}:`

export const isCut = (token: string) => token.length > MAX_LEXEME_UNITS
const cut = (token: string) => (isCut(token) ? token.slice(0, MAX_LEXEME_UNITS).toWellFormed() : token)

const titleLexeme = (token: string) => TITLE + cut(token)

/** The lexemes of a text, but for those of its buckets. */
export const lexemesOf = ({ title, content, scope }: IndexedText): Set<string> =>
  new Set([...scope, ...title.map(titleLexeme), ...title.map(cut), ...content.map(cut)])

/** Tokens as they are stored to look for phrases in. */
export const wordsOf = (tokens: readonly string[]): string => (tokens.length === 0 ? '' : ` ${tokens.join(' ')} `)

/** What the words of a text contain where a term matches. */
export const wordsOfTerm = ({ tokens, isPrefix }: Term): string => ` ${tokens.join(' ')}${isPrefix ? '' : ' '}`

const quote = (lexeme: string) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** The parts of the text of a tsquery. */
export const lexeme = (word: string) => quote(cut(word))
export const not = (query: string) => `!(${query})`
export const allOf = (queries: readonly string[]) => queries.join(' & ')
export const anyOf = (queries: readonly string[]) => `(${queries.join(' | ')})`

/** For a phrase: all its tokens, wherever they are, but for a last letter that too many lexemes begin with. */
export const lexemesOfTerm = (term: Term): string =>
  allOf(
    term.tokens.slice(0, isShortPrefix(term) ? -1 : undefined).map((token, at) => {
      const isBeginning = isCut(token) || (term.isPrefix && at === term.tokens.length - 1)
      return quote(term.inTitle ? titleLexeme(token) : cut(token)) + (isBeginning ? ':*' : '')
    }),
  )

/** Every text matches it. */
export const ANY_TEXT = `${quote(bucketPrefix(BUCKET_BITS.at(-1)!))}:*`
