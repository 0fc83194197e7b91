import type { StoredBytes } from '../domain/files/received'
import type { Viewer } from '../domain/permissions'
import { prepare, type Reader, type Writer } from './db'
import { deleteUnusedBlobs, keepBlob } from './files/blobs'
import { authorCard } from './json'

const emojiOf = (db: Reader, viewer: Viewer) =>
  db
    .selectFrom('custom_emoji as e')
    .innerJoin('authors as a', 'a.key', 'e.author_key')
    .where('e.workspace_key', '=', viewer.workspace.key)
    .select(['e.name', 'e.picture', 'e.created_at', authorCard('a').as('author')])

export const listCustomEmoji = (db: Reader, viewer: Viewer) => emojiOf(db, viewer).orderBy('e.name').execute()

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
export const countCustomEmoji = async (db: Reader, viewer: Viewer): Promise<number> =>
  (
    await db
      .selectFrom('custom_emoji')
      .where('workspace_key', '=', viewer.workspace.key)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

interface NewEmoji {
  workspace_key: number
  name: string
  picture: string
  author_key: number
  stored: StoredBytes
}

/** Adds a custom emoji, or replaces the one of that name. The workspace is locked. */
export async function setCustomEmoji(db: Writer, { stored, ...emoji }: NewEmoji, now: number) {
  const blob_key = await keepBlob(db, emoji.workspace_key, stored, now)
  const replaced = await deleteRow(db, emoji.workspace_key, emoji.name)
  await db
    .insertInto('custom_emoji')
    .values({ ...emoji, created_at: now, blob_key })
    .execute()
  await deleteUnusedBlobs(db, replaced, now)
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
