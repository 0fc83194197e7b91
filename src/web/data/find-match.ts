import { fold, foldLetters } from '../../contract/fold'

/** Finds a query in a text, ignoring case and accents as the server does. Returns its range in the text. */
export function findMatch(text: string, query: string): [from: number, to: number] | undefined {
  const folded = fold(query)
  if (!folded) return undefined
  let plain = ''
  const starts: number[] = []
  let at = 0
  for (const letter of text) {
    const part = foldLetters(letter)
    for (const _ of part) starts.push(at)
    plain += part
    at += letter.length
  }
  const found = plain.indexOf(folded)
  if (found < 0) return undefined
  const end = starts.slice(found + folded.length).find((start) => start > starts[found + folded.length - 1]!)
  return [starts[found]!, end ?? text.length]
}
