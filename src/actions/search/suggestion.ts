import type { QueryPart } from '../../contract/search-query'
import { replaceTokens, spellingCandidates } from '../../domain/search/spelling'
import type { Term } from '../../domain/search/terms'
import type { Reader } from '../../store/db'
import { searchIndexOf } from '../../store/engines/search'
import { type HitQuery, hasHit } from '../../store/search/hits'

/** Words of a query that may be corrected, and corrections of each that are tried. */
const MAX_WORDS = 3
const MAX_TRIED = 5
/**
 * If finding nothing took a larger part of the time, or corrections have taken as much, no more are tried: each may take as long
 * again.
 */
export const MAX_SHARE = 0.1

type IsFound = (all: readonly Term[]) => Promise<boolean>

/**
 * The query with words that do occur in what the viewer may see, if it then finds something. Not with exclusions: those would be
 * looked up for each correction, and may be why nothing is found.
 */
export async function suggestQuery(
  db: Reader,
  query: HitQuery,
  q: string,
  parts: readonly QueryPart[],
  maxMs: number,
): Promise<string | null> {
  if (query.terms.none.length > 0) return null
  const end = performance.now() + maxMs
  const isFound: IsFound = async (all) =>
    performance.now() < end && (await hasHit(db, { ...query, terms: { all, none: [] } }))
  const corrections = new Map<string, string>()
  const words = query.terms.all.filter(({ tokens, isPrefix }) => tokens.length === 1 && !isPrefix)
  for (const word of words.slice(0, MAX_WORDS)) {
    if (await isFound([word])) continue
    const correction = await correct(db, word, isFound)
    if (correction) corrections.set(word.tokens[0]!, correction)
  }
  if (corrections.size === 0) return null
  const all = query.terms.all.map((term) => correctTerm(term, corrections))
  return (await isFound(all)) ? replaceTokens(q, parts, corrections) : null
}

/** The most plausible word that finds something. */
async function correct(db: Reader, { tokens: [word], ...term }: Term, isFound: IsFound): Promise<string | undefined> {
  const candidates = spellingCandidates(word!)
  if (candidates.length === 0) return undefined
  const known = await searchIndexOf(db).findTokens(db, candidates)
  const plausible = candidates.filter((candidate) => known.has(candidate)).slice(0, MAX_TRIED)
  for (const candidate of plausible) if (await isFound([{ ...term, tokens: [candidate] }])) return candidate
  return undefined
}

function correctTerm(term: Term, corrections: ReadonlyMap<string, string>): Term {
  if (!term.tokens.some((token) => corrections.has(token))) return term
  // Words that were looked up are those of the beginning that was typed.
  return { ...term, tokens: term.tokens.map((token) => corrections.get(token) ?? token), words: undefined }
}
