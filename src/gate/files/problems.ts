import { Problem } from '../../contract/errors'
import { InvalidImage } from '../../files/inspect'
import { FileTooLarge } from '../../files/staging'
import { StorageFull, StorageUnavailable } from '../../files/storage'
import type { Log } from '../../log'

const RETRY_AFTER = { 'Retry-After': '5' }

/** Runs work that uses the storage, and turns its errors into problems for the caller. */
export async function explainStorage<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FileTooLarge) throw fileTooLarge(error.maxBytes)
    if (error instanceof InvalidImage) throw new Problem('invalid_file', error.message)
    if (!(error instanceof StorageUnavailable)) throw error
    log.warn('The file storage is not available', { error: error.message })
    if (error instanceof StorageFull) throw storageFull()
    throw new Problem(
      'storage_unavailable',
      'Files cannot be stored or read at the moment. Nothing was changed; try again shortly.',
      undefined,
      RETRY_AFTER,
    )
  }
}

const storageFull = () =>
  new Problem(
    'storage_full',
    'The disk of the server is almost full, so that no files can be stored at the moment. Nothing was changed. Ask the operator to free some space.',
    undefined,
    // The rest of the body will not be read.
    { Connection: 'close' },
  )

export const fileTooLarge = (maxBytes: number) =>
  new Problem(
    'payload_too_large',
    `The file is too large. A file can have at most ${Math.floor(maxBytes / 1e6)} MB (${maxBytes} bytes).`,
    undefined,
    { Connection: 'close' },
  )
