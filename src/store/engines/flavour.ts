import type { Kysely, QueryExecutorProvider, RawBuilder, Selectable } from 'kysely'
import type { Tables } from '../schema'

export type JsonPath = readonly string[]

export interface JsonValue {
  path: JsonPath
  to: '' | null
}

/** The few things the engines spell differently. */
export interface Flavour {
  /** An integer primary key the engine hands out. */
  key: string
  /** A 64-bit integer. */
  int: string
  /** Text compared byte by byte, whatever the locale: ids and names. */
  text: string
  /** Bytes as they are. */
  bytes: string
  /** The function that finds a text in another: where it begins, from 1, or 0. */
  indexOf: string
  /**
   * Selects that each read a range of an index in this order, as one in the same order: by merging, without
   * reading more of any than needed. Of each, the first `max` are enough.
   */
  mergeInOrder(selects: readonly RawBuilder<unknown>[], order: RawBuilder<unknown>, max: number): RawBuilder<unknown>
  /** The keys of a table `k` that is in this order already, as one text with commas between them. */
  joinedKeys(order: RawBuilder<unknown>): RawBuilder<string | null>
  /** Locks the rows a query finds until the end of the transaction, where there can be other writers. */
  forUpdate<Q>(query: Q): Q
  /** The text at a path of a JSON text; null where there is none. */
  textInJson(json: RawBuilder<unknown>, path: JsonPath): RawBuilder<string | null>
  /** A JSON text with other values at these paths, as far as they exist in it. */
  replaceInJson(json: RawBuilder<unknown>, values: readonly JsonValue[]): RawBuilder<string>
  /** Passes over rows that another transaction holds, where there can be such. */
  skipLocked<Q>(query: Q): Q
  /** Makes `members.search_text` answer substring searches from a trigram index. */
  createMemberSearch(db: Kysely<never>): Promise<void>
  /** How to ask that index whether `members.search_text` contains a (folded) text, taken literally. */
  memberSearch(text: string): MemberSearch
  /** How many rows one INSERT takes best, where there are many. */
  rowsPerInsert: number
  /** Keys for rows that this transaction is about to insert, so that they can name each other. */
  reserveKeys(db: QueryExecutorProvider, table: string, count: number): Promise<number[]>
}

export interface MemberSearch {
  /** Which of the engine's ways this is; statements are kept by it. */
  shape: string
  pattern: string
  /** The members it is in, as a table to select from under the name `members`. */
  found(pattern: string): RawBuilder<Selectable<Tables['members']>>
}
