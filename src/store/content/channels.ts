import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { fold } from '../../contract/browser/fold'
import { naturalKey } from '../../contract/browser/natural-order'
import type { Channel } from '../../contract/channels'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { channelIsVisible, isJoined, viewerKeysOf } from '../access/visibility'
import { setVisibilityHashesInChannel } from '../access/visibility-hash'
import { countRows, prepare, type Reader, type Writer } from '../engines/db'
import { contains, listRows, startsWith } from '../lists/list'
import { relistPosts } from './relisting'

export type ChannelRow = Awaited<ReturnType<typeof findChannelByName>> & {}

/** A channel as its record shows it. */
export type ActiveChannelRow = ChannelRow & { last_activity_at: number | null }

const visibleChannels = (db: Reader, viewer: Viewer) =>
  db
    .selectFrom('channels')
    .where('channels.workspace_key', '=', viewer.workspace.key)
    .where(channelIsVisible('channels', viewerKeysOf(viewer)))

/** A channel this viewer may see. */
export const findChannel = (db: Reader, viewer: Viewer, id: string): Promise<ChannelRow | undefined> =>
  visibleChannels(db, viewer)
    .where('channels.id', '=', id)
    .where('channels.archived_at', 'is', null)
    .selectAll('channels')
    .executeTakeFirst()

const activeChannels = (db: Reader, viewer: Viewer) =>
  visibleChannels(db, viewer).where('channels.archived_at', 'is', null).selectAll('channels').select(lastActivity)

/** The same, with when it was last active. */
export const findActiveChannel = (db: Reader, viewer: Viewer, id: string): Promise<ActiveChannelRow | undefined> =>
  activeChannels(db, viewer).where('channels.id', '=', id).executeTakeFirst()

/** The same by its key. */
export const findActiveChannelByKey = (
  db: Reader,
  viewer: Viewer,
  key: number,
): Promise<ActiveChannelRow | undefined> =>
  activeChannels(db, viewer).where('channels.key', '=', key).executeTakeFirst()

