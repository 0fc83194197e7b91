import { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../domain/start-error'
import type { Db } from '../engines/db'
import type { Engine, OpenProgress } from '../engines/engine'
import { codeOf } from '../engines/postgres/errors'
import { listPostgresTables } from '../engines/postgres/syntax'
import { latestVersion, migrateTo, schemaVersion } from '../schema/migrations'
import { restartBuild } from '../search/build'
import { signOutEveryone } from './copy'
import { flushFile, openBackup } from './file'
import { findLastKeys, isMadeAgain, listTables, quoted, quotedList, type TableShape } from './tables'

const MAX_BATCH_LENGTH = 1_000_000
const MAX_BATCH_ROWS = 1_000
const LOCK_MS = 300
const LOCK_TRIES = 200
const TABLE_EXISTS = '42P07'
/** lock_not_available and deadlock_detected. */
const LOCKED = ['55P03', '40P01']

export interface LoadOptions {
  isForced: boolean
  isSigningOut: boolean
  now: number
  openProgress: OpenProgress
}

/**
 * Loads a backup of this version into PostgreSQL, all of it or nothing. Nodes that run meanwhile wait for the locks, or
 * answer 503, and find the new content afterwards.
 */
export async function loadPostgres(engine: Engine, path: string, options: LoadOptions): Promise<void> {
  const source = openBackup(path)
  try {
    await engine.migrate((db) => load(db, source, engine.location, options))
  } finally {
    source.close()
  }
}

async function load(db: Db, source: Database, location: string, options: LoadOptions) {
  const current = await schemaVersion(db)
  if (current > latestVersion)
    throw new StartError(
      `The database ${location} was used by a newer Parley. Make a new, empty database, and set DATABASE_URL to it.`,
    )
  if (current > 0 && !options.isForced && !(await isEmpty(db)))
    throw new StartError(`The database ${location} is not empty. Add --force to replace everything in it.`)
  await migrateTo(db, latestVersion, options.now).catch((error) => {
    if (codeOf(error) !== TABLE_EXISTS) throw error
    throw new StartError(`The database ${location} holds tables of another program. Make one for Parley alone.`)
  })

  // That of the target is right already.
  const tables = listTables(source).filter(({ name }) => name !== 'schema_migrations')
  const names = quotedList(tables.map(({ name }) => name))
  const searchTables = (await listPostgresTables(db)).filter(isMadeAgain)
  await lock(db, `${names}, ${quotedList(searchTables)}`)
  await db.wire.execute(`TRUNCATE ${names} RESTART IDENTITY`, [])
  await insertAll(db, source, tables, options.openProgress)
  await restartKeys(db, source, tables)
  if (options.isSigningOut) await signOutEveryone(db)
  await restartBuild(db)
  await db.wire.execute(`ANALYZE ${names}`, [])
}

const isEmpty = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('workspaces').select('key').limit(1).execute()).length === 0

/**
 * Nodes that run take locks in another order. So as not to make any of them the victim of a deadlock, this gives up before
 * PostgreSQL looks for one (after a second), lets all locks go, and tries again.
 */
