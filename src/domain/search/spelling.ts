import type { QueryPart } from '../../contract/browser/search-query'
import { endOf, type Folded, foldWithOffsets, startOf } from './fold'
import { isTermAt, type Term } from './terms'
import { scan, tokenize } from './tokens'

export const MAX_CANDIDATES = 1_200
const MIN_LENGTH = 3
const MAX_LENGTH = 20

/** As folding leaves them: й is и, and ё is е. */
const ALPHABETS = ['abcdefghijklmnopqrstuvwxyz', 'абвгдежзиклмнопрстуфхцчшщъыьэюяіє', 'αβγδεζηθικλμνξοπρστυφχψω'].map(
  (letters) => ({ letters: [...letters], pattern: new RegExp(`^[${letters}]+$`) }),
)

/** All words that someone may have meant who made one slip in typing this token; the more plausible come first. */
export function spellingCandidates(word: string): string[] {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return []
  const letters = ALPHABETS.find(({ pattern }) => pattern.test(word))?.letters
  if (!letters) return []
  // People hardly ever mistype the first letter.
  const positions = [...[...word].keys()].slice(1).concat(0)
  const candidates = [
    ...positions.map((at) => splice(word, at, 2, reverse(word.slice(at, at + 2)))),
    ...positions.map((at) => splice(word, at, 0, word[at]!)),
    ...positions.map((at) => splice(word, at, 1, '')),
    ...positions.flatMap((at) => letters.map((letter) => splice(word, at, 1, letter))),
    ...positions.concat(word.length).flatMap((at) => letters.map((letter) => splice(word, at, 0, letter))),
  ]
  return [...new Set(candidates)].filter((candidate) => candidate !== word).slice(0, MAX_CANDIDATES)
}

const reverse = (text: string) => [...text].reverse().join('')
const splice = (text: string, at: number, length: number, by: string) =>
  text.slice(0, at) + by + text.slice(at + length)

/** The query with other words for some of its tokens, in all that is not excluded. */
export function replaceTokens(q: string, parts: readonly QueryPart[], words: ReadonlyMap<string, string>): string {
  return parts.reduceRight((query, part) => {
    if (part.kind !== 'words' || part.isExcluded) return query
    // Before the text there may be `title:` or a quote, after it a quote or `*`.
    const start = query.slice(0, part.end).lastIndexOf(part.text)
    return tokenize(part.text)
      .filter(({ text }) => words.has(text))
      .reduceRight(
        (replaced, token) => splice(replaced, start + token.start, token.end - token.start, words.get(token.text)!),
        query,
      )
  }, q)
}

/** Where a term is in a text. */
export interface Occurrence {
  /** Which of the terms. */
  term: number
  start: number
  end: number
}

/**
 * Of each term. No text that people read has more, but one that was made for it has 50,000 of each of several phrases that overlap, and
 * would hold up others for a fifth of a second.
 */
const MAX_OCCURRENCES = 5_000

/** All occurrences of the terms in a text, in order. */
export function findOccurrences(terms: readonly Term[], text: string): Occurrence[] {
  if (terms.length === 0) return []
  const tokens = readTokens(text)
  const byFirstUnit = Map.groupBy(terms.keys(), (term) => terms[term]!.tokens[0]!.charCodeAt(0))
  const counts = new Uint32Array(terms.length)
  const found: Occurrence[] = []
  for (let at = 0; at < tokens.texts.length; at++) {
    // Most tokens are ruled out by their first unit, read from the text, which is much faster than looking at the token.
    const candidates = byFirstUnit.get(tokens.folded.text.charCodeAt(tokens.from[at]!))
    if (candidates === undefined) continue
    for (const term of candidates) {
      if (counts[term]! >= MAX_OCCURRENCES || !isTermAt(terms[term]!, tokens.texts, at)) continue
      counts[term]! += 1
      found.push({ term, ...spanOf(terms[term]!, tokens, at) })
    }
  }
  return found
}

/** The tokens of a text, and where they are when it is folded. */
interface FoldedTokens {
  folded: Folded
  texts: string[]
  from: number[]
  to: number[]
}

function readTokens(text: string): FoldedTokens {
  const tokens: FoldedTokens = { folded: foldWithOffsets(text), texts: [], from: [], to: [] }
  scan(tokens.folded.text, (token, from, to) => {
    tokens.texts.push(token)
    tokens.from.push(from)
    tokens.to.push(to)
  })
  return tokens
}

function spanOf(term: Term, { folded, from, to }: FoldedTokens, at: number): { start: number; end: number } {
  const last = at + term.tokens.length - 1
  // The beginning of a pair of characters is its first character; the next token begins with the second.
  const end = term.isPrefix ? Math.min(to[last]!, from[last + 1] ?? to[last]!) : to[last]!
  return { start: startOf(folded, from[at]!), end: endOf(folded, end - 1) }
}
