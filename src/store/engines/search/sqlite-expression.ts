import type { Term } from '../../../domain/search/terms'
import type { IndexedText, MatchQuery } from './search-index'

/** A query in the language of FTS5. Everything is quoted, and tokens hold no quotes: none of it is taken for syntax. */
export function matchExpression({ terms: { all, none }, isTitle, scope, outOfScope }: MatchQuery): string {
  const wanted = [...all.map((term) => inColumns(term, isTitle || term.inTitle)), ...scope.map(inScope)].join(' AND ')
  const unwanted = [
    ...none.map((term) => inColumns(term, term.inTitle)),
    ...(outOfScope.length > 0 ? [inScope(outOfScope)] : []),
  ].join(' OR ')
  return unwanted === '' ? wanted : `(${wanted}) NOT (${unwanted})`
}

/** Begins the words of titles. As words of their own they are found at once, however common they are elsewhere. */
const TITLE_MARK = '\ue001'

export const titleWords = (tokens: readonly string[]): string => tokens.map((token) => TITLE_MARK + token).join(' ')

function inColumns({ tokens, isPrefix }: Term, isTitle: boolean): string {
  const phrase = (words: string) => `${quote(words)}${isPrefix ? ' *' : ''}`
  const inTitle = phrase(titleWords(tokens))
  return isTitle ? inTitle : `(content : ${phrase(tokens.join(' '))} OR ${inTitle})`
}

const inScope = (words: readonly string[]) => `scope : (${words.map(quote).join(' OR ')})`

const quote = (text: string) => `"${text.replaceAll('"', '')}"`

/** Words at either end of a text that are compared. */
const COMPARED = 100

/** Matches a text by its beginning, its end and its scope. */
export function endsExpression({ title, content, scope }: IndexedText): string {
  const ends = (column: string, tokens: readonly string[], join: (part: readonly string[]) => string) =>
    tokens.length === 0
      ? []
      : [tokens.slice(0, COMPARED), tokens.slice(-COMPARED)].map((part) => `${column} : ${quote(join(part))}`)
  const contentWords = (part: readonly string[]) => part.join(' ')
  return [
    ...ends('title', title, titleWords),
    ...ends('content', content, contentWords),
    ...scope.map((word) => inScope([word])),
  ].join(' AND ')
}

/** The numbers of tokens of a text, as FTS5 stores them: seven bits a byte, the highest first. */
export function encodeSizes({ title, content, scope }: IndexedText): Buffer {
  return Buffer.from([title, content, scope].flatMap(({ length }) => varint(length)))
}

function varint(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}
