import { originalOf, previewsOf } from '../files/previews'
import { removeOldStaged } from '../files/staging'
import { isOurObject, StorageUnavailable } from '../files/storage'
import type { Parley } from '../gate/parley'
import {
  eraseDueFiles,
  findDueStrayObjects,
  findNamedObjects,
  forgetNamedObjects,
  forgetStrayObjects,
  insertStrayObjects,
  isHeldForBackup,
  listWorkspacesToErase,
} from '../store/files/blobs'
import { lockWorkspace } from '../store/people/workspaces'

const HOUR_MS = 60 * 60 * 1000
/** The documents promise an hour; the rest is for rounds that fail. */
export const ERASE_EVERY_MS = 10 * 60 * 1000
const SWEEP_EVERY_MS = 24 * HOUR_MS
const STAGED_MS = 24 * HOUR_MS

export interface FileErasing {
  /** Erases the files that are due, and deletes objects that are no longer used. */
  runRound(): Promise<void>
  /** Looks for objects and staged files that were left behind. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** Erases the files that are due, every few minutes. Several nodes can do this at the same time. */
export function startFileErasing(parley: Parley, everyMs = ERASE_EVERY_MS): FileErasing {
  let running: Promise<void> = Promise.resolve()
  // The first sweep is one hour after the start, so that it also runs on servers that restart every day.
  let sweptAt = parley.clock() - SWEEP_EVERY_MS + HOUR_MS
  const inTurn = (work: () => Promise<void>) => {
    const done = running.then(work)
    running = done.catch((error) => parley.log.warn('Could not erase files; will retry', { error: String(error) }))
    return done
  }
  const runRound = () => inTurn(() => erase(parley))
  const sweep = () =>
    inTurn(async () => {
      sweptAt = parley.clock()
      await removeOldStaged(parley.files.storage.stagingFolder, STAGED_MS, parley.clock())
      await recordStrayObjects(parley)
    })
  const timer = setInterval(() => {
    void runRound().catch(() => {})
    if (parley.clock() - sweptAt >= SWEEP_EVERY_MS) void sweep().catch(() => {})
  }, everyMs)
  timer.unref()
  return {
    runRound,
    sweep,
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

async function erase(parley: Parley) {
  const { engine, clock } = parley
  for (const key of await engine.read((db) => listWorkspacesToErase(db, clock()))) {
    const eraseSome = () =>
      engine.write(async (db) => {
        await lockWorkspace(db, key)
        return eraseDueFiles(db, key, clock())
      })
    while ((await eraseSome()) > 0) await Bun.sleep(0)
  }
  await deleteStrayObjects(parley)
}

const BATCH = 500
/** A new object may belong to an upload whose transaction has not been committed yet. */
const WAIT_MS = 24 * 60 * 60 * 1000

/** Deletes the stray objects that are due, with their previews, unless a backup is running. What fails is tried again in the next round. */
async function deleteStrayObjects(parley: Parley) {
  const { engine, clock } = parley
  for (let after = ''; ; ) {
    const objects = await engine.read((db) => findDueStrayObjects(db, clock(), after))
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
      if (deleted.length > 0) await engine.write((db) => forgetStrayObjects(db, deleted))
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
async function recordStrayObjects({ engine, clock, files: { storage } }: Parley) {
  await engine.write(forgetNamedObjects)
  let batch = new Set<string>()
  const note = async () => {
    const objects = [...batch]
    batch = new Set()
    if (objects.length === 0) return
    const named = await engine.read((db) => findNamedObjects(db, objects))
    const strayObjects = objects.filter((object) => !named.has(object))
    if (strayObjects.length > 0) await engine.write((db) => insertStrayObjects(db, strayObjects, clock() + WAIT_MS))
  }
  for await (const { object } of storage.list()) {
    const original = originalOf(object)
    if (isOurObject(original)) batch.add(original)
    if (batch.size >= BATCH) await note()
  }
  await note()
}
