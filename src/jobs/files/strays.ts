import { originalOf, previewsOf } from '../../files/previews'
import type { Parley } from '../../gate/parley'
import { insertStrayObjects } from '../../store/files/blobs'
import {
  deleteNamedStrays,
  deleteStrays,
  findDueStrays,
  findNamedObjects,
  isHeldForBackup,
} from '../../store/files/erase'

const BATCH = 500
/** A new object may belong to an upload whose transaction has not been committed yet. */
const WAIT_MS = 24 * 60 * 60 * 1000

/** Deletes the stray objects that are due, with their previews, unless a backup is running. */
export async function deleteStrayObjects({ engine, clock, files: { storage } }: Parley) {
  for (;;) {
    if (await engine.read((db) => isHeldForBackup(db, clock()))) return
    const objects = await engine.read((db) => findDueStrays(db, clock()))
    if (objects.length === 0) return
    for (const object of objects) for (const name of [...previewsOf(object), object]) await storage.delete(name)
    await engine.write((db) => deleteStrays(db, objects))
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
    batch.add(originalOf(object))
    if (batch.size >= BATCH) await note()
  }
  await note()
}
