import type { Reader, Writer } from '../engines/db'
import { addFilesBytes } from '../files'
import { deleteUnusedBlobs } from './blobs'
import { leavePlaces } from './places'

type Erased = { key: number; blob_key: number; size: number }

/** The workspaces that have files to erase. */
export const listWorkspacesToErase = async (db: Reader, now: number): Promise<number[]> =>
  (
    await db
      .selectFrom('files')
      .where('erase_at', '<=', now)
      .where('erase_at', 'is not', null)
      .select('workspace_key')
      .distinct()
      .execute()
  ).map(({ workspace_key }) => workspace_key)

/** Erases some of the files that are due, at most `limit`. The workspace is locked. Returns how many were erased. */
export async function eraseDueFiles(db: Writer, workspaceKey: number, now: number, limit = 100): Promise<number> {
  const due = await db
    .selectFrom('files')
    .where('erase_at', '<=', now)
    .where('erase_at', 'is not', null)
    .where('workspace_key', '=', workspaceKey)
    .select(['key', 'blob_key', 'size'])
    .orderBy('erase_at')
    .limit(limit)
    .execute()
  if (due.length > 0) await eraseFiles(db, workspaceKey, due, now)
  return due.length
}

/**
 * Deletes files and all references to them. Their objects become stray objects, unless something else uses the same bytes. The
 * workspace is locked.
 */
export async function eraseFiles(db: Writer, workspaceKey: number, files: readonly Erased[], now: number) {
  const keys = files.map(({ key }) => key)
  await leavePlaces(db, keys)
  await db.deleteFrom('file_references').where('file_key', 'in', keys).execute()
  await db.deleteFrom('files').where('key', 'in', keys).execute()
  await addFilesBytes(db, workspaceKey, -files.reduce((sum, { size }) => sum + size, 0))
  await deleteUnusedBlobs(
    db,
    files.map(({ blob_key }) => blob_key),
    now,
  )
}

/** A page of the stray objects that are due and that no blob names. They can be deleted now. */
export const findDueStrays = async (db: Reader, now: number, after: string, limit = 100): Promise<string[]> =>
  (
    await db
      .selectFrom('stray_objects as s')
      .leftJoin('blobs as b', 'b.object', 's.object')
      .where('s.delete_after', '<=', now)
      .where('b.key', 'is', null)
      .where('s.object', '>', after)
      .select('s.object')
      .orderBy('s.object')
      .limit(limit)
      .execute()
  ).map(({ object }) => object)

export const deleteStrays = (db: Writer, objects: readonly string[]) =>
  db.deleteFrom('stray_objects').where('object', 'in', objects).execute()

/** Removes objects from the stray objects if a blob names them after all. */
export const deleteNamedStrays = (db: Writer) =>
  db
    .deleteFrom('stray_objects')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('blobs').whereRef('blobs.object', '=', 'stray_objects.object').select('blobs.key')),
    )
    .execute()

/** Which of these objects a blob names. */
export const findNamedObjects = async (db: Reader, objects: readonly string[]): Promise<Set<string>> =>
  new Set(
    (await db.selectFrom('blobs').where('object', 'in', objects).select('object').execute()).map(
      ({ object }) => object,
    ),
  )
