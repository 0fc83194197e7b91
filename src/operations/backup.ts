import { existsSync, lstatSync, realpathSync, renameSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MEGABYTE } from '../domain/files'
import { StartError } from '../domain/start-error'
import { compareObjects, type Storage, StorageUnavailable } from '../files/storage'
import { type AppendedFile, appendedBytes, appendedFiles, listAppended } from '../store/backup/appended-files'
import { addChecksums } from '../store/backup/checksums'
import { dumpDatabase } from '../store/backup/dump'
import { flushFile, openBackup, sealBackup } from '../store/backup/file'
import type { Engine, OpenProgress } from '../store/engines/engine'
import { whileHeld } from '../store/files/blobs'
import { version } from '../version'
import { openUnfinished } from './restore'
import { findSecretKey, type KeySettings, keyFileOf } from './secret-key'

export interface BackupOptions {
  file: string
  settings: KeySettings
  isForced: boolean
  /** Where the bytes of uploaded files are; undefined to leave them out. */
  storage: Storage | undefined
  openProgress: OpenProgress
}

export interface Backup {
  bytes: number
  /** Whether the backup contains the secret key. */
  holdsKey: boolean
  /** How many objects are missing in the storage, and how many are damaged. */
  missing: number
  damaged: number
}

/** Writes a backup to a temporary file, and renames it once it is complete, checked and flushed. */
export async function makeBackup(engine: Engine, options: BackupOptions): Promise<Backup> {
  const { file, settings, isForced } = options
  refuseOwnFiles(engine, file, settings)
  refuseExisting(file, isForced)
  const unfinished = openUnfinished(file)
  try {
    const write = () => writeBackup(engine, unfinished.path, options)
    // No object that the copied database names may be deleted before it is copied, too.
    const written = await (options.storage ? whileHeld(engine, write) : write())
    refuseExisting(file, isForced)
    renameSync(unfinished.path, file)
    flushFile(dirname(file))
    return { ...written, bytes: statSync(file).size }
  } finally {
    unfinished.remove()
  }
}

async function writeBackup(
  engine: Engine,
  path: string,
  { settings, storage, openProgress }: BackupOptions,
): Promise<Omit<Backup, 'bytes'>> {
  const startedAt = Date.now()
  await dumpDatabase(engine, path, openProgress)
  const key = findSecretKey(settings)
  const holdsKey = key?.file !== undefined
  try {
    const missing = storage ? await listObjects(path, storage) : 0
    sealBackup(path, {
      parley_version: version,
      engine: engine.kind,
      created_at: startedAt,
      ...(holdsKey && { secret_key: key.key }),
    })
    if (storage) await appendObjects(path, storage, openProgress)
    return { holdsKey, missing, damaged: await addChecksums(path, openProgress) }
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    throw new StartError(`${error.message} To back up the database alone, add --without-files.`)
  }
}

/** Not even with --force: a backup must not replace the database it was made from. */
function refuseOwnFiles(engine: Engine, file: string, settings: KeySettings) {
  if (engine.kind !== 'sqlite' || !existsSync(file)) return
  const own = [...['', '-wal', '-shm'].map((suffix) => engine.location + suffix), keyFileOf(settings)!]
  if (own.some((path) => existsSync(path) && realpathSync(path) === realpathSync(file)))
    throw new StartError(`${file} is part of the database itself. Choose another file.`)
}

function refuseExisting(file: string, isForced: boolean) {
  if (!existsSync(dirname(file))) throw new StartError(`There is no folder ${dirname(file)}.`)
  const existing = lstatSync(file, { throwIfNoEntry: false })
  if (!existing) return
  if (!existing.isFile()) throw new StartError(`${file} already exists, and is not a file. Choose another name.`)
  if (!isForced) throw new StartError(`${file} already exists. Choose another name, or add --force to replace it.`)
}

/** Writes into a dump the list of objects that will be appended: the objects that the database names and the storage has. Returns how many are missing. */
async function listObjects(path: string, storage: Storage): Promise<number> {
  let missing = 0
  await listAppended(path, async function* (named) {
    for await (const compared of compareObjects(named, storage)) {
      if (!('expected' in compared)) continue
      if (compared.found === compared.expected.size) yield compared.expected
      else missing += 1
    }
  })
  return missing
}

/** Appends the listed objects to the database, one after the other. */
async function appendObjects(path: string, storage: Storage, openProgress: OpenProgress): Promise<void> {
  const database = openBackup(path)
  const handle = await open(path, 'r+')
  const start = (await handle.stat()).size
  const progress = openProgress('MB of files', appendedBytes(database) / MEGABYTE)
  let end = start
  try {
    for (const file of appendedFiles(database))
      for await (const bytes of readObject(storage, file)) {
        await writeAt(handle, bytes, end)
        end += bytes.length
        progress.report((end - start) / MEGABYTE)
      }
  } finally {
    progress.end()
    await handle.close()
    database.close()
  }
}

async function* readObject(storage: Storage, { object, size }: AppendedFile): AsyncGenerator<Uint8Array> {
  const found = await storage.read(object)
  let read = 0
  if (found?.size === size)
    for await (const bytes of found.stream()) {
      read += bytes.length
      yield bytes
    }
  if (read !== size)
    throw new StartError(`The stored object ${object} could not be read completely. Run the backup again.`)
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}
