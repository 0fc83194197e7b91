import { sql } from 'kysely'
import { MAX_SORTED_CHANNELS, type Sidebar } from '../../contract/sidebar'
import type { Viewer } from '../../domain/permissions'
import { canSeeChannel, isJoined, viewerKeysOf } from '../access/visibility'
import { insertRows } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'

/** A channel that a member placed in their sidebar. One that is not visible keeps its place. */
export interface PlacedChannel {
  key: number
  id: string
  is_favorite: boolean
  is_visible: boolean
}

/** The channels that a member placed, in their order. */
export async function listPlaced(db: Reader, viewer: Viewer): Promise<PlacedChannel[]> {
  const isVisible = sql<boolean>`CASE WHEN ${canSeeChannel('c', viewerKeysOf(viewer))} THEN 1 ELSE 0 END`
  return db
    .selectFrom('sidebar_channels as s')
    .innerJoin('channels as c', 'c.key', 's.channel_key')
    .where('s.author_key', '=', viewer.author.key)
    .orderBy('s.position')
    .select(['c.key', 'c.id', 's.is_favorite', isVisible.as('is_visible')])
    .execute()
}

/** The channels that a member is in and has not placed, by name: more than can be placed are of no use. */
export async function listUnplaced(db: Reader, viewer: Viewer): Promise<PlacedChannel[]> {
  const keys = viewerKeysOf(viewer)
  const rows = await db
    .selectFrom('channels as c')
    .where('c.workspace_key', '=', viewer.workspace.key)
    .where(canSeeChannel('c', keys))
    .where(isJoined('c', keys, true))
    .where('c.key', 'not in', (eb) =>
      eb.selectFrom('sidebar_channels').where('author_key', '=', viewer.author.key).select('channel_key'),
    )
    .orderBy('c.name_order')
    .orderBy('c.id')
    .limit(MAX_SORTED_CHANNELS + 1)
    .select(['c.key', 'c.id'])
    .execute()
  return rows.map((row) => ({ ...row, is_favorite: false, is_visible: true }))
}

/** Stores which channels are in a section, in this order. None of them is placed in the other one. */
export async function setSection(db: Writer, authorKey: number, isFavorite: boolean, channelKeys: readonly number[]) {
  await db
    .deleteFrom('sidebar_channels')
    .where('author_key', '=', authorKey)
    .where('is_favorite', '=', isFavorite)
    .execute()
  const rows = channelKeys.map((channel_key, position) => ({ author_key: authorKey, channel_key, position }))
  await insertRows(
    db,
    'sidebar_channels',
    rows.map((row) => ({ ...row, is_favorite: isFavorite })),
  )
}

/** Forgets where a member placed a channel. Returns whether they had. */
export async function deletePlaced(db: Writer, authorKey: number, channelKey: number): Promise<boolean> {
  const deleted = await db
    .deleteFrom('sidebar_channels')
    .where('author_key', '=', authorKey)
    .where('channel_key', '=', channelKey)
    .returning('channel_key')
    .execute()
  return deleted.length > 0
}

export function toSidebar(placed: readonly PlacedChannel[]): Sidebar {
  const idsOf = (isFavorite: boolean) =>
    placed.filter(({ is_favorite, is_visible }) => is_visible && is_favorite === isFavorite).map(({ id }) => id)
  return { favorite_ids: idsOf(true), channel_ids: idsOf(false) }
}
