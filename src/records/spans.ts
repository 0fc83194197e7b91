const PAGE = 1024
const FIELDS = 4

/** Where the text of a record is: in which book, from where to where; and as of which era. */
export interface Span {
  era: number
  book: number
  from: number
  to: number
}

/**
 * Spans by the key of their record, in numbers side by side. A page of a list takes fifty that are near each other: as
 * objects, they would be fifty places in memory that the processor has to wait for.
 */
export class Spans {
  private readonly pages: (Int32Array | undefined)[] = []

  set(key: number, { era, book, from, to }: Span) {
    const at = Math.floor(key / PAGE)
    let page = this.pages[at]
    if (!page) {
      page = new Int32Array(PAGE * FIELDS)
      this.pages[at] = page
    }
    page.set([era, book, from, to], (key % PAGE) * FIELDS)
  }

  clear(key: number) {
    this.pages[Math.floor(key / PAGE)]?.fill(0, (key % PAGE) * FIELDS, (key % PAGE) * FIELDS + FIELDS)
  }

  /** Fills in where the text of this record is; false where that is not known as of this era. */
  read(key: number, era: number, into: Omit<Span, 'era'>): boolean {
    const page = this.pages[Math.floor(key / PAGE)]
    const at = (key % PAGE) * FIELDS
    if (!page || page[at] !== era) return false
    into.book = page[at + 1]!
    into.from = page[at + 2]!
    into.to = page[at + 3]!
    return true
  }
}
