import type { StoredBytes } from '../../domain/files'
import type { Reader, Writer } from '../engines/db'
import { deleteUnusedBlobs, insertPicture } from '../files/blobs'

interface NewPicture {
  workspace_key: number
  name: string
  stored: StoredBytes
}

interface PictureOwner {
  workspace_key: number
  author_key: number
}

/** Stores the picture of an author, and deletes the previous one. The workspace is locked. */
export const setPicture = async (db: Writer, picture: NewPicture & PictureOwner, now: number) =>
  insertPicture(db, 'pictures', { ...picture, created_at: now }, await deletePictureRow(db, picture))

export const deletePicture = async (db: Writer, owner: PictureOwner, now: number) =>
  deleteUnusedBlobs(db, await deletePictureRow(db, owner), now)

const deletePictureRow = async (db: Writer, { workspace_key, author_key }: PictureOwner) =>
  blobsOf(
    await db
      .deleteFrom('pictures')
      .where('workspace_key', '=', workspace_key)
      .where('author_key', '=', author_key)
      .returning('blob_key')
      .execute(),
  )

/** Stores the icon of a workspace, and deletes the previous one. The workspace is locked. */
export const setIcon = async (db: Writer, icon: NewPicture, now: number) =>
  insertPicture(db, 'workspace_icons', { ...icon, created_at: now }, await deleteIconRow(db, icon.workspace_key))

export const deleteIcon = async (db: Writer, workspaceKey: number, now: number) =>
  deleteUnusedBlobs(db, await deleteIconRow(db, workspaceKey), now)

const deleteIconRow = async (db: Writer, workspaceKey: number) =>
  blobsOf(
    await db.deleteFrom('workspace_icons').where('workspace_key', '=', workspaceKey).returning('blob_key').execute(),
  )

const blobsOf = (rows: readonly { blob_key: number | null }[]) => rows.map(({ blob_key }) => blob_key)

/** Whether there is such a picture or icon still. Its name is all one needs to know. */
export const hasPicture = async (db: Reader, name: string): Promise<boolean> =>
  (await db
    .selectFrom('pictures')
    .where('name', '=', name)
    .select('name')
    .unionAll(db.selectFrom('workspace_icons').where('name', '=', name).select('name'))
    .executeTakeFirst()) !== undefined

/** Where the bytes of a picture or icon are: in the database (`image`), or in the storage (`object`). */
export const findPicture = (db: Reader, name: string) => {
  const found = db
    .selectFrom('pictures')
    .where('name', '=', name)
    .select(['image', 'blob_key'])
    .unionAll(db.selectFrom('workspace_icons').where('name', '=', name).select(['image', 'blob_key']))
  return db
    .selectFrom(found.as('p'))
    .leftJoin('blobs as b', 'b.key', 'p.blob_key')
    .select(['p.image', 'b.object'])
    .executeTakeFirst()
}
