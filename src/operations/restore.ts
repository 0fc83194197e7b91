import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { StartError } from '../domain/start-error'
import type { Storage } from '../files/storage'
import { type Verified, verifyBackup } from '../store/backup/checksums'
import { copyBackup, hasWal, isOfThisVersion, prepareCopy } from '../store/backup/copy'
import { type BackupFacts, flushFile, inspectBackup } from '../store/backup/file'
import { isEmptySqlite, loadPostgres, refuseInUse, replaceSqlite } from '../store/backup/load'
import type { OpenProgress } from '../store/engines/engine'
import { whileHeld } from '../store/files/blobs'
import { openEngineForCommand } from '../store/open'
import { type RestoredFiles, restoreFiles } from './restore-files'
import { findSecretKey, type KeySettings, keyFileOf, openVault, readKey } from './secret-key'

export interface RestoreOptions {
  file: string
  settings: KeySettings
  /** Where to write the secret key of the backup. Default: next to a SQLite database, unless SECRET_KEY is set. */
  keyFile: string | undefined
  isForced: boolean
  isSigningOut: boolean
  /** Where the bytes of uploaded files are stored. */
  storage: Storage
  openProgress: OpenProgress
}

export interface Restored {
  facts: BackupFacts
  verified: Verified
  /** Where its secret key was written, if it was. */
  keyFile: string | undefined
  files: RestoredFiles
  /** Whether the current key decrypts the secrets of the webhooks. */
  isKeyRight: boolean
}

/** Restores a backup, on either engine. Errors are found before anything is changed, and damage before anything else is looked at. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, settings } = options
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`)
  const verified = await verifyBackup(file, options.openProgress)
  const databaseFile = settings.databaseUrl.match(/^sqlite:(.+)$/)?.[1]
  const facts = databaseFile ? await restoreToSqlite(resolve(databaseFile), options) : await restoreToPostgres(options)
  return { ...facts, verified, isKeyRight: opensSecrets(facts.facts, settings) }
}

type Loaded = Pick<Restored, 'facts' | 'keyFile' | 'files'>

async function restoreToSqlite(target: string, options: RestoreOptions): Promise<Loaded> {
  const { file, isForced, openProgress } = options
  if (existsSync(target) && realpathSync(target) === realpathSync(file))
    throw new StartError(`${file} is the database itself.`)
  refuseInUse(target)
  if (!isForced && !isEmptySqlite(target))
    throw new StartError(`There is already a database at ${target}. Add --force to replace it with the backup.`)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const copy = openUnfinished(target)
  try {
    await copyBackup(file, copy.path, openProgress)
    const facts = inspectCopy(copy.path, file)
    const key = stageKey(facts, options)
    try {
      const files = await restoreFiles({ ...options, backup: file, database: copy.path, hasFiles: facts.hasFiles })
      await prepareCopy(copy.path, { now: Date.now(), isSigningOut: options.isSigningOut, openProgress })
      replaceSqlite(target, copy.path)
      return { facts, files, keyFile: key?.commit() }
    } finally {
      key?.remove()
    }
  } finally {
    copy.remove()
  }
}

async function restoreToPostgres(options: RestoreOptions): Promise<Loaded> {
  const { file, settings } = options
  const scratch = mkdtempSync(join(tmpdir(), 'parley-restore-'))
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true })
  process.on('exit', removeScratch)
  const engine = openEngineForCommand(settings.databaseUrl)
  try {
    await engine.ping()
    const { path, facts } = await currentBackup(join(scratch, 'backup'), options)
    const key = stageKey(facts, options)
    try {
      const load = async () => {
        const files = await restoreFiles({ ...options, backup: file, database: path, hasFiles: facts.hasFiles })
        await loadPostgres(engine, path, { ...options, now: Date.now() })
        return files
      }
      // A running node might otherwise delete an object that the backup names.
      const files = await whileHeld(engine, load)
      return { facts, files, keyFile: key?.commit() }
    } finally {
      key?.remove()
    }
  } finally {
    await engine.close()
    removeScratch()
    process.off('exit', removeScratch)
  }

  /** The backup itself, or a copy of it that was migrated to this version. */
  async function currentBackup(copy: string, { openProgress }: RestoreOptions) {
    if (!hasWal(file)) {
      const facts = inspectBackup(file)
      if (isOfThisVersion(facts.schemaVersion)) return { path: file, facts }
    }
    await copyBackup(file, copy, openProgress)
    const facts = inspectCopy(copy, file)
    await prepareCopy(copy, { now: Date.now(), isSigningOut: false, openProgress })
    return { path: copy, facts }
  }
}

/** Errors about the copy name the original file. */
function inspectCopy(copy: string, file: string): BackupFacts {
  try {
    return inspectBackup(copy)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    throw new StartError(error.message.replaceAll(copy, file))
  }
}

/** Writes the key of the backup to a temporary file, which `commit` renames after the database was restored. */
function stageKey({ info }: BackupFacts, { settings, keyFile, isForced }: RestoreOptions) {
  const key = info?.secret_key
  const target = keyFile ?? (settings.secretKey ? undefined : keyFileOf(settings))
  if (!key || !target) return undefined
  const existing = readKey(target)
  if (existing === key) return { commit: () => target, remove() {} }
  if (existing && !isForced)
    throw new StartError(`There is a different secret key in ${target}. Move it, or add --force to replace it.`)
  const staged = openUnfinished(target)
  writeFileSync(staged.path, `${key}\n`, { mode: 0o600 })
  flushFile(staged.path)
  return {
    commit() {
      renameSync(staged.path, target)
      flushFile(dirname(target))
      return target
    },
    remove: staged.remove,
  }
}

function opensSecrets({ fingerprint, secrets }: BackupFacts, settings: KeySettings): boolean {
  if (secrets === 0 || !fingerprint) return true
  const key = findSecretKey(settings)
  return key !== undefined && openVault(key.key).fingerprint === fingerprint
}

export interface Unfinished {
  path: string
  remove(): void
}

/**
 * An empty temporary file next to another, which will replace it when complete; readable by its owner only. It is removed
 * when the process exits; leftovers of a killed process are removed by the next one.
 */
export function openUnfinished(file: string): Unfinished {
  removeLeftovers(file)
  const path = `${file}.unfinished-${process.pid}`
  const remove = () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
    process.off('exit', remove)
  }
  process.on('exit', remove)
  writeFileSync(path, '', { mode: 0o600, flag: 'wx' })
  return { path, remove }
}

function removeLeftovers(file: string) {
  const start = `${basename(file)}.unfinished-`
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(start)) continue
    const pid = Number.parseInt(name.slice(start.length), 10)
    if (pid === process.pid || !isAlive(pid)) rmSync(join(dirname(file), name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as { code?: string }).code === 'EPERM'
  }
}
