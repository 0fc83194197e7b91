import { TEXT_SEPARATOR } from '../../../domain/search/document'
import type { Term } from '../../../domain/search/terms'
import type { IndexedText, MatchQuery } from './search-index'

/** A query in the language of FTS5. Everything is quoted, and tokens hold no quotes: none of it is taken for syntax. */
export function matchExpression({ terms: { all, none }, scope, outOfScope }: MatchQuery): string {
  const wanted = [...all.map(toPhrase), ...scope.map(anyOfScope)].join(' AND ')
  const unwanted = [...(outOfScope.length > 0 ? [anyOfScope(outOfScope)] : []), ...none.toSorted(byCost).map(toPhrase)]
  // One within the other: each is looked up for what those before it leave, and for nothing else.
  return unwanted.reduce((left, right) => `(${left}) NOT ${right}`, wanted)
}

/** Words before phrases, and those before what FTS5 has to read as a whole. */
const byCost = (a: Term, b: Term) => costOf(a) - costOf(b)
const costOf = ({ tokens, isPrefix, words }: Term) => (isPrefix && !words ? 2 : tokens.length > 1 ? 1 : 0)

/**
 * Private characters, which no token contains. With them, words of titles and of scopes are words of their own. In columns of their
 * own they would have to be told apart for each match, however common the word is elsewhere.
 */
const TITLE_MARK = '\ue001'
const SCOPE_MARK = '\ue002'

export const inTitle = (token: string) => TITLE_MARK + token
const inScope = (word: string) => SCOPE_MARK + word

/** All words of a text, as the index holds them. Those of the title are there twice: wherever they are, and in the title. */
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
