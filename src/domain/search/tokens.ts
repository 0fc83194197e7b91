import { unspacedScripts } from '../../contract/browser/search-query'
import { endOf, foldText, foldWithOffsets, startOf } from './fold'

/** A word, a pair of characters or a symbol, and where it is in the text. */
export interface Token {
  text: string
  start: number
  end: number
}

/** Longer words are cut. */
export const MAX_TOKEN_LENGTH = 64

/**
 * All tokens of a text, in order. They consist of 0–9, a–z and characters beyond ASCII.
 *
 * A word in a script with spaces is one token. Where there are no spaces, every two neighbours are one, and the last character
 * is one alone: 東京都 is 東京, 京都, 都. So any part of it is found as a phrase. An emoji or a flag is one token.
 */
export function tokenize(text: string): Token[] {
  const folded = foldWithOffsets(text)
  const tokens: Token[] = []
  scan(folded.text, (token, from, to) => {
    tokens.push({ text: token, start: startOf(folded, from), end: endOf(folded, to - 1) })
  })
  return tokens
}

/** The same without their offsets. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = []
  scan(foldText(text), (token) => tokens.push(token))
  return tokens
}

/** `from` and `to` are offsets in the folded text. Neighbours in a run, where there are no spaces, overlap. */
type Emit = (token: string, from: number, to: number, isInRun: boolean) => void

const LETTER = '[\\p{L}\\p{N}\\p{M}]'
const RUN = `[${LETTER}&&[${unspacedScripts.map((script) => `\\p{scx=${script}}`).join('')}]]`
/** The class of each character, looked up once. */
const [UNKNOWN, NOTHING, IN_WORD, IN_RUN, PICTOGRAPH, REGIONAL] = [0, 1, 2, 3, 4, 5]
const patterns: readonly (readonly [kind: number, pattern: RegExp])[] = [
  [IN_RUN, new RegExp(RUN, 'v')],
  [IN_WORD, new RegExp(LETTER, 'v')],
  [REGIONAL, /\p{RI}/v],
  [PICTOGRAPH, /[\p{Extended_Pictographic}--\p{P}]/v],
]
const classes = new Uint8Array(0x110000)

function kindOf(point: number): number {
  if (classes[point] === UNKNOWN) {
    const character = String.fromCodePoint(point)
    classes[point] = patterns.find(([, pattern]) => pattern.test(character))?.[0] ?? NOTHING
  }
  return classes[point]!
}

/** Emits the tokens of a folded text. */
export function scan(text: string, emit: Emit): void {
  for (let at = 0; at < text.length; ) {
    const kind = kindOf(text.codePointAt(at)!)
    let end = at + lengthAt(text, at)
    if (kind === REGIONAL) {
      if (end < text.length && kindOf(text.codePointAt(end)!) === REGIONAL) end += 2
    } else if (kind === IN_WORD || kind === IN_RUN) {
      while (end < text.length && kindOf(text.codePointAt(end)!) === kind) end += lengthAt(text, end)
    }
    if (kind === IN_RUN) emitPairs(text, at, end, emit)
    else if (kind !== NOTHING)
      emit(end - at > MAX_TOKEN_LENGTH ? cut(text.slice(at, end)) : text.slice(at, end), at, end, false)
    at = end
  }
}

const cut = (word: string) => [...word.slice(0, 2 * MAX_TOKEN_LENGTH)].slice(0, MAX_TOKEN_LENGTH).join('')

function emitPairs(text: string, start: number, runEnd: number, emit: Emit): void {
  for (let at = start; at < runEnd; ) {
    const next = at + lengthAt(text, at)
    const end = next < runEnd ? next + lengthAt(text, next) : next
    emit(text.slice(at, end), at, end, true)
    at = next
  }
}

const lengthAt = (text: string, at: number) => (text.codePointAt(at)! > 0xffff ? 2 : 1)

interface Grapheme {
  start: number
  end: number
}

/** A grapheme (what a reader takes for one character) at an offset in the text. */
export type GraphemeAt = (at: number) => Grapheme

/** Longer ones are not writing but piles of accents: they may be cut between code points. */
const MAX_LENGTH = 64
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function graphemesOf(text: string): GraphemeAt {
  if (!/[^\x00-\x7f]/.test(text)) return (at) => ({ start: at, end: at + 1 })
  const segments = segmenter.segment(text)
  return (at) => {
    const { index, segment } = segments.containing(at)!
    if (segment.length > MAX_LENGTH) return codePointAt(text, at)
    return { start: index, end: index + segment.length }
  }
}

function codePointAt(text: string, at: number): Grapheme {
  const isSecondHalf = at > 0 && text.codePointAt(at - 1)! > 0xffff
  const start = isSecondHalf ? at - 1 : at
  return { start, end: start + (text.codePointAt(start)! > 0xffff ? 2 : 1) }
}
