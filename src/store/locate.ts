import { sql } from 'kysely'
import { PAGE_SIZE } from '../contract/browser/constants'
import {
  type ListPoint,
  type LocatedSlice,
  opposite,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../domain/lists/paging'
import { prepare, type Reader, type Value } from './engines/db'
import { type IndexRange, type IndexRanges, keysOf, type RangesShape, shapeOf, valuesOf } from './keyset'

/** Looks up where a slice of a list starts, if it starts at a record. Throws if the list does not contain it. */
export async function locate<S extends Slice>(db: Reader, list: IndexRanges, slice: S): Promise<S & LocatedSlice> {
  const { from } = slice
  if (!startsAtRecord(from)) return slice as S & LocatedSlice
  const point = await findPoint(db, list, from.record)
  if (!point) throw unknownRecord(from)
  return { ...slice, from: from.isCentred ? await findStartAround(db, list, slice, point) : point }
}

const recordById = prepare(
  (_, param, [table, key, at, records]: readonly string[], common: readonly string[], columns: readonly string[]) => {
    const selected = columns.map((column) => sql`l.${sql.ref(column)}`)
    const conditions = common.map((column) => sql`AND l.${sql.ref(column)} = ${param(column)}`)
    return sql<Record<string, Value>>`SELECT ${sql.join([sql`l.${sql.ref(at!)} AS at`, ...selected])}
      FROM ${sql.table(records!)} AS r JOIN ${sql.table(table!)} AS l ON l.${sql.ref(key!)} = r.key
      WHERE r.workspace_key = ${param('workspace_key')} AND r.id = ${param('record')} ${sql.join(conditions, sql` `)}`
  },
)

/** The position of a record, if it is in one of the ranges. They may be many, so they are not part of the statement. */
async function findPoint(db: Reader, list: IndexRanges, record: string): Promise<ListPoint | undefined> {
  const { table, key, at, records = table, ranges } = list
  const [first] = ranges
  if (!first) return undefined
  const columns = [...new Set(ranges.flatMap(Object.keys))].sort()
  const common = columns.filter((column) => ranges.every((range) => range[column] === first[column]))
  const [row] = await recordById(db, [[table, key, at, records], common, columns], { ...first, record })
  if (!row || !ranges.some((range) => isWithin(range, row))) return undefined
  return { at: row.at as number, id: record, inclusive: false }
}

/** Booleans are stored as 0 or 1. */
const isWithin = (range: IndexRange, row: Record<string, Value>): boolean =>
  Object.entries(range).every(([column, value]) =>
    typeof value === 'boolean' ? Number(row[column]) === Number(value) : row[column] === value,
  )

const positions = prepare((db, param, ...shape: RangesShape) =>
  db
    .selectFrom(keysOf(db.syntax, param, shape))
    .select(['k.at', 'k.id'])
    .orderBy('k.at', shape[1])
    .orderBy('k.id', shape[1]),
)

/** Where a slice starts that has a record in its middle. Near an end of the list, it has more of the other side. */
async function findStartAround(db: Reader, list: IndexRanges, slice: Slice, point: ListPoint): Promise<ListPoint> {
  const others = slice.limit - 1
  // One limit, and so one statement, for all sizes of pages.
  const find = (scan: Slice['scan']) => {
    const around = { ...slice, scan, from: point, limit: PAGE_SIZE }
    return positions(db, shapeOf(list, around), valuesOf(list, around))
  }
  const [before, after] = await Promise.all([find(opposite(slice.scan)), find(slice.scan)])
  const taken = Math.min(before.length, Math.max(Math.floor(others / 2), others - after.length))
  const { at, id } = before[taken - 1] ?? point
  return { at, id, inclusive: true }
}
