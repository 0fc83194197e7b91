import { sql } from 'kysely'
import type { Pin } from '../../contract/pins'
import type { PageRequest } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { countRows, type Reader, type Writer } from '../engines/db'
import { type ListedRecord, readFilteredPage } from '../lists/list'
import { author, object, select, time } from '../lists/record-json'
import type { ChannelRow } from './channels'
import { listedPost, type PostRow } from './posts'

/** One page of the pinned posts of a channel, and their total. */
export function listPins(db: Reader, base: string, viewer: Viewer, channel: ChannelRow, request: PageRequest<string>) {
  const post = listedPost(db.syntax, base)
  const record: ListedRecord = {
    ...post,
    json: object<Pin>({
      post: post.json,
      pinned_at: time(db.syntax, 'k.at'),
      pinned_by: select(
        author(db.syntax, base, 'pinner'),
        sql`pins JOIN authors AS pinner ON pinner.key = pins.author_key WHERE pins.post_key = k.key`,
      ),
    }),
  }
  const list = {
    ...{ table: 'pins', key: 'post_key', at: 'pinned_at', id: 'post_id', records: 'posts' },
    ranges: [{ workspace_key: channel.workspace_key, channel_key: channel.key }],
  }
  return readFilteredPage(db, viewer, record, list, request)
}

export const isPinned = async (db: Reader, postKey: number): Promise<boolean> =>
  (await db.selectFrom('pins').where('post_key', '=', postKey).select('post_key').executeTakeFirst()) !== undefined

/** How many pinned posts a channel has. */
export const countPins = (db: Reader, { workspace_key, channel_key }: PostRow): Promise<number> =>
  countRows(db.selectFrom('pins').where('workspace_key', '=', workspace_key).where('channel_key', '=', channel_key))

export const insertPin = (db: Writer, post: PostRow, author_key: number, pinned_at: number) =>
  db
    .insertInto('pins')
    .values({
      post_key: post.key,
      post_id: post.id,
      workspace_key: post.workspace_key,
      channel_key: post.channel_key,
      author_key,
      pinned_at,
    })
    .execute()

export const deletePin = (db: Writer, postKey: number) =>
  db.deleteFrom('pins').where('post_key', '=', postKey).execute()
