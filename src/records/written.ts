/** An answer that is written out already, as the bytes that are sent. It stands for the value it is made of. */
export class Written<T> {
  /** Never set: it only tells the compiler what was written. */
  declare readonly value: T

  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly cursors: { next_cursor: string | null; prev_cursor: string | null },
    /** It is one record, whose bytes are kept already. */
    readonly isRecord = false,
  ) {}
}

const noCursors = { next_cursor: null, prev_cursor: null }

/** One record as the bytes of its JSON, with a comma before it, so that pages are put together by copying. */
export const recordBytes = (record: object): Uint8Array<ArrayBuffer> => Buffer.from(`,${JSON.stringify(record)}`)

/** One record that is written out already, without the comma. */
export const writtenRecord = <T>(record: Uint8Array<ArrayBuffer>): Written<T> =>
  new Written(record.subarray(1), noCursors, true)

/** A page of records that are written out already. */
export function writtenPage<T>(
  records: readonly { bytes: Uint8Array<ArrayBuffer> }[],
  rest: { total_count: number; next_cursor: string | null; prev_cursor: string | null },
): Written<T> {
  const { next_cursor, prev_cursor } = rest
  const tail = Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
  const bytes = Buffer.concat([HEAD, ...records.map((record) => record.bytes), tail])
  // Of the first record the comma goes, by moving the head up against it.
  if (records.length === 0) return new Written(bytes, { next_cursor, prev_cursor })
  bytes.copyWithin(1, 0, HEAD.length)
  return new Written(bytes.subarray(1), { next_cursor, prev_cursor })
}

const HEAD = Buffer.from('{"data":[')
