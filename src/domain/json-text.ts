/** A response that is JSON already, as text or bytes. `T` is the value it represents. */
export class JsonText<T> {
  /** Never set: it only tells the compiler what the JSON holds. */
  declare readonly value: T

  constructor(
    readonly text: string | Uint8Array<ArrayBuffer>,
    /** Of a page, for the links to its neighbours. */
    readonly cursors: Cursors = { next_cursor: null, prev_cursor: null },
  ) {}
}

export interface Cursors {
  next_cursor: string | null
  prev_cursor: string | null
}