/** Those of these channels that this viewer may see, in no order. */
export const findActiveChannels = async (
  db: Reader,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ActiveChannelRow[]> =>
  ids.length === 0 ? [] : activeChannels(db, viewer).where('channels.id', 'in', ids).execute()

/** The same for members who manage channels: archived ones too. */
export const findChannelToManage = (db: Reader, viewer: Viewer, id: string): Promise<ActiveChannelRow | undefined> =>
  visibleChannels(db, viewer)
    .where('channels.id', '=', id)
    .selectAll('channels')
    .select(lastActivity)
    .executeTakeFirst()

/** The newest activity of the open and of the resolved posts: the ends of two ranges of an index. */
const newestOf = (isResolved: 0 | 1) =>
  sql`SELECT max(n.last_activity_at) AS at FROM post_activity AS n WHERE n.workspace_key = channels.workspace_key
    AND n.channel_key = channels.key AND n.is_resolved = ${sql.lit(isResolved)}`
const newest = sql<number | null>`(SELECT max(at) FROM (${newestOf(0)} UNION ALL ${newestOf(1)}) AS newest)`
const lastActivity = newest.as('last_activity_at')

/** A channel this viewer may see, by its folded name or its id. */
export const findVisibleChannelByNameOrId = (db: Reader, viewer: Viewer, nameFold: string, id: string) =>
  visibleChannels(db, viewer)
    .where((eb) => eb.or([eb('channels.name_fold', '=', nameFold), eb('channels.id', '=', id)]))
    .where('channels.archived_at', 'is', null)
    .select('channels.key')
    .executeTakeFirst()

export const findChannelByName = (db: Reader, workspaceKey: number, nameFold: string) =>
  db
    .selectFrom('channels')
    .where('workspace_key', '=', workspaceKey)
    .where('name_fold', '=', nameFold)
    .selectAll()
    .executeTakeFirst()

/** The filter of a list of channels. Archived ones are listed only for members who manage channels. */
export interface ChannelFilter {
  /** The folded name; or a folded text that the name or the description contains. */
  nameFold?: string
  textFold?: string
  joined?: boolean
  isDefault?: boolean
  archived: boolean
}

export type ChannelSort = 'created_at' | 'name' | 'last_activity_at' | 'members_count' | 'best_match'

/** One without posts goes by when it was made. */
const activity = sql<number>`coalesce(${newest}, channels.created_at)`

/** More than any time in milliseconds. */
const RANK = 1e14

/** How well the name matches, and among equals the activity. */
const matchOf = (text: string) => sql<number>`CASE WHEN channels.name_fold = ${text} THEN ${sql.lit(3 * RANK)}
  WHEN ${startsWith('channels.name_fold', text)} THEN ${sql.lit(2 * RANK)}
  WHEN ${contains('channels.name_fold', text)} THEN ${sql.lit(RANK)} ELSE 0 END + ${activity}`

const sortKeys: Record<ChannelSort, (filter: ChannelFilter) => string | RawBuilder<number>> = {
  created_at: () => 'created_at',
  name: () => 'name_order',
  last_activity_at: () => activity,
  members_count: () => 'members_count',
  best_match: ({ textFold }) => (textFold ? matchOf(textFold) : activity),
}

/** Channels are few, so the filter runs over all channels that the viewer may see. */
export function listChannels(db: Reader, viewer: Viewer, filter: ChannelFilter, slice: Slice<ChannelSort>) {
  const keys = viewerKeysOf(viewer)
  const { nameFold, textFold, joined, isDefault, archived } = filter
  const conditions = [
    channelIsVisible('channels', keys),
    archived ? sql`channels.archived_at IS NOT NULL` : sql`channels.archived_at IS NULL`,
    ...(nameFold === undefined ? [] : [sql`channels.name_fold = ${nameFold}`]),
    ...(textFold === undefined ? [] : [contains('channels.search_text', textFold)]),
    ...(joined === undefined ? [] : [isJoined('channels', keys, joined)]),
    ...(isDefault === undefined ? [] : [sql`channels.is_default = ${sql.lit(isDefault ? 1 : 0)}`]),
  ]
  const list = {
    ...{ table: 'channels', key: 'key', at: sortKeys[slice.sort](filter), id: 'id' },
    ranges: [{ workspace_key: viewer.workspace.key }],
    where: sql<SqlBool>`${sql.join(conditions, sql` AND `)}`,
  }
  return listRows(db, list, slice, (keys) =>
    keys.innerJoin('channels', 'channels.key', 'k.key').selectAll('channels').select(lastActivity),
  )
}

/** What a channel is sorted by and found by. */
export const foundBy = ({ name_fold, description }: Pick<ChannelRow, 'name_fold' | 'description'>) => ({
  name_order: naturalKey(name_fold),
  search_text: `${name_fold}\n${fold(description)}`,
})

type NewChannel = Pick<
  ChannelRow,
  | 'id'
  | 'workspace_key'
  | 'name'
  | 'name_fold'
  | 'description'
  | 'is_private'
  | 'is_default'
  | 'creator_id'
  | 'created_at'
>

export const insertChannel = (db: Writer, channel: NewChannel): Promise<ChannelRow> =>
  db
    .insertInto('channels')
    .values({
      ...channel,
      ...foundBy(channel),
      updated_at: channel.created_at,
      is_listed: !channel.is_private,
      archived_at: null,
      posts_count: 0,
      resolved_count: 0,
      members_count: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export type ChannelChanges = Pick<
  ChannelRow,
  'name' | 'name_fold' | 'description' | 'is_private' | 'is_default' | 'archived_at' | 'updated_at'
>

export async function setChannel(db: Writer, channel: ChannelRow, changes: ChannelChanges): Promise<ChannelRow> {
  const is_listed = !changes.is_private && changes.archived_at === null
  const relisting_at =
    is_listed === channel.is_listed
      ? channel.relisting_at
      : await relistPosts(db, { ...channel, is_listed, relisting_at: null })
  const changed = await db
    .updateTable('channels')
    .set({ ...changes, ...foundBy(changes), is_listed, relisting_at })
    .where('key', '=', channel.key)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (changes.is_private !== channel.is_private) await setVisibilityHashesInChannel(db, channel.key)
  return changed
}

const addCounts = prepare((db, param) =>
  db
    .updateTable('channels')
    .set({
      posts_count: sql`posts_count + ${param<number>('posts')}`,
      resolved_count: sql`resolved_count + ${param<number>('resolved')}`,
      members_count: sql`members_count + ${param<number>('members')}`,
    })
    .where('key', '=', param<number>('key')),
)

/** Counts posts in or out of a channel. */
export const addToChannel = (
  db: Writer,
  key: number,
  { posts = 0, resolved = 0, members = 0 }: { posts?: number; resolved?: number; members?: number },
) => addCounts(db, [], { key, posts, resolved, members })

/** All channels an author is in, also private ones. */
export const listChannelsOf = (db: Reader, workspaceKey: number, authorKey: number): Promise<ActiveChannelRow[]> =>
  db
    .selectFrom('channel_members')
    .innerJoin('channels', 'channels.key', 'channel_members.channel_key')
    .where('channel_members.workspace_key', '=', workspaceKey)
    .where('channel_members.author_key', '=', authorKey)
    .selectAll('channels')
    .select(lastActivity)
    .orderBy('channels.key')
    .execute()

/** The channels that whoever joins the workspace is in, oldest first. */
export const listDefaultChannels = (db: Reader, workspaceKey: number): Promise<ActiveChannelRow[]> =>
  db
    .selectFrom('channels')
    .where('workspace_key', '=', workspaceKey)
    .where('is_default', '=', true)
    .where('is_private', '=', false)
    .where('archived_at', 'is', null)
    .selectAll()
    .select(lastActivity)
    .orderBy('key')
    .execute()

/** How many channels there are, without those that are archived. */
export const countActiveChannels = (db: Reader, workspaceKey: number): Promise<number> =>
  countRows(db.selectFrom('channels').where('workspace_key', '=', workspaceKey).where('archived_at', 'is', null))

/** How many default channels there are, with those that are archived. */
export const countDefaultChannels = (db: Reader, workspaceKey: number): Promise<number> =>
  countRows(db.selectFrom('channels').where('workspace_key', '=', workspaceKey).where('is_default', '=', true))

export const toChannel = (row: ActiveChannelRow): Channel => ({
  id: row.id,
  name: row.name,
  description: row.description,
  is_private: row.is_private,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  archived_at: timestampOrNull(row.archived_at),
  last_activity_at: timestampOrNull(row.last_activity_at),
  posts_count: row.posts_count,
  members_count: row.members_count,
  is_default: row.is_default,
  creator_id: row.creator_id,
})
