import { openBounded } from '../records/bounded'

/** What an answer costs besides its body, about. */
const OVERHEAD = 300

export interface Remembered {
  body: string | Uint8Array<ArrayBuffer>
  link?: string
}

/**
 * Answers by their ETag. An ETag names the revision, the viewer and the address, so what is kept under it can
 * never be out of date; it only takes room.
 */
export const openAnswers = (mostBytes: number) =>
  openBounded<string, Remembered>(mostBytes, ({ body }) => OVERHEAD + body.length)
