import { type AliasedRawBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { PAGE_SIZE } from '../../contract/browser/constants'
import type { Direction } from '../../contract/shapes'
import type { SortKey } from '../../domain/lists/cursor'
import {
  type ListPoint,
  type LocatedSlice,
  opposite,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../../domain/lists/paging'
import { type ParamFor, prepare, type Reader, type Value } from '../engines/db'
import type { SqlSyntax } from '../engines/syntax'

/** One range of an index: the columns that are fixed in it, and their values. */
export type IndexRange = Readonly<Record<string, Value>>

/** The index of a list: its table, and the columns that find a record, order it and break ties. */
export interface ListIndex {
  table: string
  key: string
  at: string
  id: string
  /** The table that has the ids of the records, with their keys, if it is another; null if the records have no ids. */
  records?: string | null
}

/** A list as ranges of one index. Each is read in order, and they are merged, so no list is ever sorted. */
export interface IndexRanges extends ListIndex {
  ranges: readonly IndexRange[]
}

export interface KeyRow {
  key: number
  at: SortKey
  id: string
}

/** The keys of a slice, as a table that a query selects from and joins to. */
export type Keys = AliasedRawBuilder<KeyRow, 'k'>

/** Where a slice starts: at the start of the list, after a position, or at one. */
export type RangesStart = 'beginning' | 'after' | 'at'

/** What the text of a statement over ranges depends on. */
export type RangesShape = [
  index: readonly string[],
  scan: Direction,
  start: RangesStart,
  limit: number,
  ranges: readonly (readonly string[])[],
]

export const startOf = (from: LocatedSlice['from']): RangesStart =>
  from ? (from.inclusive ? 'at' : 'after') : 'beginning'

export const shapeOf = (
  { table, key, at, id, ranges }: IndexRanges,
  { scan, from, limit }: LocatedSlice,
): RangesShape => [[table, key, at, id], scan, startOf(from), limit, ranges.map((range) => Object.keys(range))]

export function valuesOf({ ranges }: IndexRanges, { limit, from }: LocatedSlice): Record<string, Value> {
  const values: Record<string, Value> = { limit: limit + 1, at: from?.at ?? null, id: from?.id ?? null }
  ranges.forEach((range, number) => {
    for (const column in range) values[paramName(number, column)] = range[column]!
  })
  return values
}

/** The keys of one slice of a list, one more than its limit, as a table named `k`. */
export function keysOf(syntax: SqlSyntax, param: ParamFor, shape: RangesShape): Keys {
  const [, scan, start, max] = shape
  const beyond =
    start === 'beginning' ? undefined : pastOrigin(columnsOf(shape), scan, start === 'at', param('at'), param('id'))
  const keys = merge(syntax, param, shape, scan, beyond, syntax.limit(max + 1))
  return sql<KeyRow>`(${syntax.first(keys, max + 1, param('limit'))})`.as('k')
}

/** Whether there is anything on the other side of where the slice starts: 0 or 1. */
export function behind(syntax: SqlSyntax, param: ParamFor, shape: RangesShape): RawBuilder<number> {
  const [, scan, start] = shape
  if (start === 'beginning') return sql<number>`0`
  const back = opposite(scan)
  const other = pastOrigin(columnsOf(shape), back, start === 'after', param('at'), param('id'))
  return sql<number>`(SELECT count(*) FROM (${merge(syntax, param, shape, back, other, sql.lit(1))} LIMIT 1) AS other_side)`
}

const columnsOf = ([[table, key, at, id]]: RangesShape) => ({ table: table!, key: key!, at: at!, id: id! })

/** The keys of all ranges in one order. No more than `limit` of any range are needed. */
function merge(
  syntax: SqlSyntax,
  param: ParamFor,
  shape: RangesShape,
  scan: Direction,
  beyond: RawBuilder<SqlBool> | undefined,
  limit: RawBuilder<unknown>,
) {
  const { table, key, at, id } = columnsOf(shape)
  const selects = shape[4].map((columns, number) => {
    const fixed = columns.map((column) => sql`${sql.ref(column)} = ${param(paramName(number, column))}`)
    const conditions = sql.join(beyond ? [...fixed, beyond] : fixed, sql` AND `)
    return sql`SELECT ${sql.ref(key)} AS key, ${sql.ref(at)} AS at, ${sql.ref(id)} AS id
      FROM ${sql.table(table)} WHERE ${conditions}`
  })
  return syntax.mergeInOrder(selects, orderBy(scan), limit)
}

export const orderBy = (direction: Direction, table = '') =>
  sql`ORDER BY ${sql.raw(`${table}at ${direction}, ${table}id ${direction}`)}`

/** The rows beyond a position, in the direction of the scan. */
export function pastOrigin(
  { at, id }: { at: string | RawBuilder<SortKey>; id: string },
  scan: Direction,
  inclusive: boolean,
  fromAt: Value,
  fromId: Value,
): RawBuilder<SqlBool> {
  const operator = sql.raw(`${scan === 'asc' ? '>' : '<'}${inclusive ? '=' : ''}`)
  const key = typeof at === 'string' ? sql.ref(at) : at
  return sql<SqlBool>`(${key}, ${sql.ref(id)}) ${operator} (${fromAt}, ${fromId})`
}

const paramName = (range: number, column: string) => `${range}.${column}`

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
  if (!first || records === null) return undefined
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
