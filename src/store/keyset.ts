import {
  type AliasedRawBuilder,
  type Compilable,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { type Direction, PAGE_SIZE } from '../contract/page'
import type { SortKey } from '../domain/cursor'
import { type Found, opposite, type Slice } from '../domain/paging'
import type { Reader, SlotFor, Value } from './db'
import type { Flavour } from './engines/flavour'

/** One range of an index: the columns that are fixed in it, and their values. */
export type Branch = Readonly<Record<string, Value>>

/** A list as ranges of one index. Each is read in order, and they are merged, so no list is ever sorted. */
export interface Ranges {
  table: string
  /** The columns that find the record, order it, and break ties. */
  key: string
  at: string
  id: string
  branches: readonly Branch[]
}

/** Where a row stands in its list. The id has a name of its own: two columns of one name make reading slow. */
export interface Keyed {
  at: SortKey
  tie: string
  behind: number
}

interface KeyRow {
  key: number
  at: SortKey
  id: string
}

/** The keys of a slice, as a table that a query selects from and joins to. */
export type Keys = AliasedRawBuilder<KeyRow, 'k'>

/**
 * One slice of a list. `select` says what to take of each record, from `k` on; the order, the place of each row
 * and whether there is anything behind the start are added here, in the same statement.
 */
export async function listRanges<Row>(
  db: Reader,
  name: string,
  ranges: Ranges,
  slice: Slice,
  select: (keys: Keys) => unknown,
): Promise<Found<Row & Keyed>> {
  const shape = shapeOf(name, ranges, slice)
  const values = valuesOf(ranges, slice)
  const rows = await db.prepared<Row & Keyed>(
    shape,
    (slot) =>
      (select(keysOf(db.flavour, slot, ranges, slice)) as SelectQueryBuilder<{ k: KeyRow }, 'k', Row>)
        .select(['k.at', 'k.id as tie', behind(db.flavour, slot, ranges, slice).as('behind')])
        .orderBy('k.at', slice.scan)
        .orderBy('k.id', slice.scan) as unknown as Compilable<Row & Keyed>,
    values,
  )
  if (rows[0] || !slice.from) return { rows, behind: (rows[0]?.behind ?? 0) > 0 }

  const [other] = await db.prepared<{ behind: number }>(
    `${shape} probe`,
    (slot) => db.selectNoFrom(behind(db.flavour, slot, ranges, slice).as('behind')),
    values,
  )
  return { rows, behind: other!.behind > 0 }
}

/** Which records a slice holds, and the revision of the workspace that is as of: one row of one statement. */
export interface Listed {
  keys: number[]
  behind: boolean
  revision: number
}

/** The keys of one slice: all there is to read where the records are remembered, and all of it from an index. */
export async function listKeys(
  db: Reader,
  name: string,
  workspaceKey: number,
  ranges: Ranges,
  slice: Slice,
): Promise<Listed> {
  const [row] = await db.prepared<{ keys: string | null; behind: number; revision: number }>(
    `${shapeOf(name, ranges, slice)} keys`,
    (slot) => {
      const order = orderOf(slice.scan)
      return db
        .selectFrom('workspaces')
        .where('key', '=', slot<number>('workspace'))
        .select([
          'revision',
          behind(db.flavour, slot, ranges, slice).as('behind'),
          sql<
            string | null
          >`(SELECT ${db.flavour.joinedKeys(order)} FROM ${keysOf(db.flavour, slot, ranges, slice)})`.as('keys'),
        ])
    },
    { ...valuesOf(ranges, slice), workspace: workspaceKey },
  )
  const { keys, behind: before, revision } = row!
  return { keys: keys === null ? [] : JSON.parse(`[${keys}]`), behind: before > 0, revision }
}

/** What distinguishes the statements of a list from each other. */
function shapeOf(name: string, { at, branches }: Ranges, { scan, from, limit }: Slice): string {
  const start = from ? (from.inclusive ? 'from' : 'after') : 'start'
  const size = limit === PAGE_SIZE ? 'whole' : 'some'
  return [name, at, scan, start, size, ...branches.map((branch) => Object.keys(branch).join())].join(' ')
}

function valuesOf({ branches }: Ranges, { limit, from }: Slice): Record<string, Value> {
  const values: Record<string, Value> = { limit: limit + 1, at: from?.at ?? null, id: from?.id ?? null }
  branches.forEach((branch, number) => {
    for (const column in branch) values[slotName(number, column)] = branch[column]!
  })
  return values
}

/** The keys of one slice of a list, one more than its limit, as a table named `k`. */
function keysOf(flavour: Flavour, slot: SlotFor, ranges: Ranges, { scan, from, limit }: Slice): Keys {
  const beyond = from && pastOrigin(ranges, scan, from.inclusive, slot('at'), slot('id'))
  return sql<KeyRow>`(${merged(flavour, slot, ranges, scan, beyond, PAGE_SIZE + 1)} LIMIT ${limitOf(slot, limit)})`.as(
    'k',
  )
}

/** SQLite runs twice as fast with a limit it knows beforehand; the usual one is, and the others share a statement. */
const limitOf = (slot: SlotFor, limit: number) =>
  limit === PAGE_SIZE ? sql.lit(PAGE_SIZE + 1) : sql`${slot<number>('limit')}`

/** Whether there is anything on the other side of where the slice starts: 0 or 1. */
function behind(flavour: Flavour, slot: SlotFor, ranges: Ranges, { scan, from }: Slice): RawBuilder<number> {
  if (!from) return sql<number>`0`
  const back = opposite(scan)
  const other = pastOrigin(ranges, back, !from.inclusive, slot('at'), slot('id'))
  return sql<number>`(SELECT count(*) FROM (${merged(flavour, slot, ranges, back, other, 1)} LIMIT 1) AS other_side)`
}

/** The keys of all ranges in one order. No more than `most` of any range are needed. */
function merged(
  flavour: Flavour,
  slot: SlotFor,
  ranges: Ranges,
  scan: Direction,
  beyond: RawBuilder<SqlBool> | undefined,
  most: number,
) {
  const selects = ranges.branches.map((branch, number) => {
    const fixed = Object.keys(branch).map((column) => sql`${sql.ref(column)} = ${slot(slotName(number, column))}`)
    const conditions = sql.join(beyond ? [...fixed, beyond] : fixed, sql` AND `)
    return sql`SELECT ${sql.ref(ranges.key)} AS key, ${sql.ref(ranges.at)} AS at, ${sql.ref(ranges.id)} AS id
      FROM ${sql.table(ranges.table)} WHERE ${conditions}`
  })
  return flavour.mergeInOrder(selects, orderOf(scan), most)
}

const orderOf = (scan: Direction) => sql`ORDER BY at ${sql.raw(scan)}, id ${sql.raw(scan)}`

/** The rows beyond a place, in the direction of the scan. */
export function pastOrigin(
  { at, id }: { at: string; id: string },
  scan: Direction,
  inclusive: boolean,
  fromAt: Value,
  fromId: Value,
): RawBuilder<SqlBool> {
  const operator = sql.raw(`${scan === 'asc' ? '>' : '<'}${inclusive ? '=' : ''}`)
  return sql<SqlBool>`(${sql.ref(at)}, ${sql.ref(id)}) ${operator} (${fromAt}, ${fromId})`
}

const slotName = (branch: number, column: string) => `${branch}.${column}`
