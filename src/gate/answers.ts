import { openBounded } from '../records/bounded'

/** What an answer costs besides its body, about. */
const OVERHEAD = 300

export interface Remembered {
  etag: string
  body: string | Uint8Array<ArrayBuffer>
  link?: string
}

/**
 * Answers by their name: the revision, the viewer, the form and the address, in full. What is kept under it can never be
 * out of date, and nobody else can ask for it; it only takes room.
 */
export const openAnswers = (mostBytes: number) =>
  openBounded<string, Remembered>(mostBytes, ({ body }) => OVERHEAD + body.length)
