import type { Insertable } from 'kysely'
import type { Value, Writer } from './db'
import type { Tables } from './schema'

/**
 * Inserts many rows, several per statement where that is faster. The number of rows per statement is a power of two, so
 * that there are few statements to prepare.
 */
export async function insertRows<Table extends keyof Tables>(
  db: Writer,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
) {
  if (rows.length === 0) return
  const columns = Object.keys(rows[0]!) as (keyof Insertable<Tables[Table]> & string)[]
  let from = 0
  for (let size = db.syntax.rowsPerInsert; size >= 1; size /= 2) {
    if (rows.length - from < size) continue
    const text = insertText(db, table, columns, size)
    for (; rows.length - from >= size; from += size) {
      const values: Value[] = []
      for (let at = from; at < from + size; at++) for (const column of columns) values.push(rows[at]![column] as Value)
      await db.wire.execute(text, values)
    }
  }
}

function insertText(db: Writer, table: keyof Tables, columns: readonly string[], size: number): string {
  const row = Object.fromEntries(columns.map((column) => [column, '']))
  const query = db.insertInto(table).values(Array.from({ length: size }, () => row) as never)
  return query.compile().sql
}
