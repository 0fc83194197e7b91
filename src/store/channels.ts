import { type ExpressionBuilder, sql } from 'kysely'
import type { Slice } from '../domain/paging'
import { seesPublic, type Viewer } from '../domain/permissions'
import type { AuthorRow } from './authors'
import type { Reader, SlotFor, Writer } from './db'
import { contains, listFiltered } from './filtered'
import { listRanges, type Ranges } from './keyset'
import type { Tables } from './schema'

export type ChannelRow = Awaited<ReturnType<typeof findChannelByName>> & {}

/** Where the viewer may look: what is public unless they are a guest, and what they are in. */
const isVisible = (viewer: Viewer) => (eb: ExpressionBuilder<Tables, 'channels'>) => {
  const isIn = eb.exists(
    eb
      .selectFrom('channel_members')
      .whereRef('channel_members.channel_key', '=', 'channels.key')
      .where('channel_members.author_key', '=', viewer.author.key)
      .select(sql`1`.as('one')),
  )
  return seesPublic(viewer) ? eb.or([eb('channels.is_private', '=', 0), isIn]) : isIn
}

const visibleChannels = (db: Reader, viewer: Viewer) =>
  db.selectFrom('channels').where('channels.workspace_key', '=', viewer.workspace.key).where(isVisible(viewer))

/** A channel this viewer may see. */
export const findChannel = (db: Reader, viewer: Viewer, id: string): Promise<ChannelRow | undefined> =>
  visibleChannels(db, viewer)
    .where('channels.id', '=', id)
    .where('channels.archived_at', 'is', null)
    .selectAll('channels')
    .executeTakeFirst()

/** The same for those who manage: archived ones too. */
export const findChannelToManage = (db: Reader, viewer: Viewer, id: string) =>
  visibleChannels(db, viewer).where('channels.id', '=', id).selectAll('channels').executeTakeFirst()

export const findChannelByName = (db: Reader, workspaceKey: number, nameFold: string) =>
  db
    .selectFrom('channels')
    .where('workspace_key', '=', workspaceKey)
    .where('name_fold', '=', nameFold)
    .selectAll()
    .executeTakeFirst()

/** The channels the viewer is in that no list of public ones holds, with what they count. */
export const listOwnChannels = (db: Reader, viewer: Viewer, slot: SlotFor) =>
  db
    .selectFrom('channel_members')
    .innerJoin('channels', 'channels.key', 'channel_members.channel_key')
    .where('channel_members.workspace_key', '=', slot<number>('workspace'))
    .where('channel_members.author_key', '=', slot<number>('author'))
    .where('channels.archived_at', 'is', null)
    .$if(seesPublic(viewer), (query) => query.where('channels.is_listed', '=', 0))
    .select(['channels.key', 'channels.posts_count', 'channels.resolved_count'])

/** What a list of channels is restricted to. Archived ones are listed only for those who manage. */
export interface ChannelFilter {
  nameFold?: string
  archived: boolean
}

/** Channels are few, so the filter runs over those the viewer may see. */
export function listChannels(db: Reader, viewer: Viewer, filter: ChannelFilter, slice: Slice<'created_at' | 'name'>) {
  const matching = visibleChannels(db, viewer)
    .where('channels.archived_at', filter.archived ? 'is not' : 'is', null)
    .$if(filter.nameFold !== undefined, (query) => query.where(contains('channels.name_fold', filter.nameFold!)))
  const at = slice.sort === 'name' ? 'channels.name_fold' : 'channels.created_at'
  return listFiltered<ChannelRow>(matching, matching.selectAll('channels'), { at, id: 'channels.id' }, slice)
}

