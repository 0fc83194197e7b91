import { channelFields } from '../../domain/record-fields'
import { insertRows } from '../engines/bulk'
import type { Writer } from '../engines/db'
import type { SeededAuthor } from './people'

export interface NewChannel {
  id: string
  name: string
  name_fold: string
  description: string
  is_private: boolean
  created_at: number
  members: SeededAuthor[]
}

export interface SeededChannel {
  key: number
  is_listed: boolean
}

export async function insertChannels(db: Writer, workspace_key: number, channels: readonly NewChannel[]) {
  const keys = await db.syntax.reserveKeys(db, 'channels', channels.length)
  await insertRows(
    db,
    'channels',
    channels.map(({ members, ...channel }, at) => ({
      key: keys[at]!,
      id: channel.id,
      workspace_key,
      name: channel.name,
      name_fold: channel.name_fold,
      description: channel.description,
      is_private: channel.is_private,
      archived_at: null,
      is_listed: !channel.is_private,
      created_at: channel.created_at,
      updated_at: channel.created_at,
      posts_count: 0,
      resolved_count: 0,
      members_count: members.length,
      fields: channelFields(channel),
    })),
  )
  for (const [at, { members, created_at }] of channels.entries())
    await insertRows(
      db,
      'channel_members',
      members.map(({ key, id, joined_at }) => ({
        workspace_key,
        channel_key: keys[at]!,
        author_key: key,
        author_id: id,
        created_at: Math.max(created_at, joined_at),
      })),
    )
  return keys
}
