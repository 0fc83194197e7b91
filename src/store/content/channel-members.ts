import { sql } from 'kysely'
import type { Slice } from '../../domain/lists/paging'
import { setVisibilityHashes } from '../access/visibility-hash'
import { insertRows } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'
import { addToChannel, type ChannelRow } from './channels'

export const isInChannel = async (db: Reader, channelKey: number, authorKey: number): Promise<boolean> =>
  (await db
    .selectFrom('channel_members')
    .where('channel_key', '=', channelKey)
    .where('author_key', '=', authorKey)
    .select('author_key')
    .executeTakeFirst()) !== undefined

/** Whether a channel has another member who can read it, so is not deactivated. Deleted apps are in no channel. */
export const hasOtherReaders = async (db: Reader, channelKey: number, authorKey: number): Promise<boolean> =>
  (await db
    .selectFrom('channel_members as cm')
    .leftJoin('members', 'members.author_key', 'cm.author_key')
    .where('cm.channel_key', '=', channelKey)
    .where('cm.author_key', '<>', authorKey)
    .where((eb) => eb.or([eb('members.author_key', 'is', null), eb('members.is_deactivated', '=', false)]))
    .select('cm.author_key')
    .limit(1)
    .executeTakeFirst()) !== undefined

export async function insertChannelMember(
  db: Writer,
  channel: { key: number; workspace_key: number },
  author: { key: number; id: string },
  created_at: number,
) {
  await insertChannelMembers(db, channel, [author], created_at)
  await setVisibilityHashes(db, [author.key])
}

/** Adds authors who are not in a channel. What they see has changed: `setVisibilityHashes` has to follow. */
export async function insertChannelMembers(
  db: Writer,
  { key, workspace_key }: { key: number; workspace_key: number },
  authors: readonly { key: number; id: string }[],
  created_at: number,
) {
  await insertRows(
    db,
    'channel_members',
    authors.map((author) => ({
      workspace_key,
      channel_key: key,
      author_key: author.key,
      author_id: author.id,
      created_at,
    })),
  )
  await addToChannel(db, key, { members: authors.length })
}

export async function deleteChannelMember(db: Writer, channelKey: number, authorKey: number) {
  await db
    .deleteFrom('channel_members')
    .where('channel_key', '=', channelKey)
    .where('author_key', '=', authorKey)
    .execute()
  await addToChannel(db, channelKey, { members: -1 })
  await setVisibilityHashes(db, [authorKey])
}

/** The members of a channel, in the order they joined, and how many. */
export const listChannelMembers = (db: Reader, channel: ChannelRow, slice: Slice) =>
  listRows(
    db,
    {
      ...{ table: 'channel_members', key: 'author_key', at: 'created_at', id: 'author_id', records: 'authors' },
      ranges: [{ workspace_key: channel.workspace_key, channel_key: channel.key }],
    },
    slice,
    (keys) => keys.innerJoin('authors as a', 'a.key', 'k.key').select(storedAuthor('a').as('author')),
    sql<number>`(SELECT members_count FROM channels WHERE key = ${channel.key})`,
  )

/** Which of these apps see a channel: all of them if it is public, otherwise only its members. */
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