export const insertChannel = (
  db: Writer,
  channel: {
    id: string
    workspace_key: number
    name: string
    name_fold: string
    is_private: number
    created_at: number
  },
): Promise<ChannelRow> =>
  db
    .insertInto('channels')
    .values({
      ...channel,
      is_listed: channel.is_private ? 0 : 1,
      archived_at: null,
      posts_count: 0,
      resolved_count: 0,
      members_count: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export async function setChannel(
  db: Writer,
  channel: ChannelRow,
  changes: { name: string; name_fold: string; is_private: number; archived_at: number | null },
): Promise<ChannelRow> {
  const is_listed = changes.is_private || changes.archived_at !== null ? 0 : 1
  if (is_listed !== channel.is_listed)
    await db
      .updateTable('posts')
      .set({ is_listed })
      .where('workspace_key', '=', channel.workspace_key)
      .where('channel_key', '=', channel.key)
      .execute()
  return db
    .updateTable('channels')
    .set({ ...changes, is_listed })
    .where('key', '=', channel.key)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Counts posts in or out of a channel. */
export const addToChannel = (
  db: Writer,
  key: number,
  change: { posts?: number; resolved?: number; members?: number },
) =>
  db.prepared(
    'channels.add',
    (slot) =>
      db
        .updateTable('channels')
        .set({
          posts_count: sql`posts_count + ${slot<number>('posts')}`,
          resolved_count: sql`resolved_count + ${slot<number>('resolved')}`,
          members_count: sql`members_count + ${slot<number>('members')}`,
        })
        .where('key', '=', slot<number>('key')),
    { key, posts: change.posts ?? 0, resolved: change.resolved ?? 0, members: change.members ?? 0 },
  )

export const isInChannel = async (db: Reader, channelKey: number, authorKey: number): Promise<boolean> =>
  (await db
    .selectFrom('channel_members')
    .where('channel_key', '=', channelKey)
    .where('author_key', '=', authorKey)
    .select('author_key')
    .executeTakeFirst()) !== undefined

export async function insertChannelMember(
  db: Writer,
  channel: { key: number; workspace_key: number },
  author: { key: number; id: string },
  created_at: number,
) {
  await db
    .insertInto('channel_members')
    .values({
      workspace_key: channel.workspace_key,
      channel_key: channel.key,
      author_key: author.key,
      author_id: author.id,
      created_at,
    })
    .execute()
  await addToChannel(db, channel.key, { members: 1 })
}

export async function deleteChannelMember(db: Writer, channelKey: number, authorKey: number) {
  await db
    .deleteFrom('channel_members')
    .where('channel_key', '=', channelKey)
    .where('author_key', '=', authorKey)
    .execute()
  await addToChannel(db, channelKey, { members: -1 })
}

/** Who is in a channel, in the order they came. */
export function listChannelMembers(db: Reader, channel: ChannelRow, slice: Slice) {
  const ranges: Ranges = {
    table: 'channel_members',
    key: 'author_key',
    at: 'created_at',
    id: 'author_id',
    branches: [{ workspace_key: channel.workspace_key, channel_key: channel.key }],
  }
  return listRanges<AuthorRow>(db, 'channels.members', ranges, slice, (keys) =>
    db.selectFrom(keys).innerJoin('authors as a', 'a.key', 'k.key').select(['a.card as author']),
  )
}

/** Takes an author out of every channel. */
export async function deleteAuthorFromChannels(db: Writer, workspaceKey: number, authorKey: number) {
  const gone = await db
    .deleteFrom('channel_members')
    .where('workspace_key', '=', workspaceKey)
    .where('author_key', '=', authorKey)
    .returning('channel_key')
    .execute()
  for (const { channel_key } of gone) await addToChannel(db, channel_key, { members: -1 })
}

/** Which of these apps see a channel: all of them if it is public, else those that are in it. */
export async function findChannelAppKeys(
  db: Reader,
  channelKey: number,
  keys: readonly number[],
): Promise<Set<number>> {
  const channel = await db
    .selectFrom('channels')
    .where('key', '=', channelKey)
    .select('is_private')
    .executeTakeFirstOrThrow()
  if (!channel.is_private) return new Set(keys)
  const rows = await db
    .selectFrom('channel_members')
    .where('channel_key', '=', channelKey)
    .where('author_key', 'in', keys)
    .select('author_key')
    .execute()
  return new Set(rows.map((row) => row.author_key))
}
