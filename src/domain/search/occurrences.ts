import { endOf, type Folded, foldWithOffsets, startOf } from './fold'
import { isTermAt } from './match'
import type { Term } from './terms'
import { scan } from './tokens'

/** A place where a term is in a text. */
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
const MAX_PLACES = 5_000

/** The places where the terms are in a text, in order. */
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
      if (counts[term]! >= MAX_PLACES || !isTermAt(terms[term]!, tokens.texts, at)) continue
      counts[term]! += 1
      found.push({ term, ...placeOf(terms[term]!, tokens, at) })
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

function placeOf(term: Term, { folded, from, to }: FoldedTokens, at: number): { start: number; end: number } {
  const last = at + term.tokens.length - 1
  // The beginning of a pair of characters is its first character; the next token begins with the second.
  const end = term.isPrefix ? Math.min(to[last]!, from[last + 1] ?? to[last]!) : to[last]!
  return { start: startOf(folded, from[at]!), end: endOf(folded, end - 1) }
}
