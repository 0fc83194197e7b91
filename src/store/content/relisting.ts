import { sql } from 'kysely'
import { hashNextVisibilities } from '../access/visibility-hash'
import { prepare, type Reader, type Writer } from '../engines/db'
import { lockWorkspace } from '../people/workspaces'

/**
 * Posts have the `is_listed` of their channel, so that all public posts are one range of an index. When a channel is archived or
 * made private, that changes for all its posts: a part of them at a time, from the oldest on. `relisting_at` says how far it is;
 * until it is done, public posts are listed by channel (`findPostGroups`), which does not depend on `is_listed`.
 */

/** It takes some twenty milliseconds, in which others wait to write. */
const BATCH = 250

interface Relisted {
  key: number
  workspace_key: number
  is_listed: boolean
  relisting_at: number | null
}

/** Changes the next posts of a channel. Returns up to which time it is done; null if that is all. */
export async function relistPosts(db: Writer, channel: Relisted): Promise<number | null> {
  const from = channel.relisting_at ?? -1
  const next = sql<{ published_at: number }>`${nextOfHalf(channel, from, 0)} UNION ALL ${nextOfHalf(channel, from, 1)}`
  const { rows } = await sql<{ last: number | null; found: number }>`SELECT max(published_at) AS last, count(*) AS found
    FROM (SELECT published_at FROM (${next}) AS halves ORDER BY published_at LIMIT ${sql.lit(BATCH)}) AS batch`.execute(
    db,
  )
  const { last, found } = rows[0]!
  if (last === null) return null
  const relisted = db
    .updateTable('posts')
    .set({ is_listed: channel.is_listed })
    .where('workspace_key', '=', channel.workspace_key)
    .where('channel_key', '=', channel.key)
    .where('is_resolved', 'in', [false, true])
    .where('published_at', '>', from)
    .where('published_at', '<=', last)
    .returning('key')
  const keys = (await relisted.execute()).map(({ key }) => key)
  await db
    .updateTable('post_activity')
    .set({ is_listed: channel.is_listed })
    .where(db.syntax.isInJson('post_key', JSON.stringify(keys)))
    .execute()
  return Number(found) < BATCH ? null : Number(last)
}

const nextOfHalf = ({ key, workspace_key }: Relisted, from: number, isResolved: 0 | 1) =>
  sql`SELECT published_at FROM (SELECT published_at FROM posts WHERE workspace_key = ${workspace_key} AND channel_key = ${key}
    AND is_resolved = ${sql.lit(isResolved)} AND published_at > ${from} ORDER BY published_at LIMIT ${sql.lit(BATCH)}) AS half`

const relistingChannel = prepare((db) =>
  db
    .selectFrom('channels')
    .where('relisting_at', 'is not', null)
    .select(['key', 'workspace_key', 'is_listed', 'relisting_at'])
    .orderBy('key')
    .limit(1),
)

const due = prepare((db) =>
  db.selectNoFrom([
    sql<number>`CASE WHEN EXISTS (SELECT 1 FROM channels WHERE relisting_at IS NOT NULL)
      OR EXISTS (SELECT 1 FROM authors WHERE visibility_hash IS NULL) THEN 1 ELSE 0 END`.as('isDue'),
  ]),
)

/** Whether any channel has posts to change, or what some authors see has to be hashed. */
export const hasRelisting = async (db: Reader): Promise<boolean> => (await due(db, [], {}))[0]!.isDue === 1

/** Sets the hashes of the next authors. Not with `relistNext`: their workspace may be another, and both would be locked in any order. */
export const hashNext = (db: Writer): Promise<unknown> =>
  hashNextVisibilities(db, (workspaceKey) => lockWorkspace(db, workspaceKey))

/**
 * Changes the next posts of a channel, if there is one. The workspace is locked first, as by every write: the channel may be archived
 * or restored at any time, and of two that lock its posts and the channel in another order, PostgreSQL ends one after a second.
 */
export async function relistNext(db: Writer): Promise<void> {
  const [found] = await relistingChannel(db, [], {})
  if (!found) return
  await lockWorkspace(db, found.workspace_key)
  const channel = await db
    .selectFrom('channels')
    .where('key', '=', found.key)
    .where('relisting_at', 'is not', null)
    .select(['key', 'workspace_key', 'is_listed', 'relisting_at'])
    .executeTakeFirst()
  if (!channel) return
  const relisting_at = await relistPosts(db, channel)
  await db.updateTable('channels').set({ relisting_at }).where('key', '=', channel.key).execute()
}
