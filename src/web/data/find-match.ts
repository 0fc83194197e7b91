import { fold, foldLetters } from '../../contract/browser/fold'
import { parseSearchQuery, unspacedScripts } from '../../contract/browser/search-query'

type Range = [from: number, to: number]

/** A text without case and accents, and where each of its characters was. */
interface Folded {
  plain: string
  starts: number[]
  length: number
}

function foldWithPositions(text: string): Folded {
  let plain = ''
  const starts: number[] = []
  let at = 0
  for (const letter of text) {
    const part = foldLetters(letter)
    for (let unit = 0; unit < part.length; unit++) starts.push(at)
    plain += part
    at += letter.length
  }
  return { plain, starts, length: at }
}

/** The range in the original text. */
function toRange({ starts, length }: Folded, from: number, to: number): Range {
  const end = starts.slice(to).find((start) => start > starts[to - 1]!)
  return [starts[from]!, end ?? length]
}

/** Finds a query in a text, ignoring case and accents as the server does. Returns its range in the text. */
export function findMatch(text: string, query: string): Range | undefined {
  const folded = fold(query)
  if (!folded) return undefined
  const within = foldWithPositions(text)
  const found = within.plain.indexOf(folded)
  return found < 0 ? undefined : toRange(within, found, found + folded.length)
}

/** Finds every occurrence of a folded text. */
function findAll(text: string, folded: string): Range[] {
  const within = foldWithPositions(text)
  const found: Range[] = []
  for (let at = within.plain.indexOf(folded); at >= 0; at = within.plain.indexOf(folded, at + folded.length))
    found.push(toRange(within, at, at + folded.length))
  return found
}

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
