import type { Reader, Writer } from './db'

/** Keeps the one picture of an author: what was there before goes. */
export async function setPicture(
  db: Writer,
  picture: { name: string; workspace_key: number; author_key: number; created_at: number; image: Uint8Array },
) {
  await deletePicture(db, picture)
  await db.insertInto('pictures').values(picture).execute()
}

export const deletePicture = (
  db: Writer,
  { workspace_key, author_key }: { workspace_key: number; author_key: number },
) => db.deleteFrom('pictures').where('workspace_key', '=', workspace_key).where('author_key', '=', author_key).execute()

/** Keeps the one icon of a workspace. */
export async function setIcon(
  db: Writer,
  icon: { name: string; workspace_key: number; created_at: number; image: Uint8Array },
) {
  await deleteIcon(db, icon.workspace_key)
  await db.insertInto('workspace_icons').values(icon).execute()
}

export const deleteIcon = (db: Writer, workspaceKey: number) =>
  db.deleteFrom('workspace_icons').where('workspace_key', '=', workspaceKey).execute()

/** Whether there is such a picture or icon still. Its name is all one needs to know. */
export const hasPicture = async (db: Reader, name: string): Promise<boolean> =>
  (await db
    .selectFrom('pictures')
    .where('name', '=', name)
    .select('name')
    .unionAll(db.selectFrom('workspace_icons').where('name', '=', name).select('name'))
    .executeTakeFirst()) !== undefined

export const findPicture = async (db: Reader, name: string): Promise<Uint8Array | undefined> =>
  (
    await db
      .selectFrom('pictures')
      .where('name', '=', name)
      .select('image')
      .unionAll(db.selectFrom('workspace_icons').where('name', '=', name).select('image'))
      .executeTakeFirst()
  )?.image
