const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
}

/** Lower case. Letters that look accented, but that Unicode does not decompose, become plain letters. */
export const foldCase = (text: string): string =>
  text.toLowerCase().replace(/[ßæœøđðþłıħ]/g, (letter) => LETTERS[letter]!)

/** Removes case and accents. */
export const foldLetters = (text: string): string => foldCase(text.normalize('NFKD').replace(/\p{M}+/gu, ''))

/** Normalizes text for comparisons that ignore case and accents: searches, and unique names. */
export const fold = (text: string): string => foldLetters(text).replace(/\s+/g, ' ').trim()

const ENDS_EMBEDDING = '\u202c'
const ENDS_ISOLATE = '\u2069'
/** Characters that change the direction of the following text, with the characters that end them. */
const ENDS: Record<string, string> = {
  ...Object.fromEntries([...'\u202a\u202b\u202d\u202e'].map((start) => [start, ENDS_EMBEDDING])),
  ...Object.fromEntries([...'\u2066\u2067\u2068'].map((start) => [start, ENDS_ISOLATE])),
}
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const ALL_CONTROLS = new RegExp(CONTROLS, 'g')

/** Removes all direction controls, for text that is shown beside other text without an element around it. */
export const withoutBidi = (text: string): string => text.replace(ALL_CONTROLS, '')

/** Closes all changes of direction within the text, and removes unmatched ends, so that the text after it is not affected. */
export function balanceBidi(text: string): string {
  if (!CONTROLS.test(text)) return text
  let balanced = ''
  const open: string[] = []
  for (const letter of text) {
    if (letter === ENDS_EMBEDDING || letter === ENDS_ISOLATE) {
      // The end of an isolate also ends the embeddings within it.
      const at = letter === ENDS_ISOLATE ? open.lastIndexOf(letter) : open.length - 1
      if (at < 0 || open[at] !== letter) continue
      open.length = at
    } else if (ENDS[letter]) open.push(ENDS[letter])
    balanced += letter
  }
  return balanced + open.reverse().join('')
}
