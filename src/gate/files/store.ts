import { Problem } from '../../contract/errors'
import type { StoredBytes } from '../../domain/files'
import { newObjectName, type StagedFile } from '../../files/storage'
import { isKnownObject } from '../../store/checks/files'
import type { Parley } from '../parley'
import type { WriteResult } from '../write'

/** Moves a staged file into the storage, under a new name. */
export async function store({ files }: Parley, workspaceId: string, staged: StagedFile): Promise<StoredBytes> {
  const { hash, size } = staged
  const object = newObjectName(workspaceId, hash)
  await files.storage.put(object, staged)
  return { hash, size, object }
}

/** Runs a transaction, and deletes the object if it does not use it. */
export async function deleteUnlessUsed(
  { engine, files: { storage }, log }: Parley,
  stored: StoredBytes,
  runTransaction: () => Promise<WriteResult>,
): Promise<WriteResult> {
  const deleteIfUnused = async () => {
    try {
      // The workspace may have the same bytes already, under another name.
      if (await engine.read((db) => isKnownObject(db, stored.object))) return
      await storage.delete(stored.object)
    } catch (error) {
      log.warn('Could not delete an unused object; the daily sweep will delete it', { error: String(error) })
    }
  }
  try {
    const result = await runTransaction()
    await deleteIfUnused()
    return result
  } catch (error) {
    // After other errors, the transaction may still have been committed. If it was not, the daily sweep deletes the object.
    if (error instanceof Problem && error.code !== 'unavailable') await deleteIfUnused()
    throw error
  }
}
