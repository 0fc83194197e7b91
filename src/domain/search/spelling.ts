import type { QueryPart } from '../../contract/search-query'
import { tokenize } from './tokens'

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
  const places = [...[...word].keys()].slice(1).concat(0)
  const candidates = [
    ...places.map((at) => splice(word, at, 2, reverse(word.slice(at, at + 2)))),
    ...places.map((at) => splice(word, at, 0, word[at]!)),
    ...places.map((at) => splice(word, at, 1, '')),
    ...places.flatMap((at) => letters.map((letter) => splice(word, at, 1, letter))),
    ...places.concat(word.length).flatMap((at) => letters.map((letter) => splice(word, at, 0, letter))),
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
