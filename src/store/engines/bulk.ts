import type { Insertable } from 'kysely'
import type { Tables } from '../schema'
import { paramsFor, prepare, type Value, type Writer } from './db'

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
  for (let size = db.syntax.rowsPerInsert; size >= 1; size /= 2)
    for (; rows.length - from >= size; from += size) {
      const values: Value[] = []
      for (let at = from; at < from + size; at++) for (const column of columns) values.push(rows[at]![column] as Value)
      await insertStatement(db, [table, columns, size], { ...values })
    }
}

const insertStatement = prepare((db, param, table: string, columns: readonly string[], size: number) => {
  const params = paramsFor<Value>(columns.length * size, param)
  const rows = Array.from({ length: size }, (_, row) =>
    Object.fromEntries(columns.map((column, at) => [column, params[row * columns.length + at]])),
  )
  return db.insertInto(table as 'events').values(rows as never)
})

const FIRST_BATCH = 10
const MAX_BATCH = 500
/** About how long one batch should take: texts may be a hundred times as long as usual. */
const BATCH_MS = 10

/** Does work for many keys, some at a time. On SQLite a statement holds up everything else: reads get their turn in between. */
export async function inBatches<Key>(keys: readonly Key[], work: (some: readonly Key[]) => Promise<unknown>) {
  let size = FIRST_BATCH
  for (let from = 0; from < keys.length; ) {
    if (keys.length > FIRST_BATCH) await new Promise(setImmediate)
    const some = keys.slice(from, from + size)
    const started = performance.now()
    await work(some)
    from += some.length
    if (performance.now() - started < BATCH_MS) size = Math.min(2 * size, MAX_BATCH)
    else size = Math.max(1, Math.floor(size / 2))
  }
}
