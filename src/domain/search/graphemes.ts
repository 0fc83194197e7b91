interface Grapheme {
  start: number
  end: number
}

/** What a reader takes for one character, at a place in the text. */
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
