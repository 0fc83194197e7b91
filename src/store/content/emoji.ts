import { compareNames } from '../../contract/browser/natural-order'
import type { CustomEmoji } from '../../contract/emoji'
import type { StoredBytes } from '../../domain/files'
import { type Links, toAuthor } from '../../domain/links'
import { seesPublic, type Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { countRows, prepare, type Reader, type Writer } from '../engines/db'
import { deleteUnusedBlobs, insertPicture } from '../files/blobs'
import { storedAuthor } from '../lists/record-json'

const emojiOf = (db: Reader, viewer: Viewer) =>
  db
    .selectFrom('custom_emoji as e')
    .innerJoin('authors as a', 'a.key', 'e.author_key')
    .where('e.workspace_key', '=', viewer.workspace.key)
    .select(['e.name', 'e.picture', 'e.created_at', storedAuthor('a').as('author')])

/** By name, as people sort. */
export const listCustomEmoji = async (db: Reader, viewer: Viewer) =>
  (await emojiOf(db, viewer).execute()).sort((one, other) => compareNames(one.name, other.name))

export type CustomEmojiRow = Awaited<ReturnType<typeof listCustomEmoji>>[number]

export const findCustomEmoji = (db: Reader, viewer: Viewer, name: string): Promise<CustomEmojiRow | undefined> =>
  emojiOf(db, viewer).where('e.name', '=', name).executeTakeFirst()

const pictureByName = prepare((db, param) =>
  db
    .selectFrom('custom_emoji')
    .where('workspace_key', '=', param<number>('workspace'))
    .where('name', '=', param<string>('name'))
    .select('picture'),
)

/** The last part of the URL of a custom emoji; undefined if there is no such emoji. */
export async function findEmojiPicture(db: Reader, viewer: Viewer, name: string): Promise<string | undefined> {
  const [found] = await pictureByName(db, [], { workspace: viewer.workspace.key, name })
  return found?.picture
}

/** There are few: see `MAX_CUSTOM_EMOJI`. */
export const countCustomEmoji = (db: Reader, viewer: Viewer): Promise<number> =>
  countRows(db.selectFrom('custom_emoji').where('workspace_key', '=', viewer.workspace.key))

interface NewEmoji {
  workspace_key: number
  name: string
  picture: string
  author_key: number
  stored: StoredBytes
}

/** Adds a custom emoji, or replaces the one of that name. The workspace is locked. */
export async function setCustomEmoji(db: Writer, emoji: NewEmoji, now: number) {
  const replaced = await deleteRow(db, emoji.workspace_key, emoji.name)
  await insertPicture(db, 'custom_emoji', { ...emoji, created_at: now }, replaced)
}

export const deleteCustomEmoji = async (db: Writer, viewer: Viewer, name: string, now: number) =>
  deleteUnusedBlobs(db, await deleteRow(db, viewer.workspace.key, name), now)

const deleteRow = async (db: Writer, workspaceKey: number, name: string) =>
  (
    await db
      .deleteFrom('custom_emoji')
      .where('workspace_key', '=', workspaceKey)
      .where('name', '=', name)
      .returning('blob_key')
      .execute()
  ).map(({ blob_key }) => blob_key)

/** Finds the object of the image by the last part of the URL. The URL is public. */
export const findEmojiObject = async (db: Reader, picture: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('custom_emoji as e')
      .innerJoin('blobs as b', 'b.key', 'e.blob_key')
      .where('e.picture', '=', picture)
      .select('b.object')
      .executeTakeFirst()
  )?.object

/** A custom emoji as a viewer sees it. Guests do not see who added it, because they may not see every member. */
export const toCustomEmoji = (
  links: Links,
  viewer: Viewer,
  { name, picture, created_at, author }: CustomEmojiRow,
): CustomEmoji => ({
  name,
  url: links.emoji(picture),
  created_at: timestamp(created_at),
  created_by: seesPublic(viewer) ? toAuthor(links, author) : null,
})
