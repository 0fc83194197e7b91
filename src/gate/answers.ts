import { openBounded } from '../records/bounded'

/** What an answer costs besides its body, about. */
const OVERHEAD = 300

export interface Remembered {
  body: string | Uint8Array<ArrayBuffer>
  link?: string
  /** The body is a record that is remembered by itself, and takes no further room. */
  isRecord?: boolean
}

/**
 * Answers by their ETag. An ETag names the revision, the viewer and the address, so what is kept under it can
 * never be out of date; it only takes room.
 */
export const openAnswers = (mostBytes: number) =>
  openBounded<string, Remembered>(mostBytes, ({ body, isRecord }) => OVERHEAD + (isRecord ? 0 : body.length))
