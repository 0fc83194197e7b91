import { sql } from 'kysely'
import type { SearchType } from '../../contract/search'
import { kindNumbers } from '../../domain/references'
import { prepare, type Reader } from '../engines/db'
import { DAY_MS, KEYS_IN_BLOCK } from '../engines/search/search-index'
import { recordTables } from './texts'

/** Where a record is among all that were found. Unlike its key in the index, it stays the same when the index is rebuilt. */
interface RecordPosition {
  created_at: number
  type: SearchType
  id: string
  /** Its key in the index as it is now, if that is known. */
  key?: number
}

const keyOfRecord = prepare((db, param, table: string) =>
  db
    .selectFrom(`${table as 'posts'} as r`)
    .innerJoin('search_documents as d', 'd.record_key', 'r.key')
    .where('r.workspace_key', '=', param<number>('workspace'))
    .where('r.id', '=', param<string>('id'))
    .where('d.type', '=', param<number>('type'))
    .select(['d.key', 'd.created_at']),
)

/** The key of a record in the index, and when it was created; undefined if it is not in the index. */
export async function findInIndex(db: Reader, workspace: number, { type, id }: Pick<RecordPosition, 'type' | 'id'>) {
  const [known] = await keyOfRecord(db, [recordTables[type].table], { workspace, id, type: kindNumbers[type] })
  return known
}

/**
 * The key of a record in the index. If it was deleted: the key it had, or a fraction between its neighbours in time. A forged
 * position, with the id of one record and the time or the key of another, means the other: it does not tell whether the former
 * exists.
 */
export async function findKeyAt(db: Reader, workspace: number, { created_at, type, id, key: known }: RecordPosition) {
  if (known !== undefined) return known
  const indexed = await findInIndex(db, workspace, { type, id })
  if (indexed?.created_at === created_at) return indexed.key
  // Among the writes to other workspaces, clocks and transactions beside each other put times out of order.
  const key = await findLastKeyBefore(db, created_at + 1)
  const near = await nearKey(db, [], { workspace, key })
  const before = near.findLast((each) => each.created_at <= created_at)
  if (before) return before.key + 0.5
  return (near[0]?.key ?? key + 1) - 0.5
}

/** On each side, of all workspaces. */
const MAX_NEAR = 1_000

/** The records of this workspace near a key, in the order of keys. */
const nearKey = prepare((_, param) => {
  const key = param<number>('key')
  const columns = sql`SELECT d.key, d.created_at, d.workspace_key FROM search_documents AS d`
  const max = sql.lit(MAX_NEAR)
  return sql<{ key: number; created_at: number }>`SELECT near.key, near.created_at FROM (
      SELECT * FROM (${columns} WHERE d.key <= ${key} ORDER BY d.key DESC LIMIT ${max}) AS low
      UNION ALL
      SELECT * FROM (${columns} WHERE d.key > ${key} ORDER BY d.key LIMIT ${max}) AS high
    ) AS near WHERE near.workspace_key = ${param<number>('workspace')} ORDER BY near.key`
})

/**
 * The largest key up to which all were created before a time, by halving the range of keys. Keys follow the time of creation, so
 * there is no index by time.
 */
const lastKeyBefore = prepare((_, param) => {
  const middle = sql`(low + high + 1) / 2`
  const isBefore = sql`(SELECT d.created_at FROM search_documents AS d WHERE d.key <= ${middle} ORDER BY d.key DESC LIMIT 1)
    < ${param<number>('time')}`
  return sql<{ key: number }>`WITH RECURSIVE ranges (low, high) AS (
      SELECT first.key - 1, last.key
      FROM (SELECT min(key) AS key FROM search_documents) AS first, (SELECT max(key) AS key FROM search_documents) AS last
      WHERE first.key IS NOT NULL
      UNION ALL
      SELECT CASE WHEN ${isBefore} THEN ${middle} ELSE low END, CASE WHEN ${isBefore} THEN high ELSE ${middle} - 1 END
      FROM ranges WHERE low < high
    )
    SELECT low AS key FROM ranges WHERE low = high`
})

/** The keys of all that is older are at most this one, but for differences of clocks. */
async function findLastKeyBefore(db: Reader, time: number): Promise<number> {
  const [row] = await lastKeyBefore(db, [], { time })
  return row?.key ?? 0
}

/** The blocks of keys that hold records of these days. */
const blocksOfDays = prepare((db, param) =>
  db
    .selectFrom('search_days')
    .where('day', '>=', param<number>('first'))
    .where('day', '<=', param<number>('last'))
    .select((eb) => [eb.fn.min('block').as('first'), eb.fn.max('block').as('last')]),
)

const dayOf = (time: number): number => Math.floor(time / DAY_MS)

/**
 * Keys between which all records of a period are, among others; undefined if there are none. Not by the order of keys, which is
 * that of writing: a clock may have been wrong by any time.
 */
export async function findKeysBetween(
  db: Reader,
  { createdAfter, createdBefore }: { createdAfter?: number; createdBefore?: number },
): Promise<{ from?: number; to?: number } | undefined> {
  if (createdAfter === undefined && createdBefore === undefined) return {}
  const first = createdAfter === undefined ? Number.MIN_SAFE_INTEGER : dayOf(createdAfter)
  const last = createdBefore === undefined ? Number.MAX_SAFE_INTEGER : dayOf(createdBefore - 1)
  const [blocks] = await blocksOfDays(db, [], { first, last })
  if (blocks!.first === null) return undefined
  return { from: blocks!.first * KEYS_IN_BLOCK, to: (blocks!.last + 1) * KEYS_IN_BLOCK - 1 }
}
