import { openBounded } from '../records/bounded'

/** What an answer, and what the name of one, costs besides, about. */
const OVERHEAD = 300
const NAME_BYTES = 200
/** How much of the room goes to the names of what was asked for once. */
const NAMES_SHARE = 1 / 8

export interface Remembered {
  etag: string
  body: string | Uint8Array<ArrayBuffer>
  link?: string
}

/**
 * Answers by their name: the revision, the viewer, the form and the address, in full. What is kept under it can never be
 * out of date, and nobody else can ask for it; it only takes room. So it is kept from the second time on: most pages far
 * in a list are asked for once, and would push out what is asked for again and again.
 */
export function openAnswers(mostBytes: number) {
  const kept = openBounded<string, Remembered>(mostBytes * (1 - NAMES_SHARE), ({ body }) => OVERHEAD + body.length)
  const askedOnce = openBounded<string, true>(mostBytes * NAMES_SHARE, () => NAME_BYTES)
  return {
    ...kept,
    /** Whether this was asked for before. */
    isAskedAgain(name: string): boolean {
      if (askedOnce.get(name)) return true
      askedOnce.set(name, true)
      return false
    },
  }
}
