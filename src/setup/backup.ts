import { existsSync, lstatSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../domain/start-error'
import { type Storage, StorageUnavailable } from '../files/storage'
import { addChecksums } from '../store/backup/checksums'
import { dumpDatabase } from '../store/backup/dump'
import { flushFile, sealBackup } from '../store/backup/file'
import type { Engine, OpenProgress } from '../store/engines/engine'
import { whileHeld } from '../store/files/holds'
import { version } from '../version'
import { appendObjects, listObjects } from './backup-files'
import { findSecretKey, type KeySettings, keyFileOf } from './secret-key'
import { openUnfinished } from './unfinished'

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
