import type { Insertable } from 'kysely'
import type { StoredBytes } from '../../domain/files'
import { insertRows } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'
import type { Engine } from '../engines/engine'
import type { Tables } from '../schema'
import { findVersion, oldestVersion } from '../schema/migrations'
import { addFilesBytes } from './files'
import { unlistFiles } from './references'

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

/** Deletes these blobs if they are no longer used. Their objects become stray objects. The workspace is locked. */
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

const HOLD_MS = 5 * 60_000
const RENEW_MS = 60_000

/**
 * While the work runs, no object is deleted from the storage. If the process is killed, the hold ends after five minutes. An empty
 * database needs no hold; one that is too old is refused by the work itself.
 */
export async function whileHeld<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const version = await engine.read(findVersion).catch(() => 0)
  return version >= oldestVersion ? hold(engine, work) : work()
}

async function hold<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const id = crypto.randomUUID()
  const renew = () =>
    engine.writeAlone((db) => {
      const until = Date.now() + HOLD_MS
      return db
        .insertInto('backup_holds')
        .values({ id, until })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ until }))
        .execute()
    })
  await renew()
  // If a renewal fails, the next one still comes before the hold ends.
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await engine.writeAlone((db) => db.deleteFrom('backup_holds').where('id', '=', id).execute())
  }
}

/** Whether a backup is running. Until it has finished, no object may be deleted. */
export const isHeldForBackup = async (db: Reader, now: number): Promise<boolean> =>
  (await db.selectFrom('backup_holds').where('until', '>', now).select('id').executeTakeFirst()) !== undefined

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
  await unlistFiles(db, keys)
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
export const findDueStrayObjects = async (db: Reader, now: number, after: string, limit = 100): Promise<string[]> =>
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

export const forgetStrayObjects = (db: Writer, objects: readonly string[]) =>
  db.deleteFrom('stray_objects').where('object', 'in', objects).execute()

/** Removes objects from the stray objects if a blob names them after all. */
export const forgetNamedObjects = (db: Writer) =>
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
