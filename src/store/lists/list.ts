import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { SortKey } from '../../domain/lists/cursor'
import {
  type Found,
  type FoundPage,
  type ListPoint,
  type ListPosition,
  opposite,
  type PageRequest,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { prepare, type Reader } from '../engines/db'
import type { JsonBytes, SqlSyntax } from '../engines/syntax'
import {
  behind,
  type IndexRanges,
  type KeyRow,
  type Keys,
  keysOf,
  locate,
  orderBy,
  pastOrigin,
  type RangesShape,
  shapeOf,
  valuesOf,
} from './ranges'

/** A row with its position. The id is named `tie`, because two columns of one name make reading slow. */
type Positioned<Row> = Row & ListPosition & { behind: number }

/** How the records of a table are written as JSON: their text, and the tables it is made of, joined to the keys `k`. */
export interface RecordJson {
  json: RawBuilder<string>
  joins: RawBuilder<unknown>
}

interface PageRow {
  data: JsonBytes
  positions: string | null
  behind: number
  revision: number
}

/** How the JSON of a page begins. */
const PAGE_START = '{"data":['

/** Between two records of a page. No JSON string contains a line break, so records can be told apart again. */
const SEPARATOR = ',\n'

/**
 * Defines the statement that reads pages of a list as JSON: the database finds the records in an index and puts their
 * stored fields together, so that nothing is left to do but to send it.
 */
export function preparePages(recordJson: (base: string, syntax: SqlSyntax) => RecordJson) {
  const statement = prepare((db, param, base: string, ...shape: RangesShape) => {
    const { syntax } = db
    const { json, joins } = recordJson(base, syntax)
    const order = orderBy(shape[1])
    return sql<PageRow>`SELECT ${syntax.utf8(sql`concat(${sql.lit(PAGE_START)}, ${syntax.joinInOrder(sql`json`, SEPARATOR, order)})`)} AS data,
      ${syntax.joinInOrder(sql`list_position`, ',', order)} AS positions,
      ${behind(syntax, param, shape)} AS behind,
      (SELECT content_revision FROM workspaces WHERE key = ${param<number>('workspace')}) AS revision
      FROM (SELECT ${json} AS json, concat(k.at, ' ', k.id) AS list_position, k.at AS at, k.id AS id
        FROM ${keysOf(syntax, param, shape)} ${joins}) AS records`
  })

  return async function readPage(
    db: Reader,
    base: string,
    viewer: Viewer,
    ranges: IndexRanges,
    request: PageRequest<string>,
  ): Promise<FoundPage> {
    const slice = await locate(db, ranges, request)
    const values = { ...valuesOf(ranges, slice), workspace: viewer.workspace.key }
    const [row] = await statement(db, [base, ...shapeOf(ranges, slice)], values)
    return { ...toFoundPage(row!, request), from: slice.from }
  }
}

function toFoundPage({ data, positions, behind, revision }: PageRow, { limit, way }: PageRequest<string>): FoundPage {
  const all = positions === null ? [] : positions.split(',')
  // One more was read than the page has.
  const ahead = all.length > limit
  const shown = ahead ? all.slice(0, -1) : all
  const end = ahead ? data.lastIndexOf(LINE_BREAK) - 1 : data.length
  const found = { ahead, behind: behind > 0, revision }
  const ends = [parsePosition(shown[0]), parsePosition(shown.at(-1))]
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

function parsePosition(text: string | undefined): ListPosition | undefined {
  if (text === undefined) return undefined
  const [at, id] = text.split(' ')
  return { at: Number(at), tie: id! }
}

/**
 * Defines the statement that reads pages of a list as rows. `select` says what to take of each record, from `k` on; the
 * order, the position of each row and whether there is anything behind the start are added here.
 */
export function prepareRows<Row>(select: (db: Reader, keys: Keys) => unknown) {
  const statement = prepare((db, param, ...shape: RangesShape) =>
    (select(db, keysOf(db.syntax, param, shape)) as SelectQueryBuilder<{ k: KeyRow }, 'k', Row>)
      .select(['k.at', 'k.id as tie', behind(db.syntax, param, shape).as('behind')])
      .orderBy('k.at', shape[1])
      .orderBy('k.id', shape[1]),
  )
  const probe = prepare((db, param, ...shape: RangesShape) =>
    db.selectNoFrom(behind(db.syntax, param, shape).as('behind')),
  )

  return async function readRows(db: Reader, ranges: IndexRanges, request: Slice): Promise<Found<Row & ListPosition>> {
    const slice = await locate(db, ranges, request)
    const { from } = slice
    const shape = shapeOf(ranges, slice)
    const values = valuesOf(ranges, slice)
    const rows = (await statement(db, shape, values)) as Positioned<Row>[]
    if (rows[0] || !from) return { rows, behind: (rows[0]?.behind ?? 0) > 0, from }
    const [other] = await probe(db, shape, values)
    return { rows, behind: other!.behind > 0, from }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any table, any joins
type AnyQuery = SelectQueryBuilder<any, any, any>

/** The columns that order a list and break ties. */
interface OrderColumns {
  at: string | RawBuilder<SortKey>
  id: string
}

/**
 * One slice, and the number, of what a condition leaves of a list that no index answers alone: a search, or
 * what a guest may see. The condition must leave few.
 */
export async function listFiltered<Row>(
  matching: AnyQuery,
  selected: AnyQuery,
  columns: OrderColumns,
  slice: Slice,
): Promise<{ found: Found<Row & ListPosition>; total: number }> {
  const { scan, limit } = slice
  const from = await findStart(matching, columns, slice)
  const at = toExpression(columns.at)
  const past = (query: AnyQuery, way: 'asc' | 'desc', inclusive: boolean) =>
    from ? query.where(pastOrigin({ at, id: columns.id }, way, inclusive, from.at, from.id)) : query

  const rows = await past(selected, scan, from?.inclusive ?? false)
    .select([at.as('at'), sql.ref(columns.id).as('tie')])
    .orderBy(at, scan)
    .orderBy(sql.ref(columns.id), scan)
    .limit(limit + 1)
    .execute()
  const { count } = await matching.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()
  const other = from && past(matching, opposite(scan), !from.inclusive).select(sql`1`.as('one')).limit(1)
  return {
    found: { rows: rows as (Row & ListPosition)[], behind: (await other?.executeTakeFirst()) !== undefined, from },
    total: count,
  }
}

const toExpression = (at: OrderColumns['at']) => (typeof at === 'string' ? sql.ref<SortKey>(at) : at)

/** Where the slice starts. A record has to match the filters. */
async function findStart(matching: AnyQuery, columns: OrderColumns, { from }: Slice): Promise<ListPoint | undefined> {
  if (!startsAtRecord(from)) return from
  const row = await matching
    .where(sql.ref(columns.id), '=', from.record)
    .select(toExpression(columns.at).as('at'))
    .executeTakeFirst()
  if (!row) throw unknownRecord(from)
  return { at: row.at, id: from.record, inclusive: false }
}

/** The text taken literally: `%` and `_` are letters like any other. */
export const contains = (column: string, text: string) =>
  sql<SqlBool>`${sql.ref(column)} LIKE ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`
