import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Found, FoundPage, ListPosition, LocatedSlice, PageRequest, Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { type ParamFor, prepare, type Reader } from '../engines/db'
import type { JsonBytes, SqlSyntax } from '../engines/syntax'
import type { Tables } from '../schema'
import {
  behind,
  countOf,
  type Filtered,
  type IndexRanges,
  immediate,
  type KeyRow,
  keysOf,
  locate,
  narrowTo,
  orderBy,
  type RangesShape,
  type RangesSlice,
  shapeOf,
  sliceOf,
  sliceOfShape,
  valuesOf,
} from './ranges'
import { type Json, toSql } from './record-json'

/** A page with more bytes of texts ends early: a few hostile texts would be a hundred megabytes. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024
/** As many records of a page as there can be, if each is as long, are no longer than a page. */
const LONG_RECORD_BYTES = Math.floor(MAX_PAGE_BYTES / 51)

/** How the records of a list are written as JSON, from the keys `k` and the tables that are joined to them. */
export interface ListedRecord {
  json: Json<unknown>
  /** Each by its key and nothing else: SQLite must begin with `k`, which is in order. */
  joins: RawBuilder<unknown>
  /** About how many bytes its texts have, without reading them. Records without long texts have none. */
  size?: RawBuilder<number>
}

interface PageRow {
  data: JsonBytes
  positions: string | null
  /** How many were found, how many of these fit, and how many of these are so long that they were left out. */
  found: number
  fitting: number
  left_out: number
  behind: number
  total: number
  revision: number
}

/** How the JSON of a page begins. */
const PAGE_START = '{"data":['

/** Between two records of a page. No JSON string contains a line break, so records can be told apart again. */
const SEPARATOR = ',\n'

type RecordOf = (syntax: SqlSyntax, base: string) => ListedRecord

/**
 * The statement that reads a page as JSON: the database finds the records in an index and writes them, so that nothing is left to
 * do but to send it. `isBounded`: only as many as fit; otherwise long records are left out, which costs next to nothing.
 */
function pageStatement(
  { syntax }: Pick<Reader, 'syntax'>,
  param: ParamFor,
  { json, joins, size }: ListedRecord,
  slice: RangesSlice,
  { isBounded, total }: { isBounded: boolean; total: RawBuilder<number> },
) {
  const order = orderBy(slice.scan)
  const found = keysOf(syntax, param, slice)
  const keys = isBounded && size ? keysWithin(found, { joins, size }, slice) : found
  const isLong = isBounded || !size ? undefined : sql`${size} > ${sql.lit(LONG_RECORD_BYTES)}`
  const record = isLong ? sql`CASE WHEN ${isLong} THEN NULL ELSE ${toSql(json)} END` : toSql(json)
  // Both engines write a column of the inner query again for each time it is used, so the JSON is used only once.
  const leftOut = isLong ? sql`CASE WHEN ${isLong} THEN 1 ELSE 0 END` : sql`0`
  return sql<PageRow>`SELECT ${syntax.utf8(sql`concat(${sql.lit(PAGE_START)}, ${syntax.joinInOrder(sql`json`, SEPARATOR, order)})`)} AS data,
    ${syntax.joinInOrder(sql`list_position`, ',', order)} AS positions, coalesce(sum(left_out), 0) AS left_out, count(*) AS fitting,
    ${isBounded ? sql`(SELECT count(*) FROM ${found})` : sql`count(*)`} AS found,
    ${behind(syntax, param, slice)} AS behind, ${total} AS total,
    (SELECT content_revision FROM workspaces WHERE key = ${param<number>('workspace')}) AS revision
    FROM (SELECT ${record} AS json, concat(k.at, ' ', k.id) AS list_position, ${leftOut} AS left_out, k.at AS at, k.id AS id
      FROM ${keys} ${joins}) AS records`
}

/** The first keys, up to the one whose record no longer fits: at least one. */
function keysWithin(
  found: RawBuilder<unknown> | ReturnType<typeof keysOf>,
  { joins, size }: Required<Pick<ListedRecord, 'joins' | 'size'>>,
  { scan }: RangesSlice,
) {
  const order = sql.raw(`k.at ${scan}, k.id ${scan}`)
  return sql<KeyRow>`(SELECT key, at, id FROM (SELECT k.key, k.at, k.id, ${size} AS size,
      sum(${size}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS up_to FROM ${found} ${joins}) AS sized
    WHERE up_to - size < ${sql.lit(MAX_PAGE_BYTES)} ORDER BY ${sql.raw(`at ${scan}, id ${scan}`)})`.as('k')
}

/** Defines a list whose pages are read as JSON, by statements that are compiled once: it is read often. */
export function definePages(recordOf: RecordOf) {
  const statement = prepare((db, param, base: string, isBounded: boolean, ...shape: RangesShape) =>
    pageStatement(db, param, recordOf(db.syntax, base), sliceOfShape(shape), { isBounded, total: sql<number>`0` }),
  )

  return async function readPage(
    db: Reader,
    base: string,
    viewer: Viewer,
    list: IndexRanges,
    request: PageRequest<string>,
  ): Promise<FoundPage> {
    const slice = await locateWithin(db, list, request, () => recordOf(db.syntax, base))
    const ranges = list.narrow ? await narrowTo(db, list, slice) : list
    const values = { ...valuesOf(ranges, slice), workspace: viewer.workspace.key }
    const shape = shapeOf(ranges, slice)
    let [row] = await statement(db, [base, false, ...shape], values)
    if (row!.left_out > 0) [row] = await statement(db, [base, true, ...shape], values)
    return { ...toFoundPage(row!, request), from: slice.from }
  }
}

