import { fold, foldLetters } from '../../contract/browser/fold'

export type Range = [from: number, to: number]

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
export function findAll(text: string, folded: string): Range[] {
  const within = foldWithPositions(text)
  const found: Range[] = []
  for (let at = within.plain.indexOf(folded); at >= 0; at = within.plain.indexOf(folded, at + folded.length))
    found.push(toRange(within, at, at + folded.length))
  return found
}
