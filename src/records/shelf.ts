import { Spans } from './spans'

/** The kinds of records that are remembered. */
export const kinds = ['post', 'comment', 'message', 'member'] as const
export type Kind = (typeof kinds)[number]

/** Part of a book: the JSON of one record or of several, each with a comma before it, so that pages are put together by copying. */
export interface Passage {
  book: Buffer<ArrayBuffer>
  from: number
  to: number
}

/** A record as it is sent, with what lists need of it besides. */
export interface Sheet extends Passage {
  kind: Kind
  key: number
  id: string
  /** When it was put here, as its workspace counts. */
  era: number
  /** What it is sorted by, and what decides who may see it. */
  facts: Readonly<Record<string, number>>
}

export type NewSheet = Omit<Sheet, 'era' | 'book' | 'from' | 'to'>

/**
 * Sheets are bound into books: a hundred thousand buffers of their own would each be looked at whenever memory is cleaned
 * up, and that costs more than answering.
 */
const BOOK_BYTES = 1024 * 1024
/** What a sheet costs besides its text, about. */
const OVERHEAD = 300

interface Book {
  number: number
  text: Buffer<ArrayBuffer>
  used: number
  sheets: Sheet[]
}

/** Sheets by their key and by their id. Once they take too much room, the book that was begun first goes. */
export function openShelf(mostBytes: number) {
  const byKey = new Map<number, Sheet>()
  const byId = new Map<string, Sheet>()
  const spans = Object.fromEntries(kinds.map((kind) => [kind, new Spans()])) as Record<Kind, Spans>
  const books: Book[] = []
  const texts = new Map<number, Buffer<ArrayBuffer>>()
  let lastBook = 0
  let bytes = 0

  function bookFor(size: number): Book {
    const last = books.at(-1)
    if (last && last.used + size <= last.text.length) return last
    const text = Buffer.allocUnsafeSlow(Math.min(BOOK_BYTES, mostBytes))
    const book = { number: ++lastBook, text, used: 0, sheets: [] }
    books.push(book)
    texts.set(book.number, text)
    bytes += book.text.length
    while (bytes > mostBytes) throwAway(books.shift()!)
    return book
  }
  function throwAway({ number, text, sheets }: Book) {
    texts.delete(number)
    for (const sheet of sheets) if (byId.get(sheet.id) === sheet) remove(sheet)
    bytes -= text.length + sheets.length * OVERHEAD
  }
  function remove({ kind, key, id }: Sheet) {
    byKey.delete(slotOf(kind, key))
    byId.delete(id)
    spans[kind].clear(key)
  }
  return {
    withKey: (kind: Kind, key: number): Sheet | undefined => byKey.get(slotOf(kind, key)),
    withId: (id: string): Sheet | undefined => byId.get(id),
    put(sheet: NewSheet, era: number, record: object): Sheet {
      const text = textOf(record)
      const size = Buffer.byteLength(text)
      if (size > Math.min(BOOK_BYTES, mostBytes)) return looseSheet(sheet, record)
      const book = bookFor(size)
      const put = { ...sheet, era, book: book.text, from: book.used, to: book.used + size }
      book.text.write(text, put.from)
      book.used = put.to
      book.sheets.push(put)
      bytes += OVERHEAD
      byKey.set(slotOf(sheet.kind, sheet.key), put)
      byId.set(sheet.id, put)
      spans[sheet.kind].set(sheet.key, { era, book: book.number, from: put.from, to: put.to })
      return put
    },
    /**
     * The text of these records one after the other, in as few passages as it takes: what was read one after the other stands
     * so in its book. Undefined where one of them is not there as of this era.
     */
    passages(kind: Kind, keys: readonly number[], era: number): Passage[] | undefined {
      const found: Passage[] = []
      const span = { book: 0, from: 0, to: 0 }
      let lastNumber = 0
      for (const key of keys) {
        if (!spans[kind].read(key, era, span)) return undefined
        const last = found.at(-1)
        if (last && lastNumber === span.book && last.to === span.from) last.to = span.to
        else found.push({ book: texts.get(span.book)!, from: span.from, to: span.to })
        lastNumber = span.book
      }
      return found
    },
    drop(id: string) {
      const sheet = byId.get(id)
      if (sheet) remove(sheet)
    },
  }
}

export type Shelf = ReturnType<typeof openShelf>

/** A sheet that is on no shelf. */
export function looseSheet(sheet: NewSheet, record: object): Sheet {
  const book = Buffer.from(textOf(record))
  return { ...sheet, era: 0, book, from: 0, to: book.length }
}

const textOf = (record: object) => `,${JSON.stringify(record)}`

/** Keys count each table by itself: together with the kind they are one number again. */
const slotOf = (kind: Kind, key: number): number => key * kinds.length + kinds.indexOf(kind)
