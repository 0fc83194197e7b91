import { Problem } from '../../contract/errors'
import type { FileLimits } from '../../domain/files'
import { InvalidImage } from '../../files/inspect'
import { openPreviews } from '../../files/previews'
import { openSpace, type ReadSpace, type Space } from '../../files/space'
import { FileTooLarge } from '../../files/staging'
import { type Storage, StorageFull, StorageUnavailable } from '../../files/storage'
import type { Log } from '../../log'
import type { Metrics } from '../../metrics'

export interface FileParts {
  storage: Storage
  limits: FileLimits
  /** The folder of a SQLite database. */
  databaseFolder?: string
  readSpace?: ReadSpace
}

/** The storage of files, the limits, the previews and the uploads that are running. */
export type Files = ReturnType<typeof openFiles>

export function openFiles({ storage, limits, databaseFolder, readSpace }: FileParts, metrics: Metrics) {
  const countBytes = metrics.counter('parley_uploaded_bytes_total', 'Bytes of files that were uploaded.')
  // The counter is exported before the first upload, so that its rate can be computed from 0.
  countBytes('', 0)
  const space = openSpace({ files: storage.stagingFolder, database: databaseFolder }, readSpace)
  measureSpace(metrics, space)
  return { storage, limits, space, previews: openPreviews(storage, { space }), slots: openUploadSlots(), countBytes }
}

function measureSpace(metrics: Metrics, space: Space) {
  const measure = (name: string, help: string, value: 'freeBytes' | 'reserveBytes') =>
    metrics.gauge(
      name,
      help,
      async () => Object.fromEntries((await space.report()).map((disk) => [`of="${disk.of}"`, disk[value]])),
      { merge: 'shared' },
    )
  measure('parley_disk_free_bytes', 'Free space on the disks of uploaded files and of a SQLite database.', 'freeBytes')
  measure('parley_disk_reserve_bytes', 'How much of it uploads leave free.', 'reserveBytes')
}

const MAX_PER_CALLER = 10
const MAX_TOTAL = 200

/** Limits how many uploads run at once, because each of them needs a connection, an open file and some memory. */
export function openUploadSlots(maxPerCaller = MAX_PER_CALLER, maxTotal = MAX_TOTAL) {
  const byCaller = new Map<number, number>()
  let total = 0

  return {
    /** Takes a slot, or throws. Returns the function that frees it. */
    take(caller: number): () => void {
      const own = byCaller.get(caller) ?? 0
      if (own >= maxPerCaller)
        throw new Problem(
          'rate_limited',
          `A token can upload at most ${maxPerCaller} files at once. Wait until an upload is complete.`,
          undefined,
          { 'Retry-After': '2', Connection: 'close' },
        )
      if (total >= maxTotal)
        throw new Problem(
          'unavailable',
          'The server is receiving too many files at once. Try again shortly.',
          undefined,
          {
            'Retry-After': '5',
            Connection: 'close',
          },
        )
      byCaller.set(caller, own + 1)
      total += 1
      return () => {
        total -= 1
        const left = byCaller.get(caller)! - 1
        if (left > 0) byCaller.set(caller, left)
        else byCaller.delete(caller)
      }
    },
    active: () => total,
  }
}

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
