import { fold, foldLetters } from '../../contract/fold'

/** Where a text holds what is searched, as the server sees it: from and to, in the text as it is written. */
export function whereFound(text: string, searched: string): [from: number, to: number] | undefined {
  const wanted = fold(searched)
  if (!wanted) return undefined
  let plain = ''
  const starts: number[] = []
  let at = 0
  for (const letter of text) {
    const part = foldLetters(letter)
    for (const _ of part) starts.push(at)
    plain += part
    at += letter.length
  }
  const found = plain.indexOf(wanted)
  if (found < 0) return undefined
  const end = starts.slice(found + wanted.length).find((start) => start > starts[found + wanted.length - 1]!)
  return [starts[found]!, end ?? text.length]
}
