import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { SortKey } from '../domain/lists/cursor'
import {
  type Found,
  type ListPoint,
  type ListPosition,
  opposite,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../domain/lists/paging'
import { pastOrigin } from './keyset'

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

/** Where the slice starts. A record has to be among what matches. */
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
