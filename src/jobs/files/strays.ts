import { originalOf, previewsOf } from '../../files/previews'
import { isOurObject, StorageUnavailable } from '../../files/storage'
import type { Parley } from '../../gate/parley'
import { insertStrayObjects } from '../../store/files/blobs'
import { deleteNamedStrays, deleteStrays, findDueStrays, findNamedObjects } from '../../store/files/erase'
import { isHeldForBackup } from '../../store/files/holds'

const BATCH = 500
/** A new object may belong to an upload whose transaction has not been committed yet. */
const WAIT_MS = 24 * 60 * 60 * 1000

/** Deletes the stray objects that are due, with their previews, unless a backup is running. What fails is tried again in the next round. */
export async function deleteStrayObjects(parley: Parley) {
  const { engine, clock } = parley
  for (let after = ''; ; ) {
    const objects = await engine.read((db) => findDueStrays(db, clock(), after))
    if (objects.length === 0) return
    const deleted: string[] = []
    try {
      for (const object of objects) {
        // After they were read: a backup that starts later copies a database that does not name them. Before each of them: a
        // restore that starts later stores what is deleted already.
        if (await engine.read((db) => isHeldForBackup(db, clock()))) return
        if (await deleteObject(parley, object)) deleted.push(object)
      }
    } finally {
      if (deleted.length > 0) await engine.write((db) => deleteStrays(db, deleted))
    }
    after = objects.at(-1)!
  }
}

/** False if this object cannot be deleted at the moment. Throws if the whole storage does not work. */
async function deleteObject({ files: { storage }, log }: Parley, object: string): Promise<boolean> {
  try {
    for (const name of [object, ...previewsOf(object)]) await storage.delete(name)
    return true
  } catch (error) {
    if (error instanceof StorageUnavailable) await storage.check()
    log.warn('Could not delete an object; will retry', { object, error: String(error) })
    return false
  }
}

/** Records the objects in the storage that no blob names. They are deleted a day later. */
export async function findStrayObjects({ engine, clock, files: { storage } }: Parley) {
  await engine.write(deleteNamedStrays)
  let batch = new Set<string>()
  const note = async () => {
    const objects = [...batch]
    batch = new Set()
    if (objects.length === 0) return
    const named = await engine.read((db) => findNamedObjects(db, objects))
    const strays = objects.filter((object) => !named.has(object))
    if (strays.length > 0) await engine.write((db) => insertStrayObjects(db, strays, clock() + WAIT_MS))
  }
  for await (const { object } of storage.list()) {
    const original = originalOf(object)
    if (isOurObject(original)) batch.add(original)
    if (batch.size >= BATCH) await note()
  }
  await note()
}
