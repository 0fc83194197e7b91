import type { Pin } from '../../contract/pins'
import { type Links, toAuthor } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import { timestamp } from '../../domain/timestamps'
import { countRows, type Reader, type Writer } from '../engines/db'
import { listFiltered } from '../lists/list'
import { storedAuthor } from '../lists/record-json'
import type { ChannelRow } from './channels'
import { type PostRow, postJson, toPost } from './posts'

/** A pinned post: the post as JSON, who pinned it, and when. */
interface PinRow {
  record: string
  pinned_at: number
  pinned_by: string
}

/** One slice of the pinned posts of a channel, and their total. */
export function listPins(db: Reader, base: string, channel: ChannelRow, slice: Slice) {
  const matching = db
    .selectFrom('pins')
    .where('pins.workspace_key', '=', channel.workspace_key)
    .where('pins.channel_key', '=', channel.key)
  const selected = matching
    .innerJoin('posts as p', 'p.key', 'pins.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .innerJoin('authors as a', 'a.key', 'p.author_key')
    .innerJoin('authors as pinner', 'pinner.key', 'pins.author_key')
    .select(['pins.pinned_at', storedAuthor('pinner').as('pinned_by'), postJson(base).as('record')])
  return listFiltered<PinRow>(matching, selected, { at: 'pins.pinned_at', id: 'pins.post_id' }, slice)
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

export const toPin = (links: Links, row: PinRow): Pin => ({
  post: toPost(row),
  pinned_at: timestamp(row.pinned_at),
  pinned_by: toAuthor(links, row.pinned_by),
})
