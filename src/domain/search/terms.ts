import type { QueryPart, QueryWord } from '../../contract/browser/search-query'
import type { DocumentTokens } from './document'
import { foldText } from './fold'
import { scan } from './tokens'

/**
 * Words that must follow each other: a word, a phrase, or a part of a word in a script without spaces. Its tokens come from
 * domain/search/tokens.ts, so they hold letters, digits and symbols only: no white space, no quotes, no ASCII punctuation.
 */
export interface Term {
  tokens: readonly string[]
  /** The last token is the beginning of a word. */
  isPrefix: boolean
  /** It must be in the title. */
  inTitle: boolean
  /** All words that the last token is the beginning of, where they were looked up. */
  words?: readonly string[]
}

/** What a record has to contain, and what it must not. */
export interface Terms {
  all: readonly Term[]
  none: readonly Term[]
}

/** How many tokens `all` has at most, and `none`. Further words are ignored, so that no query is expensive. */
export const MAX_TOKENS = 30
/** Of `all` and `none` together, as a prefix stands for every word that begins with it. Further prefixes are ignored. */
export const MAX_PREFIXES = 4

/** A single letter is the word itself, as too many words begin with it, unless others before it narrow it down: `v2.1*`. */
const MIN_PREFIX_LENGTH = 2
const isTooShort = (token: string) => token.length < MIN_PREFIX_LENGTH

/** A prefix that is narrowed down by the tokens before it, and not by itself. */
export const isShortPrefix = ({ tokens, isPrefix }: Term): boolean =>
  isPrefix && tokens.length > 1 && isTooShort(tokens.at(-1)!)

export function toTerms(parts: readonly QueryPart[]): Terms {
  const words = parts.filter((part) => part.kind === 'words')
  const limits = { prefixes: MAX_PREFIXES }
  return {
    all: limitTerms(termsOf(words.filter(({ isExcluded }) => !isExcluded)), limits, cutTerm),
    none: limitTerms(termsOf(words.filter(({ isExcluded }) => isExcluded)), limits, () => undefined),
  }
}

function termsOf(words: readonly QueryWord[]): Term[] {
  const terms = words.map(toTerm).filter(({ tokens }) => tokens.length > 0)
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()]
}

function toTerm({ text, isPrefix, inTitle }: QueryWord): Term {
  const folded = foldText(text)
  const tokens: string[] = []
  let last = { from: 0, to: 0, isInRun: false, isSecondOfPair: false }
  scan(folded, (token, from, to, isInRun) => {
    tokens.push(token)
    last = { from, to, isInRun, isSecondOfPair: from < last.to }
  })
  // Where there are no spaces, the text may go on after the last character, so it is not looked for as the end of a run.
  if (last.isSecondOfPair) return { tokens: tokens.slice(0, -1), isPrefix: false, inTitle }
  const isBeginning = isPrefix && last.to === folded.length && (tokens.length > 1 || !isTooShort(tokens.at(-1) ?? ''))
  return { tokens, isPrefix: last.isInRun || isBeginning, inTitle }
}

/** Drops the terms beyond the limits. Subtracts the prefixes it keeps from `limits`. */
function limitTerms(
  terms: readonly Term[],
  limits: { prefixes: number },
  shorten: (term: Term, length: number) => Term | undefined,
): Term[] {
  const kept: Term[] = []
  let left = MAX_TOKENS
  for (const term of terms) {
    if (term.isPrefix && limits.prefixes === 0) continue
    const fitting = term.tokens.length <= left ? term : shorten(term, left)
    if (!fitting) continue
    kept.push(fitting)
    left -= fitting.tokens.length
    if (fitting.isPrefix) limits.prefixes -= 1
  }
  return kept
}

/** The beginning of a phrase finds all that the phrase finds. */
const cutTerm = (term: Term, length: number): Term | undefined =>
  length === 0 ? undefined : { ...term, tokens: term.tokens.slice(0, length), isPrefix: false }

/** Whether a search finds a document: the definition that the indexes of both engines have to meet. */
export const matches = ({ all, none }: Terms, document: DocumentTokens): boolean =>
  all.every((term) => contains(document, term)) && !none.some((term) => contains(document, term))

/** Whether everything that is looked for is in the title. */
export const matchesTitle = ({ all }: Terms, title: readonly string[]): boolean =>
  all.every((term) => containsTokens(title, term))

const contains = ({ title, content }: DocumentTokens, term: Term): boolean =>
  containsTokens(title, term) || (!term.inTitle && containsTokens(content, term))

function containsTokens(tokens: readonly string[], term: Term): boolean {
  for (let at = 0; at < tokens.length; at++) if (isTermAt(term, tokens, at)) return true
  return false
}

/** Whether the tokens from `at` on are the tokens of the term. */
export function isTermAt(term: Term, tokens: readonly string[], at: number): boolean {
  const last = term.tokens.length - 1
  for (let index = 0; index <= last; index++) {
    const token = tokens[at + index]
    if (token === term.tokens[index]) continue
    return term.isPrefix && index === last && token?.startsWith(term.tokens[last]!) === true
  }
  return true
}

/** Whether something is excluded that every match has: `then -th*` finds nothing. */
export const isContradiction = ({ all, none }: Terms): boolean =>
  none.some((excluded) => all.some((wanted) => includesTerm(wanted, excluded)))

function includesTerm(wanted: Term, excluded: Term): boolean {
  if (excluded.inTitle && !wanted.inTitle) return false
  const starts = [...wanted.tokens.keys()].slice(0, wanted.tokens.length - excluded.tokens.length + 1)
  return starts.some((at) => {
    const isAtEnd = at + excluded.tokens.length === wanted.tokens.length
    // The end of a wanted prefix is unknown.
    if (isAtEnd && wanted.isPrefix && !excluded.isPrefix) return false
    return isTermAt(excluded, wanted.tokens, at)
  })
}

/** Bits of a signature: as many as a bitwise operation of JavaScript keeps positive. */
const BITS = 31

/** Bits that the words of a title set. A title has all words of a query only if its signature has all bits of the query. */
export function titleSignature(tokens: readonly string[]): number {
  let signature = 0
  for (const token of tokens) signature |= 1 << (hash(token) % BITS)
  return signature
}

/** The beginning of a word sets no bit. */
export const querySignature = ({ all }: Terms): number =>
  titleSignature(all.flatMap(({ tokens, isPrefix }) => (isPrefix ? tokens.slice(0, -1) : tokens)))

export const mayHaveAll = (title: number, query: number): boolean => (title & query) === query

/** FNV-1a. It is stored, so it must stay as it is. */
function hash(token: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < token.length; at++) value = Math.imul(value ^ token.charCodeAt(at), 0x01000193)
  return value >>> 0
}
