import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type Found, type ListPosition, opposite, type Slice } from '../domain/paging'
import { pastOrigin } from './keyset'

// biome-ignore lint/suspicious/noExplicitAny: any table, any joins
type AnyQuery = SelectQueryBuilder<any, any, any>

/**
 * One slice, and the number, of what a condition leaves of a list that no index answers alone: a search, or
 * what a guest may see. The condition must leave few.
 */
export async function listFiltered<Row>(
  matching: AnyQuery,
  selected: AnyQuery,
  columns: { at: string; id: string },
  slice: Slice,
): Promise<{ found: Found<Row & ListPosition>; total: number }> {
  const { from, scan, limit } = slice
  const past = (query: AnyQuery, way: 'asc' | 'desc', inclusive: boolean) =>
    from ? query.where(pastOrigin(columns, way, inclusive, from.at, from.id)) : query

  const rows = await past(selected, scan, from?.inclusive ?? false)
    .select([sql.ref(columns.at).as('at'), sql.ref(columns.id).as('tie')])
    .orderBy(sql.ref(columns.at), scan)
    .orderBy(sql.ref(columns.id), scan)
    .limit(limit + 1)
    .execute()
  const { count } = await matching.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()
  const other = from && past(matching, opposite(scan), !from.inclusive).select(sql`1`.as('one')).limit(1)
  return {
    found: { rows: rows as (Row & ListPosition)[], behind: (await other?.executeTakeFirst()) !== undefined },
    total: count,
  }
}

/** The text taken literally: `%` and `_` are letters like any other. */
export const contains = (column: string, text: string) =>
  sql<SqlBool>`${sql.ref(column)} LIKE ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`
