import type { DocumentTokens } from './document'
import type { Term, Terms } from './terms'

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

/** Whether the tokens of a term are those at `at` and after it. */
export function isTermAt(term: Term, tokens: readonly string[], at: number): boolean {
  const last = term.tokens.length - 1
  for (let place = 0; place <= last; place++) {
    const token = tokens[at + place]
    if (token === term.tokens[place]) continue
    return term.isPrefix && place === last && token?.startsWith(term.tokens[last]!) === true
  }
  return true
}

/** Whether something is excluded that every match has: `then -th*` finds nothing. */
export const isContradiction = ({ all, none }: Terms): boolean =>
  none.some((excluded) => all.some((wanted) => includesTerm(wanted, excluded)))

function includesTerm(wanted: Term, excluded: Term): boolean {
  if (excluded.inTitle && !wanted.inTitle) return false
  const places = [...wanted.tokens.keys()].slice(0, wanted.tokens.length - excluded.tokens.length + 1)
  return places.some((at) => {
    const isAtEnd = at + excluded.tokens.length === wanted.tokens.length
    // The end of a wanted prefix is unknown.
    if (isAtEnd && wanted.isPrefix && !excluded.isPrefix) return false
    return isTermAt(excluded, wanted.tokens, at)
  })
}
