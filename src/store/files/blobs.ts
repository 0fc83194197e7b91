import type { Insertable } from 'kysely'
import type { StoredBytes } from '../../domain/files'
import { insertRows } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'
import type { Tables } from '../schema'

/** The tables whose rows have bytes in the storage. */
export const blobOwners = ['files', 'pictures', 'workspace_icons', 'custom_emoji'] as const

const findBlob = (db: Reader, workspaceKey: number, hash: string) =>
  db
    .selectFrom('blobs')
    .where('workspace_key', '=', workspaceKey)
    .where('hash', '=', hash)
    .select('key')
    .executeTakeFirst()

/**
 * Returns the key of the blob of stored bytes. If the workspace already has a blob with the same bytes, that one is used. The
 * workspace is locked. The row that uses the blob has to be inserted in the same transaction.
 */
export async function keepBlob(db: Writer, workspaceKey: number, stored: StoredBytes, now: number): Promise<number> {
  const { hash, object, size } = stored
  const known = await findBlob(db, workspaceKey, hash)
  if (known) return known.key
  const blob = { workspace_key: workspaceKey, hash, object, size, created_at: now }
  return (await db.insertInto('blobs').values(blob).returning('key').executeTakeFirstOrThrow()).key
}

/**
 * Inserts a row with the picture of someone or something. `replaced` are the blobs of the rows that it replaces. The workspace
 * is locked.
 */
export async function insertPicture<Table extends Exclude<(typeof blobOwners)[number], 'files'>>(
  db: Writer,
  table: Table,
  { stored, ...row }: Omit<Insertable<Tables[Table]>, 'blob_key'> & PictureRow,
  replaced: readonly (number | null)[],
) {
  const blob_key = await keepBlob(db, row.workspace_key, stored, row.created_at)
  await insertRows(db, table, [{ ...row, blob_key } as unknown as Insertable<Tables[Table]>])
  await deleteUnusedBlobs(db, replaced, row.created_at)
}

interface PictureRow {
  workspace_key: number
  created_at: number
  stored: StoredBytes
}

/** Deletes those of these blobs that are no longer used. Their objects become stray objects. The workspace is locked. */
export async function deleteUnusedBlobs(db: Writer, keys: readonly (number | null)[], now: number) {
  const candidates = [...new Set(keys)].filter((key) => key !== null)
  if (candidates.length === 0) return
  let unused = db.deleteFrom('blobs').where('key', 'in', candidates)
  for (const table of blobOwners)
    unused = unused.where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom(table).whereRef(`${table}.blob_key`, '=', 'blobs.key').select(`${table}.blob_key`))),
    )
  const deleted = await unused.returning('object').execute()
  await insertStrayObjects(
    db,
    deleted.map(({ object }) => object),
    now,
  )
}

/** Records stray objects, which no blob names. If one is recorded already, its time of deletion stays the same. */
export async function insertStrayObjects(db: Writer, objects: readonly string[], deleteAfter: number) {
  if (objects.length === 0) return
  await db
    .insertInto('stray_objects')
    .values(objects.map((object) => ({ object, delete_after: deleteAfter })))
    .onConflict((conflict) => conflict.column('object').doNothing())
    .execute()
}
