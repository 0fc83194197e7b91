import { Problem } from '../../contract/errors'
import type { StoredBytes } from '../../domain/files/received'
import type { StagedFile } from '../../files/storage'
import type { Parley } from '../parley'
import type { WriteResult } from '../write'

/** Moves a staged file into the storage, under a new name. */
export async function store({ files }: Parley, workspaceId: string, staged: StagedFile): Promise<StoredBytes> {
  const { hash, size } = staged
  const object = newObjectName(workspaceId, hash)
  await files.storage.put(object, staged)
  return { hash, size, object, isObjectUsed: false }
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'

const newObjectName = (workspaceId: string, hash: string) => {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => BASE32[byte & 31]).join('')
  return `${workspaceId}/${hash.slice(0, 2)}/${hash}-${random}`
}

/** Runs a transaction, and deletes the object if it does not use it. */
export async function deleteUnlessUsed(
  { files: { storage }, log }: Parley,
  stored: StoredBytes,
  runTransaction: () => Promise<WriteResult>,
): Promise<WriteResult> {
  const deleteObject = () =>
    storage
      .delete(stored.object)
      .catch((error) =>
        log.warn('Could not delete an unused object; the daily sweep will delete it', { error: String(error) }),
      )
  try {
    const result = await runTransaction()
    if (result.replayed !== undefined || !stored.isObjectUsed) await deleteObject()
    return result
  } catch (error) {
    // After other errors, the transaction may still have been committed. If it was not, the daily sweep deletes the object.
    if (error instanceof Problem && error.code !== 'unavailable') await deleteObject()
    throw error
  }
}