async function lock(db: Db, names: string) {
  await db.wire.execute(`SET LOCAL lock_timeout = ${LOCK_MS}`, [])
  for (let tried = 1; ; tried++) {
    await db.wire.execute('SAVEPOINT before_lock', [])
    try {
      await db.wire.execute(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`, [])
      break
    } catch (error) {
      if (!LOCKED.includes(codeOf(error))) throw error
      if (tried === LOCK_TRIES)
        throw new StartError('Others are using the database all the time. Stop the nodes, and run this again.')
      await db.wire.execute('ROLLBACK TO SAVEPOINT before_lock', [])
      await Bun.sleep(LOCK_MS * Math.random())
    }
  }
  await db.wire.execute('SET LOCAL lock_timeout = 0', [])
}

async function insertAll(db: Db, source: Database, tables: readonly TableShape[], openProgress: OpenProgress) {
  const counts = tables.map(
    ({ name }) => source.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${quoted(name)}`).get()!.count,
  )
  const progress = openProgress(
    'rows',
    counts.reduce((all, count) => all + count, 0),
  )
  let done = 0
  try {
    for (const table of tables)
      for await (const rows of insertTable(db, source, table)) {
        done += rows
        progress.report(done)
      }
  } finally {
    progress.end()
  }
}

/** Many rows go as one JSON text: one parameter for any table, and no limit on how many. */
async function* insertTable(db: Db, source: Database, { name, columns }: TableShape): AsyncGenerator<number> {
  const list = quotedList(columns)
  const insert = `INSERT INTO ${quoted(name)} (${list})
    SELECT ${list} FROM json_populate_recordset(NULL::${quoted(name)}, $1::text::json)`
  const order = columns.includes('key') ? ' ORDER BY key' : ''
  for (const rows of batchesOf(source.query(`SELECT ${list} FROM ${quoted(name)}${order}`).iterate())) {
    await db.wire.execute(insert, [`[${rows.join(',')}]`])
    yield rows.length
  }
}

function* batchesOf(rows: Iterable<unknown>): Generator<string[]> {
  let batch: string[] = []
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(row, bytesAsHex)
    batch.push(text)
    length += text.length
    if (length < MAX_BATCH_LENGTH && batch.length < MAX_BATCH_ROWS) continue
    yield batch
    batch = []
    length = 0
  }
  if (batch.length > 0) yield batch
}

/** Bytes as PostgreSQL reads them from text. */
const bytesAsHex = (_: string, value: unknown) =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value

/** Goes on after the last key that was ever given out. Unlike `setval`, this is undone with the transaction. */
async function restartKeys(db: Db, source: Database, tables: readonly TableShape[]) {
  const last = findLastKeys(source)
  for (const { name, hasKeys } of tables)
    if (hasKeys && last.has(name))
      await db.wire.execute(
        `ALTER TABLE ${quoted(name)} ALTER COLUMN key RESTART WITH ${Number(last.get(name)) + 1}`,
        [],
      )
}

/** Whether there is nothing at this place that a restore would take away. */
export function isEmptySqlite(path: string): boolean {
  if (!existsSync(path) || statSync(path).size === 0) return true
  const database = new Database(path, { readonly: true })
  try {
    const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    if (tables.length === 0) return true
    return tables.some(({ name }) => name === 'workspaces') && !database.query('SELECT 1 FROM workspaces LIMIT 1').get()
  } catch {
    // Damaged, or no database at all: that is for the operator to give up.
    return false
  } finally {
    database.close()
  }
}

/**
 * Refuses where any process has the database open. Each that does holds a shared lock on it, so that nobody else can have
 * an exclusive one. Alone with it, what is in the WAL goes into the file.
 */
export function refuseInUse(path: string) {
  if (!existsSync(path) || statSync(path).size === 0) return
  const database = new Database(path, { readwrite: true, create: false })
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    database.run('BEGIN EXCLUSIVE')
    database.run('ROLLBACK')
  } catch (error) {
    const { code } = error as { code?: string }
    if (code?.startsWith('SQLITE_BUSY'))
      throw new StartError(`A server or another program is using ${path}. Stop it first.`)
    // Its head cannot be read, so nothing can be locked.
    if (existsSync(`${path}-shm`))
      throw new StartError(
        `${path} is damaged, so it cannot be told whether a server is using it. Stop the server, remove ${path}-shm, and run this again.`,
      )
  } finally {
    database.close()
  }
}

/**
 * Replaces a database by another. Deletes the old WAL first: SQLite would apply it to the new file. Its content is in the old file
 * by then, so at any moment one of the two is there and whole.
 */
export function replaceSqlite(path: string, replacement: string) {
  flushFile(replacement)
  refuseInUse(path)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(replacement, path)
  flushFile(dirname(path))
}
