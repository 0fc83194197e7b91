import type { Insertable } from 'kysely'
import type { Value, Writer } from './db'
import type { Tables } from './schema'

const MOST_ROWS = 64

/**
 * Inserts many rows with few statements. Their sizes are powers of two, so there are few texts to prepare,
 * whatever the number of rows.
 */
export async function insertRows<Table extends keyof Tables>(
  db: Writer,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
) {
  if (rows.length === 0) return
  const columns = Object.keys(rows[0]!) as (keyof Insertable<Tables[Table]>)[]
  for (let from = 0; from < rows.length; ) {
    const size = Math.min(MOST_ROWS, 2 ** Math.floor(Math.log2(rows.length - from)))
    const values: Value[] = []
    for (let at = from; at < from + size; at++) for (const column of columns) values.push(rows[at]![column] as Value)
    await db.wire.execute(textOf(db, table, columns as string[], size), values)
    from += size
  }
}

const texts = new WeakMap<object, Map<string, string>>()

function textOf(db: Writer, table: keyof Tables, columns: readonly string[], size: number): string {
  const known = texts.getOrInsertComputed(db.flavour, () => new Map())
  return known.getOrInsertComputed(`${table} ${size} ${columns}`, () => {
    const row = Object.fromEntries(columns.map((column) => [column, '']))
    const query = db.insertInto(table).values(Array.from({ length: size }, () => row) as never)
    return query.compile().sql
  })
}
