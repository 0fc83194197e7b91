import { fold } from '../../contract/browser/fold'
import { parseSearchQuery, unspacedScripts } from '../../contract/browser/search-query'
import { findAll, type Range } from './find-match'

interface Word {
  folded: string
  isPrefix: boolean
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu
const UNSPACED = new RegExp(`[${unspacedScripts.map((script) => `\\p{scx=${script}}`).join('')}]`, 'u')

/** The words that a query looks for. */
export const listQueryWords = (q: string): Word[] =>
  parseSearchQuery(q).flatMap((part) => {
    if (part.kind !== 'words' || part.isExcluded) return []
    const words = fold(part.text).match(WORDS) ?? []
    return words.map((folded, at) => ({ folded, isPrefix: part.isPrefix && at === words.length - 1 }))
  })

/** Finds words in a text, ignoring case and accents as the server does. */
export const findWords = (text: string, words: Word[]): Range[] =>
  [...text.matchAll(WORDS)].flatMap(({ 0: run, index }) => {
    const folded = fold(run)
    return words.flatMap((word): Range[] => {
      if (UNSPACED.test(word.folded)) return findAll(run, word.folded).map(([from, to]) => [index + from, index + to])
      const isFound = word.isPrefix ? folded.startsWith(word.folded) : folded === word.folded
      return isFound ? [[index, index + run.length]] : []
    })
  })
