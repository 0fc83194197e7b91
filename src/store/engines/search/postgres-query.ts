import { isShortPrefix, type Term } from '../../../domain/search/terms'
import { ANY_TEXT, allOf, anyOf, isCut, lexeme, lexemesOfTerm, not, wordsOfTerm } from './postgres-lexemes'
import type { MatchQuery } from './search-index'

/** Words that must, or must not, follow each other. An index of lexemes cannot tell. */
export interface Phrase {
  words: string
  in_title: boolean
  is_wanted: boolean
}

export interface TextQuery {
  /** The text of a tsquery. */
  lexemes: string
  phrases: Phrase[]
  /** It has many lexemes, or stands for many: the beginnings of words do. */
  isCostly: boolean
}

const MANY = 50

/** Its lexemes do not say all about it. */
const needsCheck = ({ tokens }: Term) => tokens.length > 1 || tokens.some(isCut)
/** Looked for in the words of what the lexemes find: for a prefix, the index would have to read all texts that have it. */
const needsCheckAsExcluded = (term: Term) => term.isPrefix || needsCheck(term)

const toPhrase = (term: Term, is_wanted: boolean): Phrase => ({
  words: wordsOfTerm(term),
  in_title: term.inTitle,
  is_wanted,
})

export function toTextQuery({ terms, scope, outOfScope }: MatchQuery): TextQuery {
  const none = terms.none.filter((term) => !needsCheckAsExcluded(term))
  const wanted = [...terms.all.map(lexemesOfTerm), ...scope.map((group) => anyOf(group.map(lexeme)))]
  const unwanted = [...none.map(lexemesOfTerm), ...outOfScope.map(lexeme)]
  return {
    // An index of lexemes cannot begin with what is missing.
    lexemes: allOf([...(wanted.length === 0 ? [ANY_TEXT] : wanted), ...unwanted.map(not)]),
    phrases: [
      ...terms.all.filter(needsCheck).map((term) => toPhrase(term, true)),
      ...terms.none.filter(needsCheckAsExcluded).map((term) => toPhrase(term, false)),
    ],
    isCostly: scope.flat().length > MANY || terms.all.some((term) => term.isPrefix && !isShortPrefix(term)),
  }
}

/** An empty group has no words that could be in the scope. */
export const canMatch = ({ scope }: MatchQuery): boolean => scope.every((group) => group.length > 0)
