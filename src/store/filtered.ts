import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type Found, opposite, type Slice } from '../domain/paging'
import type { Reader, SlotFor, Value } from './db'
import { type Keyed, pastOrigin } from './keyset'

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
): Promise<{ found: Found<Row & Keyed>; total: number }> {
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
    found: { rows: rows as (Row & Keyed)[], behind: (await other?.executeTakeFirst()) !== undefined },
    total: count,
  }
}

/** A condition that is asked often: compiled once for each shape, and answered by one statement. */
export interface Filter {
  shape: string
  /** The columns that find a record, order it, and break ties. */
  columns: { key: string; at: string; id: string }
  matching(slot: SlotFor): AnyQuery
  values: Readonly<Record<string, Value>>
}

/** The keys of a slice, one more than its limit. */
export interface ListedKeys {
  keys: number[]
  behind: boolean
  total: number
}

/** What matches is looked for once; the slice, the number and what is behind are taken from that. */
export async function listFilteredKeys(db: Reader, filter: Filter, slice: Slice): Promise<ListedKeys> {
  const { from, scan, limit } = slice
  const start = from ? (from.inclusive ? 'from' : 'after') : 'start'
  const [row] = await db.prepared<{ total: number; behind: number; keys: string | null }>(
    `${filter.shape} ${filter.columns.at} ${scan} ${start}`,
    (slot) => {
      const { key, at, id } = filter.columns
      const named = [sql.ref(key).as('key'), sql.ref(at).as('at'), sql.ref(id).as('id')] as const
      const past = (way: 'asc' | 'desc', inclusive: boolean) =>
        from ? pastOrigin({ at: 'at', id: 'id' }, way, inclusive, slot('at'), slot('id')) : sql<SqlBool>`1 = 1`
      const order = sql`ORDER BY at ${sql.raw(scan)}, id ${sql.raw(scan)}`
      const behind = from
        ? sql`(SELECT count(*) FROM (SELECT 1 FROM matching WHERE ${past(opposite(scan), !from.inclusive)} LIMIT 1) AS b)`
        : sql`0`
      const listed = sql<{ total: number; behind: number; keys: string | null }>`(
        WITH matching AS MATERIALIZED ${filter.matching(slot).select(named)}
        SELECT (SELECT count(*) FROM matching) AS total, ${behind} AS behind,
          (SELECT ${db.flavour.joinedKeys(order)} FROM (SELECT key, at, id FROM matching
            WHERE ${past(scan, from?.inclusive ?? false)} ${order} LIMIT ${slot<number>('limit')}) AS k) AS keys)`
      return db.selectFrom(listed.as('listed')).selectAll()
    },
    { ...filter.values, limit: limit + 1, at: from?.at ?? null, id: from?.id ?? null },
  )
  const { keys, behind, total } = row!
  return { keys: keys === null ? [] : JSON.parse(`[${keys}]`), behind: behind > 0, total }
}

/** The text taken literally: `%` and `_` are letters like any other. */
export const contains = (column: string, text: string) =>
  sql<SqlBool>`${sql.ref(column)} LIKE ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`
