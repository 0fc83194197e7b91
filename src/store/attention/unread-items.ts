import { type RawBuilder, sql } from 'kysely'
import { MAX_UNREAD_COUNT } from '../../contract/unread'

/** The number of rows of a query, up to the highest number that is told. In the order of an index it reads no more than these. */
export const countUpToMax = (query: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(SELECT count(*) FROM (${query} LIMIT ${sql.lit(MAX_UNREAD_COUNT)}) AS counted)`

/** How many comments or messages after the position are looked at: more than are told, because some are one's own or deleted. */
const MAX_ITEMS = 500

/** What is unread of a post or thread: `items` by others after the revision that was read, with their revisions. */
export function unreadItems(items: RawBuilder<unknown>, readRevision: RawBuilder<unknown>, me: number) {
  return sql`FROM (SELECT m.id, m.revision, m.author_key FROM ${items} AND m.revision > ${readRevision}
    ORDER BY m.revision LIMIT ${sql.lit(MAX_ITEMS)}) AS newest WHERE newest.author_key <> ${me}`
}
