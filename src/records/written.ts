import { type Paper, takePaper } from './paper'
import type { Passage } from './shelf'

/** An answer that is written out already, as the bytes that are sent. It stands for the value it is made of. */
export class Written<T> {
  /** Never set: it only tells the compiler what was written. */
  declare readonly value: T

  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly cursors: { next_cursor: string | null; prev_cursor: string | null },
    /** It is one record, whose bytes are kept already. */
    readonly isRecord = false,
    /** What it is written on, which is used again once it was sent. */
    readonly paper?: Paper,
  ) {}
}

const noCursors = { next_cursor: null, prev_cursor: null }

/** One record that is written out already, without the comma. */
export const writtenRecord = <T>({ book, from, to }: Passage): Written<T> =>
  new Written(book.subarray(from + 1, to), noCursors, true)

/** A page of records that are written out already. */
export function writtenPage<T>(
  records: readonly Passage[],
  rest: { total_count: number; next_cursor: string | null; prev_cursor: string | null },
): Written<T> {
  const { next_cursor, prev_cursor } = rest
  const tail = `],${JSON.stringify(rest).slice(1)}`
  const length = records.reduce((sum, { from, to }) => sum + to - from, HEAD.length + tail.length)
  const paper = takePaper(length)
  let at = 0
  for (const { book, from, to } of records) at += book.copy(paper, at + HEAD.length - 1, from, to)
  // Over the comma of the first record.
  HEAD.copy(paper)
  const end = records.length > 0 ? at + HEAD.length - 1 : HEAD.length
  paper.write(tail, end)
  return new Written(paper.subarray(0, end + tail.length), { next_cursor, prev_cursor }, false, paper)
}

const HEAD = Buffer.from('{"data":[')
