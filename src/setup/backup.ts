import { existsSync, lstatSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { dumpDatabase } from '../store/backup/dump'
import { flushFile, sealBackup } from '../store/backup/file'
import type { OpenProgress } from '../store/backup/progress'
import type { Engine } from '../store/engines/engine'
import { StartError } from '../store/engines/start-error'
import { version } from '../version'
import { findSecretKey, type KeySettings, keyFileOf } from './secret-key'
import { openUnfinished } from './unfinished'

export interface BackupOptions {
  file: string
  settings: KeySettings
  isForced: boolean
  openProgress: OpenProgress
}

export interface Backup {
  bytes: number
  /** Whether the backup contains the secret key. */
  holdsKey: boolean
}

/** Writes a backup to a temporary file, and renames it once it is complete, checked and flushed. */
export async function makeBackup(engine: Engine, { file, settings, isForced, openProgress }: BackupOptions) {
  refuseOwnFiles(engine, file, settings)
  refuseExisting(file, isForced)
  const startedAt = Date.now()
  const unfinished = openUnfinished(file)
  try {
    await dumpDatabase(engine, unfinished.path, openProgress)
    const key = findSecretKey(settings)
    const holdsKey = key?.file !== undefined
    sealBackup(unfinished.path, {
      parley_version: version,
      engine: engine.kind,
      created_at: startedAt,
      ...(holdsKey && { secret_key: key.key }),
    })
    refuseExisting(file, isForced)
    renameSync(unfinished.path, file)
    flushFile(dirname(file))
    return { bytes: statSync(file).size, holdsKey }
  } finally {
    unfinished.remove()
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
