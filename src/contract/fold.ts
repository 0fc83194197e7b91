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

/** Lower case, with plain letters for those that look like a letter with an accent but are none to Unicode. */
export const foldCase = (text: string): string =>
  text.toLowerCase().replace(/[ßæœøđðþłıħ]/g, (letter) => LETTERS[letter]!)

/** Removes case and accents. */
export const foldLetters = (text: string): string => foldCase(text.normalize('NFKD').replace(/\p{M}+/gu, ''))

/** Normalizes text for comparisons that ignore case and accents: searches, and unique names. */
export const fold = (text: string): string => foldLetters(text).replace(/\s+/g, ' ').trim()
