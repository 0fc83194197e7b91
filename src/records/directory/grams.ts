/** How many bytes in a row are indexed, at most. A text of no more than these is answered by the index alone. */
export const LONGEST_GRAM = 3
/** What an entry of a map takes, about. */
const ENTRY_BYTES = 40

/**
 * Numbers for the sequences of one, two and three bytes that occur in texts. Bytes of UTF-8 rather than letters: a text is
 * part of another exactly if its bytes are, and a byte needs no table of letters.
 */
export function openGrams() {
  const short = new Int32Array(1 << 16).fill(-1)
  const single = new Int32Array(1 << 8).fill(-1)
  const long = new Map<number, number>()
  let count = 0

  /** The number of this sequence, or -1 where it occurs nowhere. */
  function find(text: Uint8Array, at: number, length: number): number {
    if (length === 1) return single[text[at]!]!
    if (length === 2) return short[pair(text, at)]!
    return long.get(triple(text, at)) ?? -1
  }
  function add(text: Uint8Array, at: number, length: number): number {
    if (length === 1) single[text[at]!] = count
    else if (length === 2) short[pair(text, at)] = count
    else long.set(triple(text, at), count)
    return count++
  }
  return {
    get count() {
      return count
    },
    bytes: () => single.byteLength + short.byteLength + long.size * ENTRY_BYTES,
    find,
    /** The same, with a new number for one that is new. */
    number(text: Uint8Array, at: number, length: number): number {
      const found = find(text, at, length)
      return found === -1 ? add(text, at, length) : found
    },
  }
}

export type Grams = ReturnType<typeof openGrams>

const pair = (text: Uint8Array, at: number) => (text[at]! << 8) | text[at + 1]!
const triple = (text: Uint8Array, at: number) => (text[at]! << 16) | (text[at + 1]! << 8) | text[at + 2]!

/** The longest sequences that a text consists of; undefined where one of them occurs nowhere. */
export function gramsOf(grams: Grams, text: Uint8Array): number[] | undefined {
  const length = Math.min(text.length, LONGEST_GRAM)
  const numbers: number[] = []
  for (let at = 0; at + length <= text.length; at++) {
    const number = grams.find(text, at, length)
    if (number === -1) return undefined
    numbers.push(number)
  }
  return numbers
}
