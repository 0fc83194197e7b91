import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { copyBackup, isOfThisVersion, prepareCopy } from '../store/backup/copy'
import { type BackupFacts, flushFile, inspectBackup } from '../store/backup/file'
import { loadPostgres } from '../store/backup/load-postgres'
import { isEmptySqlite, refuseInUse, replaceSqlite } from '../store/backup/place-sqlite'
import type { OpenProgress } from '../store/backup/progress'
import { StartError } from '../store/engines/start-error'
import { openEngine } from '../store/open'
import { findSecretKey, type KeySettings, keyFileOf, readKey } from './secret-key'
import { openUnfinished } from './unfinished'
import { openVault } from './vault'

export interface RestoreWishes {
  file: string
  settings: KeySettings
  /** Where to write the secret key of the backup; without it, beside a SQLite database that has no SECRET_KEY. */
  keyFile: string | undefined
  isForced: boolean
  isSigningOut: boolean
  openProgress: OpenProgress
}

export interface Restored {
  facts: BackupFacts
  /** Where its secret key went, if it did. */
  keyFile: string | undefined
  /** Whether the webhooks' secrets open with the key there is now. */
  isKeyRight: boolean
}

/** Brings back a backup, on whichever engine. What is wrong is found before anything is changed. */
export async function restoreBackup(wishes: RestoreWishes): Promise<Restored> {
  const { file, settings } = wishes
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`)
  const place = settings.databaseUrl.match(/^sqlite:(.+)$/)?.[1]
  const facts = place ? await restoreToSqlite(resolve(place), wishes) : await restoreToPostgres(wishes)
  return { ...facts, isKeyRight: opensSecrets(facts.facts, settings) }
}

type Placed = Pick<Restored, 'facts' | 'keyFile'>

async function restoreToSqlite(place: string, wishes: RestoreWishes): Promise<Placed> {
  const { file, isForced, openProgress } = wishes
  if (existsSync(place) && realpathSync(place) === realpathSync(file))
    throw new StartError(`${file} is the database itself.`)
  refuseInUse(place)
  if (!isForced && !isEmptySqlite(place))
    throw new StartError(`There is a database at ${place} already. Add --force to replace it with the backup.`)
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
  const copy = openUnfinished(place)
  try {
    await copyBackup(file, copy.path, openProgress)
    const facts = inspectCopy(copy.path, file)
    const key = stageKey(facts, wishes)
    try {
      await prepareCopy(copy.path, { now: Date.now(), isSigningOut: wishes.isSigningOut })
      replaceSqlite(place, copy.path)
      return { facts, keyFile: key?.place() }
    } finally {
      key?.remove()
    }
  } finally {
    copy.remove()
  }
}

async function restoreToPostgres(wishes: RestoreWishes): Promise<Placed> {
  const { file, settings } = wishes
  const scratch = mkdtempSync(join(tmpdir(), 'parley-restore-'))
  const removeScratch = () => rmSync(scratch, { recursive: true, force: true })
  process.on('exit', removeScratch)
  const engine = openEngine(settings.databaseUrl, { poolSize: 2 })
  try {
    await engine.ping()
    const { path, facts } = await currentBackup(join(scratch, 'backup'), wishes)
    const key = stageKey(facts, wishes)
    try {
      await loadPostgres(engine, path, { ...wishes, now: Date.now() })
      return { facts, keyFile: key?.place() }
    } finally {
      key?.remove()
    }
  } finally {
    await engine.close()
    removeScratch()
    process.off('exit', removeScratch)
  }

  /** The backup itself, or a copy of it that was brought to this version. */
  async function currentBackup(copy: string, { openProgress }: RestoreWishes) {
    if (!existsSync(`${file}-wal`)) {
      const facts = inspectBackup(file)
      if (isOfThisVersion(facts.schemaVersion)) return { path: file, facts }
    }
    await copyBackup(file, copy, openProgress)
    const facts = inspectCopy(copy, file)
    await prepareCopy(copy, { now: Date.now(), isSigningOut: false })
    return { path: copy, facts }
  }
}

/** What is wrong with a copy is told of the file it was made from. */
function inspectCopy(copy: string, file: string): BackupFacts {
  try {
    return inspectBackup(copy)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    throw new StartError(error.message.replaceAll(copy, file))
  }
}

/** Writes the key of the backup beside its place, to be put there after the database; undefined where it has none. */
function stageKey({ info }: BackupFacts, { settings, keyFile, isForced }: RestoreWishes) {
  const key = info?.secret_key
  const place = keyFile ?? (settings.secretKey ? undefined : keyFileOf(settings))
  if (!key || !place) return undefined
  const there = readKey(place)
  if (there === key) return { place: () => place, remove() {} }
  if (there && !isForced)
    throw new StartError(`There is another secret key in ${place}. Move it away, or add --force to replace it.`)
  const staged = openUnfinished(place)
  writeFileSync(staged.path, `${key}\n`, { mode: 0o600 })
  flushFile(staged.path)
  return {
    place() {
      renameSync(staged.path, place)
      flushFile(dirname(place))
      return place
    },
    remove: staged.remove,
  }
}

function opensSecrets({ fingerprint, secrets }: BackupFacts, settings: KeySettings): boolean {
  if (secrets === 0 || !fingerprint) return true
  const key = findSecretKey(settings)
  return key !== undefined && openVault(key.key).fingerprint === fingerprint
}
