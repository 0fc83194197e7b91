import { MEGABYTE } from '../domain/files'
import { StartError } from '../domain/start-error'
import { readRange } from '../files/disk'
import { discard, stage } from '../files/staging'
import { compareObjects, type Storage, StorageUnavailable } from '../files/storage'
import {
  type AppendedFile,
  appendedBytes,
  appendedFiles,
  fileNamesOf,
  layoutOf,
  namedObjects,
  refuseTruncated,
} from '../store/backup/appended-files'
import { openBackup } from '../store/backup/file'
import type { OpenProgress } from '../store/engines/engine'

const MAX_NAMED = 20

/** What happened to the bytes of uploaded files in a restore. */
export interface RestoredFiles {
  /** How many objects were copied into the storage. */
  stored: number
  /** Files whose bytes are neither in the backup nor in the storage: how many, and some of their names. */
  missing: { count: number; names: string[] }
}

/**
 * Copies the objects of a backup into the storage, unless they are there already. `database` is the backup itself, or the copy that
 * will be restored; objects that it names and the storage lacks are reported. If the restore fails later, the daily sweep of the
 * server deletes objects that no database row names.
 */
export async function restoreFiles(options: {
  backup: string
  database: string
  hasFiles: boolean
  storage: Storage
  openProgress: OpenProgress
}): Promise<RestoredFiles> {
  const { backup, database, hasFiles, storage, openProgress } = options
  try {
    const stored = hasFiles ? await putObjects(backup, storage, openProgress) : 0
    return { stored, missing: await findMissing(database, storage) }
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    throw new StartError(`${error.message} The database was not restored.`)
  }
}

async function findMissing(path: string, storage: Storage): Promise<RestoredFiles['missing']> {
  const database = openBackup(path)
  let count = 0
  const names: string[] = []
  try {
    for await (const compared of compareObjects(namedObjects(database), storage)) {
      if (!('expected' in compared) || compared.found === compared.expected.size) continue
      count += 1
      if (names.length < MAX_NAMED) names.push(...fileNamesOf(database, compared.expected.object))
    }
    return { count, names: names.slice(0, MAX_NAMED) }
  } finally {
    database.close()
  }
}

async function putObjects(backup: string, storage: Storage, openProgress: OpenProgress): Promise<number> {
  const database = openBackup(backup)
  try {
    refuseTruncated(database, backup)
    const start = layoutOf(backup).databaseBytes
    const progress = openProgress('MB of files', appendedBytes(database) / MEGABYTE)
    let stored = 0
    for await (const compared of compareObjects(appendedFiles(database), storage)) {
      if (!('expected' in compared)) continue
      const { expected, found } = compared
      if (found !== expected.size && (await putObject(backup, start, expected, storage))) stored += 1
      progress.report((expected.position + expected.size) / MEGABYTE)
    }
    progress.end()
    return stored
  } finally {
    database.close()
  }
}

/** Returns false if the bytes in the backup are damaged. */
async function putObject(backup: string, start: number, file: AppendedFile, storage: Storage): Promise<boolean> {
  const begin = start + file.position
  const staged = await stage(readRange(backup, { start: begin, end: begin + file.size }), {
    maxBytes: file.size,
    folder: storage.stagingFolder,
  })
  if (staged.hash !== file.hash) {
    await discard(staged)
    return false
  }
  await storage.put(file.object, staged)
  return true
}