/** The same for a list that is read seldom, or that has a condition. Its total is counted, by the same statement. */
export async function readFilteredPage(
  db: Reader,
  viewer: Viewer,
  record: ListedRecord,
  list: Filtered,
  request: PageRequest<string>,
): Promise<{ page: FoundPage; total: number }> {
  const slice = await locateWithin(db, list, request, () => record)
  const param = immediate({ ...valuesOf(list, slice), workspace: viewer.workspace.key })
  const read = (isBounded: boolean) => {
    const ranges = sliceOf(list, slice)
    const statement = pageStatement(db, param, record, ranges, { isBounded, total: countOf(param, ranges) })
    return db.selectFrom(sql<PageRow>`(${statement})`.as('page')).selectAll().executeTakeFirstOrThrow()
  }
  let row = await read(false)
  if (row.left_out > 0) row = await read(true)
  return { page: { ...toFoundPage(row, request), from: slice.from }, total: row.total }
}

/** A page around a record has no more before it than half of what fits, so that the record is in it. */
const locateWithin = <S extends Slice>(db: Reader, list: Filtered, slice: S, recordOf: () => ListedRecord) =>
  locate(db, list, slice, () => {
    const { joins, size } = recordOf()
    return size && { joins, size, max: MAX_PAGE_BYTES / 2 }
  })

function toFoundPage(row: PageRow, { limit, way }: PageRequest<string>): FoundPage {
  const { data, positions, behind, revision } = row
  // One more was read than the page has, unless the page ends early.
  const isOver = row.fitting > limit
  const shown = isOver ? positions!.slice(0, positions!.lastIndexOf(',')) : positions
  const end = isOver ? data.lastIndexOf(LINE_BREAK) - 1 : data.length
  const found = { ahead: row.found > Math.min(row.fitting, limit), behind: behind > 0, revision }
  const ends = shown ? [firstPosition(shown), lastPosition(shown)] : []
  if (way === 'next') return { ...found, json: data, end, first: ends[0], last: ends[1] }
  const json = reverse(data.subarray(0, end))
  return { ...found, json, end: json.length, first: ends[1], last: ends[0] }
}

const LINE_BREAK = SEPARATOR.charCodeAt(1)

/** A page that was read backwards has the order of the list all the same. */
function reverse(data: JsonBytes): JsonBytes {
  const records = new TextDecoder().decode(data).slice(PAGE_START.length).split(SEPARATOR)
  return new TextEncoder().encode(PAGE_START + records.reverse().join(SEPARATOR))
}

/** The position of the first record. Not all of them are split, because only those at the ends are needed. */
function firstPosition(positions: string): ListPosition {
  const end = positions.indexOf(',')
  return parsePosition(end < 0 ? positions : positions.slice(0, end))
}

const lastPosition = (positions: string): ListPosition => parsePosition(positions.slice(positions.lastIndexOf(',') + 1))

function parsePosition(text: string): ListPosition {
  const space = text.indexOf(' ')
  return { at: Number(text.slice(0, space)), tie: text.slice(space + 1) }
}

/** The keys of a slice, as a query that the columns of a list are joined to. */
type KeysQuery = SelectQueryBuilder<Tables & { k: KeyRow }, 'k', object>
/** What a list selects, from the keys on: a query of which only the rows matter here. */
type SelectColumns<Row> = (keys: KeysQuery) => { execute(): Promise<Row[]> }

type Positioned<Row> = Row & ListPosition & { list_behind: number; list_total: number }

/**
 * One slice of a list as rows, and how many there are in all: by counting, or by what `total` says, of the same moment. The id of
 * the position is named `tie`, because two columns of one name make reading slow.
 */
export async function listRows<Row extends object>(
  db: Reader,
  list: Filtered,
  slice: Slice,
  select: SelectColumns<Row>,
  total?: RawBuilder<number>,
): Promise<{ found: Found<Row & ListPosition>; total: number }> {
  const located: LocatedSlice = await locate(db, list, slice)
  const { from, scan } = located
  const param = immediate(valuesOf(list, located))
  const ranges = sliceOf(list, located)
  const about = [
    behind(db.syntax, param, ranges).as('list_behind'),
    (total ?? countOf(param, ranges)).as('list_total'),
  ] as const
  for (;;) {
    const keys = keysOf(db.syntax, param, ranges)
    const selected = select(db.selectFrom(keys) as unknown as KeysQuery) as unknown as KeysQuery
    const rows = (await selected
      .select(['k.at', 'k.id as tie', ...about])
      .orderBy('k.at', scan)
      .orderBy('k.id', scan)
      .execute()) as unknown as Positioned<Row>[]
    if (rows[0]) return { found: { rows, behind: rows[0].list_behind > 0, from }, total: rows[0].list_total }
    // An empty page has no row to carry the rest. What was added meanwhile is read again.
    const isEmpty = sql<number>`(SELECT count(*) FROM ${keys})`.as('found')
    const { found, list_behind, list_total } = await db.selectNoFrom([...about, isEmpty]).executeTakeFirstOrThrow()
    if (found === 0) return { found: { rows: [], behind: list_behind > 0, from }, total: list_total }
  }
}

/** The text taken literally: `%` and `_` are letters like any other. */
const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

export const contains = (column: string, text: string) =>
  sql<SqlBool>`${sql.ref(column)} LIKE ${`%${escapeLike(text)}%`} ESCAPE '\\'`

export const startsWith = (column: string, text: string) =>
  sql<SqlBool>`${sql.ref(column)} LIKE ${`${escapeLike(text)}%`} ESCAPE '\\'`
