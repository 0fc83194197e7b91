import type { QueryPart } from '../../contract/search-query'
import { replaceTokens, spellingCandidates } from '../../domain/search/spelling'
import type { Term } from '../../domain/search/terms'
import type { Reader } from '../../store/db'
import { searchIndexOf } from '../../store/engines/search'
import { type HitQuery, hasHit } from '../../store/search/hits'

/** Words of a query that may be corrected, and corrections of each that are tried. */
const MAX_WORDS = 3
const MAX_TRIED = 5

/** The query with words that do occur in what the viewer may see, if it then finds something. */
export async function suggestQuery(
  db: Reader,
  query: HitQuery,
  q: string,
  parts: readonly QueryPart[],
): Promise<string | null> {
  const corrections = new Map<string, string>()
  const words = query.terms.all.filter(({ tokens, isPrefix }) => tokens.length === 1 && !isPrefix)
  for (const word of words.slice(0, MAX_WORDS)) {
    if (await isFound(db, query, [word])) continue
    const correction = await correct(db, query, word)
    if (correction) corrections.set(word.tokens[0]!, correction)
  }
  if (corrections.size === 0) return null
  const all = query.terms.all.map((term) => ({
    ...term,
    tokens: term.tokens.map((token) => corrections.get(token) ?? token),
  }))
  return (await isFound(db, query, all)) ? replaceTokens(q, parts, corrections) : null
}

/** The most plausible word that finds something. */
async function correct(db: Reader, query: HitQuery, { tokens: [word], ...term }: Term): Promise<string | undefined> {
  const candidates = spellingCandidates(word!)
  if (candidates.length === 0) return undefined
  const known = await searchIndexOf(db).findTokens(db, candidates)
  const plausible = candidates.filter((candidate) => known.has(candidate)).slice(0, MAX_TRIED)
  for (const candidate of plausible) if (await isFound(db, query, [{ ...term, tokens: [candidate] }])) return candidate
  return undefined
}

const isFound = (db: Reader, query: HitQuery, all: readonly Term[]): Promise<boolean> =>
  hasHit(db, { ...query, terms: { all, none: query.terms.none } })
