import { type AliasedRawBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
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
import type { ParamFor, Reader, Value } from '../engines/db'
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
  /** Finds which of many ranges the records of a slice can be in, where one statement over all of them would take too long. */
  narrow?: (db: Reader, slice: LocatedSlice) => Promise<readonly IndexRange[]>
}

/**
 * A list that no index answers alone, such as what a guest may see. A condition or an order that is computed is checked row by row,
 * so the ranges must be short.
 */
export interface Filtered extends Omit<IndexRanges, 'at'> {
  at: string | RawBuilder<SortKey>
  where?: RawBuilder<SqlBool>
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

const namesOf = (ranges: readonly IndexRange[]) => ranges.map((range) => Object.keys(range))

export const shapeOf = (
  { table, key, at, id, ranges }: IndexRanges,
  { scan, from, limit }: LocatedSlice,
): RangesShape => [[table, key, at, id], scan, startOf(from), limit, namesOf(ranges)]

/** What a slice of a list is read by: its shape, or the list itself where the statement is not kept. */
export interface RangesSlice {
  list: Omit<Filtered, 'ranges'> & { ranges: readonly (readonly string[])[] }
  scan: Direction
  start: RangesStart
  limit: number
}

export const sliceOfShape = ([[table, key, at, id], scan, start, limit, ranges]: RangesShape): RangesSlice => ({
  list: { table: table!, key: key!, at: at!, id: id!, ranges },
  ...{ scan, start, limit },
})

export const sliceOf = (list: Filtered, { scan, from, limit }: LocatedSlice): RangesSlice => ({
  list: { ...list, ranges: namesOf(list.ranges) },
  ...{ scan, start: startOf(from), limit },
})

export function valuesOf({ ranges }: Pick<Filtered, 'ranges'>, { limit, from }: LocatedSlice): Record<string, Value> {
  const values: Record<string, Value> = { limit: limit + 1, at: from?.at ?? null, id: from?.id ?? null }
  ranges.forEach((range, number) => {
    for (const column in range) values[paramName(number, column)] = range[column]!
  })
  return values
}

/** For a statement that is not kept: each parameter is its value. */
export const immediate = (values: Readonly<Record<string, Value>>): ParamFor =>
  ((name: string) => values[name]) as ParamFor

/** The keys of one slice of a list, one more than its limit, as a table named `k`. */
export function keysOf(syntax: SqlSyntax, param: ParamFor, slice: RangesSlice): Keys {
  const { list, scan, start, limit } = slice
  const beyond = start === 'beginning' ? undefined : pastOrigin(list, scan, start === 'at', param('at'), param('id'))
  const keys = merge(syntax, param, slice, scan, beyond, syntax.limit(limit + 1))
  return sql<KeyRow>`(${syntax.first(keys, limit + 1, param('limit'))})`.as('k')
}

/** Whether there is anything on the other side of where the slice starts: 0 or 1. */
export function behind(syntax: SqlSyntax, param: ParamFor, slice: RangesSlice): RawBuilder<number> {
  const { list, scan, start } = slice
  if (start === 'beginning') return sql<number>`0`
  const back = opposite(scan)
  const other = pastOrigin(list, back, start === 'after', param('at'), param('id'))
  return sql<number>`(SELECT count(*) FROM (${merge(syntax, param, slice, back, other, sql.lit(1))} LIMIT 1) AS other_side)`
}

/** How many rows the list has. */
export const countOf = (param: ParamFor, { list }: RangesSlice): RawBuilder<number> =>
  sql<number>`(SELECT count(*) FROM (${sql.join(rangesOf(param, list), sql` UNION ALL `)}) AS counted)`

/** The keys of all ranges in one order. No more than `limit` of any range are needed. */
const merge = (
  syntax: SqlSyntax,
  param: ParamFor,
  { list }: RangesSlice,
  scan: Direction,
  beyond: RawBuilder<SqlBool> | undefined,
  limit: RawBuilder<unknown>,
) => syntax.mergeInOrder(rangesOf(param, list, beyond), orderBy(scan), limit)

function rangesOf(param: ParamFor, list: RangesSlice['list'], beyond?: RawBuilder<SqlBool>): RawBuilder<unknown>[] {
  const { table, key, at, id, where, ranges } = list
  return ranges.map((columns, number) => {
    const fixed = columns.map((column) => sql`${sql.ref(column)} = ${param(paramName(number, column))}`)
    const conditions = sql.join([...fixed, ...(where ? [where] : []), ...(beyond ? [beyond] : [])], sql` AND `)
    return sql`SELECT ${sql.ref(key)} AS key, ${orderColumn(at)} AS at, ${sql.ref(id)} AS id
      FROM ${sql.table(table)} WHERE ${conditions}`
  })
}

const orderColumn = (at: Filtered['at']) => (typeof at === 'string' ? sql.ref<SortKey>(at) : at)

export const orderBy = (direction: Direction, table = '') =>
  sql`ORDER BY ${sql.raw(`${table}at ${direction}, ${table}id ${direction}`)}`

/** The rows beyond a position, in the direction of the scan. */
export function pastOrigin(
  { at, id }: Pick<Filtered, 'at' | 'id'>,
  scan: Direction,
  inclusive: boolean,
  fromAt: Value,
  fromId: Value,
): RawBuilder<SqlBool> {
  const operator = sql.raw(`${scan === 'asc' ? '>' : '<'}${inclusive ? '=' : ''}`)
  return sql<SqlBool>`(${orderColumn(at)}, ${sql.ref(id)}) ${operator} (${fromAt}, ${fromId})`
}

const paramName = (range: number, column: string) => `${range}.${column}`

/** The list without ranges that a slice has no records of, nor whatever is next to its start on the other side. */
export async function narrowTo<L extends Filtered>(db: Reader, list: L, slice: LocatedSlice): Promise<L> {
  const { narrow, ranges: all, ...rest } = list
  if (!narrow) return list
  const ranges = [...(await narrow(db, slice))]
  if (slice.from) {
    const from = { ...slice.from, inclusive: !slice.from.inclusive }
    const behind = await narrow(db, { ...slice, scan: opposite(slice.scan), from, limit: 0 })
    ranges.push(...behind.filter((other) => !ranges.some((range) => isWithin(range, other))))
  }
  // A statement needs a range, also where none has anything to show.
  return { ...rest, ranges: ranges.length > 0 ? ranges : all.slice(0, 1) } as unknown as L
}

/** Looks up where a slice of a list starts, if it starts at a record. Throws if the list does not contain it. */
export async function locate<S extends Slice>(
  db: Reader,
  list: Filtered,
  slice: S,
  sizesOf: () => RecordSizes | undefined = () => undefined,
): Promise<S & LocatedSlice> {
  const { from } = slice
  if (!startsAtRecord(from)) return slice as S & LocatedSlice
  const point = await findPoint(db, list, from.record)
  if (!point) throw unknownRecord(from)
  return { ...slice, from: from.isCentred ? await findStartAround(db, list, slice, point, sizesOf()) : point }
}

/** The position of a record, if it is in one of the ranges. They may be many, so they are not part of the statement. */
async function findPoint(db: Reader, list: Filtered, record: string): Promise<ListPoint | undefined> {
  const { table, key, at, id, records = table, ranges, where } = list
  const [first] = ranges
  if (!first || records === null) return undefined
  const columns = [...new Set(ranges.flatMap(Object.keys))].sort()
  const common = columns.filter((column) => ranges.every((range) => range[column] === first[column]))
  const inTable = (column: string) => sql.ref(`${table}.${column}`)
  // The index of the ids is by workspace. A list of one member may have ids of its own.
  const found =
    'workspace_key' in first
      ? sql`${sql.table(records)} AS r JOIN ${sql.table(table)} ON ${inTable(key)} = r.key
        WHERE r.workspace_key = ${first.workspace_key} AND r.id = ${record}`
      : sql`${sql.table(table)} WHERE ${inTable(id)} = ${record}`
  const conditions = common.map((column) => sql`AND ${inTable(column)} = ${first[column]}`)
  const position = typeof at === 'string' ? inTable(at) : at
  const [row] = await db
    .selectFrom(
      sql<Record<string, Value>>`(SELECT ${sql.join([sql`${position} AS list_at`, ...columns.map(inTable)])}
        FROM ${found} ${sql.join([...conditions, ...(where ? [sql`AND ${where}`] : [])], sql` `)})`.as('found'),
    )
    .selectAll()
    .execute()
  if (!row || !ranges.some((range) => isWithin(range, row))) return undefined
  return { at: row.list_at as SortKey, id: record, inclusive: false }
}

/** Booleans are stored as 0 or 1. */
const isWithin = (range: IndexRange, row: Record<string, Value>): boolean =>
  Object.entries(range).every(([column, value]) =>
    typeof value === 'boolean' ? Number(row[column]) === Number(value) : row[column] === value,
  )

/** How many bytes records have, from `k` on, and how many of them a slice may have before the record it is around. */
export interface RecordSizes {
  size: RawBuilder<number>
  joins: RawBuilder<unknown>
  max: number
}

/** Where a slice starts that has a record in its middle. Near an end of the list, it has more of the other side. */
async function findStartAround(
  db: Reader,
  list: Filtered,
  slice: Slice,
  point: ListPoint,
  sizes: RecordSizes | undefined,
): Promise<ListPoint> {
  const others = slice.limit - 1
  const find = async (scan: Slice['scan']) => {
    const around = { ...slice, scan, from: point, limit: others }
    const near = await narrowTo(db, list, around)
    const keys = keysOf(db.syntax, immediate(valuesOf(near, around)), sliceOf(near, around))
    const { size, joins } = sizes ?? { size: sql`0`, joins: sql`` }
    return db
      .selectFrom(
        sql<{ at: SortKey; id: string; size: number }>`(SELECT k.at, k.id, ${size} AS size FROM ${keys} ${joins})`.as(
          'k',
        ),
      )
      .selectAll()
      .orderBy('at', scan)
      .orderBy('id', scan)
      .execute()
  }
  const [before, after] = [await find(opposite(slice.scan)), await find(slice.scan)]
  const wanted = Math.min(before.length, Math.max(Math.floor(others / 2), others - after.length))
  const { at, id } = before[countWithin(before.slice(0, wanted), sizes?.max) - 1] ?? point
  return { at, id, inclusive: true }
}

/** How many of these have no more bytes together. */
function countWithin(rows: readonly { size: number }[], max = Number.POSITIVE_INFINITY): number {
  let sum = 0
  const end = rows.findIndex(({ size }) => {
    sum += size
    return sum > max
  })
  return end === -1 ? rows.length : end
}
