import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Direction } from '../contract/page'
import type { SortKey } from '../domain/cursor'
import { type Found, type FoundText, opposite, type PageRequest, type Placed, type Slice } from '../domain/paging'
import type { Viewer } from '../domain/permissions'
import { prepare, type Reader } from './db'
import type { Flavour, PageText } from './engines/flavour'
import {
  behind,
  type KeyRow,
  type Keys,
  keysOf,
  orderBy,
  type Ranges,
  type RangesShape,
  shapeOf,
  valuesOf,
} from './keyset'

/** Where a row stands in its list. The id has a name of its own: two columns of one name make reading slow. */
export interface Keyed {
  at: SortKey
  tie: string
  behind: number
}

/** How the records of a table are written as JSON: their text, and the tables it is made of, joined to the keys `k`. */
export interface RecordJson {
  json: RawBuilder<string>
  joins: RawBuilder<unknown>
}

interface PageRow {
  data: PageText | null
  places: string | null
  behind: number
  revision: number
}

/**
 * Defines the statement that reads pages of a list as JSON: the database finds the records in an index and puts their
 * stored fields together, so that nothing is left to do but to send it. Records are separated by `,` and a line break,
 * which no JSON string contains.
 */
export function preparePages(recordJson: (base: string, flavour: Flavour) => RecordJson) {
  const statement = prepare((db, slot, base: string, isReversed: boolean, ...shape: RangesShape) => {
    const [, scan] = shape
    const { json, joins } = recordJson(base, db.flavour)
    const direction: Direction = isReversed ? opposite(scan) : scan
    const records = sql`SELECT ${json} AS json, concat(k.at, ' ', k.id) AS place, k.at AS at, k.id AS id
      FROM ${keysOf(db.flavour, slot, shape)} ${joins}`
    return sql<PageRow>`SELECT ${db.flavour.pageText(db.flavour.joinInOrder(sql`json`, ',\n', orderBy(direction)))} AS data,
      ${db.flavour.joinInOrder(sql`place`, ',', orderBy(direction))} AS places,
      ${behind(db.flavour, slot, shape)} AS behind,
      (SELECT revision FROM workspaces WHERE key = ${slot<number>('workspace')}) AS revision
      FROM (${isReversed ? sql`SELECT * FROM (${records}) AS found ${orderBy(direction)}` : records}) AS records`
  })

  return async function readPage(
    db: Reader,
    base: string,
    viewer: Viewer,
    ranges: Ranges,
    request: PageRequest<string>,
  ): Promise<FoundText> {
    const isReversed = request.way === 'prev'
    const shape = shapeOf(ranges, request)
    const values = { ...valuesOf(ranges, request), workspace: viewer.workspace.key }
    const [row] = await statement(db, [base, isReversed, ...shape], values)
    return toFoundText(row!, request.limit, isReversed)
  }
}

function toFoundText({ data, places, behind, revision }: PageRow, limit: number, isReversed: boolean): FoundText {
  const all = places === null ? [] : places.split(',')
  const ahead = all.length > limit
  // One more was read than the page has: the last of the scan.
  const shown = ahead ? (isReversed ? all.slice(1) : all.slice(0, -1)) : all
  const text = data === null ? '' : ahead ? withoutOne(data, isReversed) : data
  return { text, first: placeOf(shown[0]), last: placeOf(shown.at(-1)), ahead, behind: behind > 0, revision }
}

const LINE_BREAK = 10

function withoutOne(data: PageText, isFirst: boolean): PageText {
  if (typeof data === 'string')
    return isFirst ? data.slice(data.indexOf('\n') + 1) : data.slice(0, data.lastIndexOf('\n') - 1)
  return isFirst ? data.subarray(data.indexOf(LINE_BREAK) + 1) : data.subarray(0, data.lastIndexOf(LINE_BREAK) - 1)
}

function placeOf(text: string | undefined): Placed | undefined {
  if (text === undefined) return undefined
  const [at, id] = text.split(' ')
  return { at: Number(at), tie: id! }
}

/**
 * Defines the statement that reads pages of a list as rows. `select` says what to take of each record, from `k` on; the
 * order, the place of each row and whether there is anything behind the start are added here.
 */
export function prepareRows<Row>(select: (db: Reader, keys: Keys) => unknown) {
  const statement = prepare((db, slot, ...shape: RangesShape) =>
    (select(db, keysOf(db.flavour, slot, shape)) as SelectQueryBuilder<{ k: KeyRow }, 'k', Row>)
      .select(['k.at', 'k.id as tie', behind(db.flavour, slot, shape).as('behind')])
      .orderBy('k.at', shape[1])
      .orderBy('k.id', shape[1]),
  )
  const probe = prepare((db, slot, ...shape: RangesShape) =>
    db.selectNoFrom(behind(db.flavour, slot, shape).as('behind')),
  )

  return async function readRows(db: Reader, ranges: Ranges, slice: Slice): Promise<Found<Row & Keyed>> {
    const shape = shapeOf(ranges, slice)
    const values = valuesOf(ranges, slice)
    const rows = (await statement(db, shape, values)) as (Row & Keyed)[]
    if (rows[0] || !slice.from) return { rows, behind: (rows[0]?.behind ?? 0) > 0 }
    const [other] = await probe(db, shape, values)
    return { rows, behind: other!.behind > 0 }
  }
}
