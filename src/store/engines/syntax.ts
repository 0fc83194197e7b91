import type { QueryExecutorProvider, RawBuilder, SqlBool } from 'kysely'

/** JSON that is sent as it is. */
export type JsonBytes = Uint8Array<ArrayBuffer>

export type JsonPath = readonly string[]

export interface JsonValue {
  path: JsonPath
  to: '' | null
}

/** The SQL that differs between the engines. */
export interface SqlSyntax {
  kind: 'sqlite' | 'postgres'
  /** An integer primary key the engine hands out. */
  key: string
  /** A 64-bit integer. */
  int: string
  /** Text compared byte by byte, independent of the locale: ids and names. */
  text: string
  /** Bytes as they are. */
  bytes: string
  /** The function that finds a text in another: where it begins, from 1, or 0. */
  indexOf: string
  /**
   * Selects that each read a range of an index in this order, as one in the same order: by merging, without
   * reading more of any than needed. Of each, the first `limit` are enough.
   */
  mergeInOrder(
    selects: readonly RawBuilder<unknown>[],
    order: RawBuilder<unknown>,
    limit: RawBuilder<unknown>,
  ): RawBuilder<unknown>
  /** A limit of at least `count` rows, as a literal. */
  limit(count: number): RawBuilder<unknown>
  /** The first `count` rows of a query. `param` has the same value. */
  first(query: RawBuilder<unknown>, count: number, param: number): RawBuilder<unknown>
  /** The texts of a table that is in this order already, as one; null where there are none. */
  joinInOrder(text: RawBuilder<unknown>, separator: string, order: RawBuilder<unknown>): RawBuilder<string | null>
  /** Locks the rows a query finds until the end of the transaction, where there can be other writers. */
  forUpdate<Q>(query: Q): Q
  /** The text at a path of a JSON text; null where there is none. */
  textInJson(json: RawBuilder<unknown>, path: JsonPath): RawBuilder<string | null>
  /** A JSON text with other values at these paths, as far as they exist in it. */
  replaceInJson(json: RawBuilder<unknown>, values: readonly JsonValue[]): RawBuilder<string>
  /** Passes over rows that another transaction holds, where there can be such. */
  skipLocked<Q>(query: Q): Q
  /** Whether a column is among the numbers of a JSON array. */
  isInJson(column: string, json: string): RawBuilder<SqlBool>
  /** The arrays of a JSON array as rows, as part of FROM: each element is a column of this type. */
  rowsOfJson(json: string, columns: Record<string, 'int' | 'text'>): RawBuilder<unknown>
  /** Joins a table by the keys that a query finds for each row before it, such as the first of each. */
  joinByKeys(table: string, name: string, keys: RawBuilder<unknown>): RawBuilder<unknown>
  /** Whether a column is among the texts of a JSON array. */
  isInTextJson(column: string, json: string): RawBuilder<SqlBool>
  /** Whether a record is of a workspace, and its id is in a JSON array. */
  hasIdInJson(table: string, workspaceKey: number, json: string): RawBuilder<SqlBool>
  /** A text expression as JSON. */
  quoteJson(expression: string): string
  /** An expression of milliseconds as the API writes times. It takes too long for lists that are read often. */
  isoTime(expression: string): string
  /** Text as the bytes that are sent: decoding it and encoding it again would cost as much as reading it. */
  utf8(text: RawBuilder<unknown>): RawBuilder<JsonBytes>
  /** Hands out keys of a table from where another left off, so that none is ever used twice. */
  continueKeys(db: QueryExecutorProvider, from: string, to: string): Promise<void>
  /** A column at the end of an index, so that a search for a part of its text reads the index alone; or none. */
  searchedInIndex(column: string): string[]
  /** How many rows one INSERT takes best, where there are many. */
  rowsPerInsert: number
  /** Keys for rows that this transaction is about to insert, so that they can name each other. */
  reserveKeys(db: QueryExecutorProvider, table: string, count: number): Promise<number[]>
}
