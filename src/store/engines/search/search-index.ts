import type { Kysely, QueryExecutorProvider, RawBuilder, SqlBool } from 'kysely'
import type { Direction } from '../../../contract/shapes'
import type { Terms } from '../../../domain/search/terms'
import type { ParamFor, Reader, Value, Writer } from '../db'

/** The columns of `search_documents` besides the key. */
export type IndexedDocument = Record<(typeof documentColumns)[number], number>

export const documentColumns = [
  'workspace_key',
  'type',
  'record_key',
  'place_key',
  'post_key',
  'created_at',
  'title_signature',
] as const

/**
 * Records are found by their time through the days of each block of keys. Keys follow the order of writing, and so do times, but
 * only as long as every clock is right.
 */
export const KEYS_IN_BLOCK = 2_048
export const DAY_MS = 24 * 60 * 60 * 1000

/** The document of a record in the index. */
export interface IndexedText {
  /** Of its row in `search_documents`. Without one, it gets the next, which is larger than all before it. */
  key?: number
  document: IndexedDocument
  title: readonly string[]
  content: readonly string[]
  /** Words no text can contain, such as `C12` for a channel: what searches are narrowed down by. */
  scope: readonly string[]
}

export type KeyedText = IndexedText & { key: number }

/** Builds a condition on `d`, which has the columns of `search_documents`. Its text depends on its shape alone, see `prepare` in store/engines/db.ts. */
export type BuildCondition = (param: ParamFor, shape: readonly string[]) => RawBuilder<SqlBool>

export interface MatchCondition {
  build: BuildCondition
  shape: readonly string[]
  values: Readonly<Record<string, Value>>
}

export interface MatchQuery {
  terms: Terms
  /** Of each group, at least one word must be in the scope. */
  scope: readonly (readonly string[])[]
  /** None of these words may be in the scope. */
  outOfScope: readonly string[]
  condition: MatchCondition
  /** The order of the keys. */
  scan: Direction
  /** Only keys between these, both included. */
  from?: number
  to?: number
  limit: number
}

export interface Match {
  key: number
  type: number
  record_key: number
  title_signature: number
}

/** Reads in a transaction that ends soon: while it lasts, SQLite cannot make its WAL smaller. */
export type Read = <T>(work: (db: Reader) => Promise<T>) => Promise<T>

export interface IndexScan {
  /** Adds texts that the index should hold, by ascending keys. */
  expect(texts: readonly KeyedText[]): void
  /** Whether a text is as it was when it was added. */
  isExpected(text: KeyedText): boolean
  /** How many words the texts have. */
  words(): number
  /** Reads the whole index in many short reads. What is written meanwhile may be among what differs. */
  run(read: Read, report: (words: number) => void): Promise<Scanned>
  /** Whether the index still holds a word of a text. */
  holds(db: Reader, entry: SurplusEntry): Promise<boolean>
}

/** A word that the index holds under a key that was not added. */
export interface SurplusEntry {
  key: number
  word: string
}

export interface Scanned {
  /** The keys of texts that the index holds differently. */
  different: number[]
  /** Keys that were not added, each with one of its words. Not all of them, if there are many. */
  surplus: SurplusEntry[]
}

/** The full-text index of an engine. Both find the same. */
export interface SearchIndex {
  create(db: Kysely<never>): Promise<void>
  /** Leaves so many keys free for older records, and returns the one after them, from which keys are handed out. */
  leaveRoom(db: QueryExecutorProvider, count: number): Promise<number>
  /** Adds texts, and their rows of `search_documents`. Their keys are new. */
  add(db: Writer, texts: readonly IndexedText[]): Promise<void>
  remove(db: Writer, keys: readonly number[]): Promise<void>
  clear(db: Writer): Promise<void>
  /** The terms with what a search looks up once, however many statements it needs. */
  expand(db: Reader, terms: Terms): Promise<Terms>
  find(db: Reader, query: MatchQuery): Promise<Match[]>
  /** Which of these tokens occur in any text of the index. */
  findTokens(db: Reader, tokens: readonly string[]): Promise<Set<string>>
  /** The keys of the texts that the index holds differently or not at all, as far as each can be checked alone. */
  findDifferent(db: Reader, texts: readonly KeyedText[]): Promise<number[]>
  /** Compares all texts with the index, where that can be done only for all at once. */
  openScan?(): IndexScan
  /** A part of the work that makes searching fast again after many writes. Whether there is more to do. */
  tidy(db: Writer): Promise<boolean>
  /** Begins to take the words of removed texts off the disk, where the database leaves them there. `tidy` does the rest. */
  beginPurge?(db: Writer): Promise<void>
}
