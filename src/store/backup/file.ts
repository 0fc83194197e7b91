import { constants, Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, openSync, readSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { StartError } from '../../domain/start-error'
import { latestVersion, oldestVersion, runWithOldest } from '../schema/migrations'
import { hasAppended } from './appended-files'
import { hasTable, INFO_TABLE } from './tables'

/** How backups are written. One in a format that this program does not know is refused; format 1 has no checksums. */
export const FORMAT = 2
const MAGIC = 'SQLite format 3\0'

/** What a backup says about itself. A plain copy of a SQLite database says nothing. */
export interface BackupInfo {
  parley_version: string
  engine: 'sqlite' | 'postgres'
  created_at: number
  /** The key that secrets are encrypted with, where it was in a file beside the database. */
  secret_key?: string
}

/** What there is to know about a backup before it is restored. */
export interface BackupFacts {
  schemaVersion: number
  info: BackupInfo | undefined
  /** Up to when it holds what happened. */
  takenAt: number
  /** Of the key that its secrets are encrypted with, and how many there are. */
  fingerprint: string | undefined
  secrets: number
  /** Whether the backup contains the bytes of uploaded files. */
  hasFiles: boolean
}

/** Says in a finished dump what it is, checks that it is sound, and brings it to disk. */
export function sealBackup(path: string, info: BackupInfo) {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    database.run('PRAGMA journal_mode = DELETE')
    database.run('PRAGMA synchronous = FULL')
    database.run('DELETE FROM backup_holds')
    database.run(`CREATE TABLE ${INFO_TABLE} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`)
    const insert = database.query(`INSERT INTO ${INFO_TABLE} (name, value) VALUES (?, ?)`)
    for (const [name, value] of Object.entries({ format: FORMAT, ...info }))
      if (value !== undefined) insert.run(name, String(value))
    const faults = faultsOf(database)
    if (faults) throw new StartError(`The backup that was written is not sound: ${faults}. Is the disk failing?`)
  } finally {
    database.close()
  }
  flushFile(path)
}

/** Brings a file, or a folder's list of files, to disk. */
export function flushFile(path: string) {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Opens a backup for reading, and leaves nothing beside it. */
export function openBackup(path: string): Database {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
  return new Database(`${pathToFileURL(path).href}?immutable=1`, flags)
}

/** Checks the whole database of a backup, and throws if it is damaged. */
export function inspectBackup(path: string): BackupFacts {
  refuseOther(path)
  let database: Database | undefined
  try {
    database = openBackup(path)
    return factsOf(database, path)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`Cannot read the backup ${path}: ${(error as Error).message}.`)
  } finally {
    database?.close()
  }
}

function refuseOther(path: string) {
  if (!existsSync(path)) throw new StartError(`There is no file ${path}.`)
  const head = Buffer.alloc(MAGIC.length)
  try {
    const handle = openSync(path, 'r')
    readSync(handle, head)
    closeSync(handle)
  } catch (error) {
    throw new StartError(`Cannot read ${path}: ${(error as Error).message}.`)
  }
  if (head.toString('latin1') !== MAGIC) throw new StartError(`${path} is not a backup of Parley.`)
}

function factsOf(database: Database, path: string): BackupFacts {
  const has = (table: string) => hasTable(database, table)
  if (!has('schema_migrations') || !has('workspaces')) throw new StartError(`${path} is not a backup of Parley.`)
  const info = has(INFO_TABLE) ? readInfo(database, path) : undefined
  const schemaVersion = numberOf(database, 'SELECT max(number) AS value FROM schema_migrations')
  if (schemaVersion > latestVersion)
    throw new StartError(
      `${path} was made by a newer Parley${info ? ` (${info.parley_version})` : ''}: its database is at version ${schemaVersion}, this Parley knows only version ${latestVersion}. Use a newer Parley.`,
    )
  if (schemaVersion < oldestVersion)
    throw new StartError(
      `${path} is at version ${schemaVersion}, older than Parley 0.2.0 (version ${oldestVersion}). Restore it with 0.2.0 first, and then start this version: ${runWithOldest(`restore ${path}`)}`,
    )
  refuseStatements(database, path)
  const faults = faultsOf(database)
  if (faults) throw new StartError(`The backup ${path} is damaged: ${faults}. Use another one.`)
  return {
    schemaVersion,
    info,
    takenAt: info?.created_at ?? numberOf(database, 'SELECT max(created_at) AS value FROM events'),
    fingerprint: database.query<{ fingerprint: string }, []>('SELECT fingerprint FROM secret_key').get()?.fingerprint,
    hasFiles: hasAppended(database),
    secrets: numberOf(database, "SELECT count(*) AS value FROM webhooks WHERE secret <> ''"),
  }
}

/** What another hand has put into a file, such as a trigger that copies passwords, would go on working in the database. */
function refuseStatements(database: Database, path: string) {
  const foreign = database
    .query<{ type: string; name: string }, []>("SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')")
    .get()
  if (foreign)
    throw new StartError(
      `${path} holds a ${foreign.type} that Parley did not make: ${foreign.name}. Use another backup.`,
    )
}

const numberOf = (database: Database, query: string): number =>
  database.query<{ value: number | null }, []>(query).get()?.value ?? 0

function readInfo(database: Database, path: string): BackupInfo {
  const rows = database.query<{ name: string; value: string }, []>(`SELECT name, value FROM ${INFO_TABLE}`).all()
  const { format, created_at, ...info } = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  if (!(Number(format) >= 1 && Number(format) <= FORMAT))
    throw new StartError(`${path} is written in format ${format}, this Parley knows only formats up to ${FORMAT}.`)
  return { ...(info as unknown as BackupInfo), created_at: Number(created_at) }
}

/** The format that a backup says it has; undefined for a copy of a database, or if it cannot be read. */
export function findFormat(path: string): number | undefined {
  let database: Database | undefined
  try {
    database = openBackup(path)
    const found = database.query<{ value: string }, []>(`SELECT value FROM ${INFO_TABLE} WHERE name = 'format'`).get()
    return found ? Number(found.value) : undefined
  } catch {
    return undefined
  } finally {
    database?.close()
  }
}

/** What is wrong with the pages, or with what rows refer to; undefined where all is well. */
function faultsOf(database: Database): string | undefined {
  const faults = database
    .query<{ fault: string }, []>('SELECT quick_check AS fault FROM pragma_quick_check LIMIT 3')
    .all()
    .map(({ fault }) => fault)
    .filter((fault) => fault !== 'ok')
  const orphans = database
    .query<{ table: string }, []>('SELECT "table" FROM pragma_foreign_key_check LIMIT 1')
    .all()
    .map(({ table }) => `rows of ${table} refer to rows that are not there`)
  return [...faults, ...orphans].join('; ').replaceAll('\n', ' ') || undefined
}
