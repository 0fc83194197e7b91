import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { MEGABYTE } from '../../domain/files'
import { StartError } from '../../domain/start-error'
import type { Db } from '../engines/db'
import type { Engine, OpenProgress } from '../engines/engine'
import { listPostgresTables } from '../engines/postgres/syntax'
import { sqliteProblem, sqliteStartProblem } from '../engines/sqlite/errors'
import { openSqlite } from '../engines/sqlite/open'
import { findVersion, migrateTo, refuseNewer, refuseOlder } from '../schema/migrations'
import { beginBuild } from '../search/build'
import { listTables, quoted, quotedList, type TableShape } from './tables'

/**
 * Writes everything the database holds, as of one moment, into an empty file, as a SQLite database. Writes do
 * not wait for it.
 */
export async function dumpDatabase(engine: Engine, path: string, openProgress: OpenProgress): Promise<void> {
  const version = await engine.read(findVersion).catch(() => 0)
  if (version === 0) throw new StartError('There is nothing to back up: the database is not set up yet.')
  refuseNewer(version)
  refuseOlder(version)
  await { sqlite: dumpSqlite, postgres: dumpPostgres }[engine.kind](engine, path, openProgress)
}

const POLL_MS = 100

/** Runs beside, since it blocks until all is written. As text, so that it also runs inside the one executable. */
const VACUUM = `
  const { Database } = require('bun:sqlite')
  self.onmessage = ({ data: { from, to } }) => {
    try {
      const database = new Database(from, { readonly: true })
      database.run('PRAGMA busy_timeout = 5000')
      database.run('VACUUM INTO ?', [to])
      database.close()
      postMessage({})
    } catch (error) {
      postMessage({ error: { code: error.code, message: error.message } })
    }
  }`

/** SQLite copies itself: one snapshot, beside the writer, without the free pages. */
async function dumpSqlite({ location }: Engine, path: string, openProgress: OpenProgress): Promise<void> {
  const progress = openProgress('MB', sizeOf(location) / MEGABYTE)
  const timer = setInterval(() => progress.report(statSync(path).size / MEGABYTE), POLL_MS)
  try {
    await vacuumInto(location, path)
    purgeSearchIndex(path)
  } finally {
    clearInterval(timer)
    progress.end()
  }
}

/** Takes the words of removed texts out of the copy. The database itself is purged by the server, from time to time. */
function purgeSearchIndex(path: string) {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    if (!database.query('SELECT 1 FROM search_state WHERE is_purge_due = 1').get()) return
    database.run('PRAGMA secure_delete = ON')
    database.run("INSERT INTO search_index (search_index) VALUES ('optimize')")
    database.run('UPDATE search_state SET is_purge_due = 0')
  } finally {
    database.close()
  }
}

/** How large the copy will be. */
function sizeOf(file: string): number {
  const database = new Database(file, { readonly: true })
  const pragma = (name: string) => Object.values(database.query(`PRAGMA ${name}`).get() as object)[0] as number
  const size = (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  database.close()
  return size
}

async function vacuumInto(from: string, to: string): Promise<void> {
  const address = URL.createObjectURL(new Blob([VACUUM], { type: 'text/javascript' }))
  const worker = new Worker(address)
  try {
    const { error } = await new Promise<{ error?: { code: string; message: string } }>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage({ from, to })
    })
    if (error) throw translateError(Object.assign(new Error(error.message), { code: error.code }), to)
  } finally {
    worker.terminate()
    URL.revokeObjectURL(address)
  }
}

/** Damage is the source's; anything else is that of the file that is written. */
function translateError(error: Error & { code: string }, to: string): unknown {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(error.code) ? sqliteProblem(error) : sqliteStartProblem(error, to)
}

/** Few enough that so many of the largest posts fit into memory. */
const MAX_BATCH_ROWS = 250

/** Copies table by table out of one snapshot into a SQLite database that the same migrations have made. */
async function dumpPostgres(engine: Engine, path: string, openProgress: OpenProgress): Promise<void> {
  const target = openSqlite(path)
  try {
    await engine.snapshot(async (source) => {
      const version = await findVersion(source)
      await target.migrate(async (db) => {
        await migrateTo(db, version, 0)
        // They keep the times of the source.
        await db.wire.execute('DELETE FROM schema_migrations', [])
      })
      const tables = await tablesOfBoth(source, path)
      const counts = await countRows(source, tables)
      const progress = openProgress('rows', sum(counts))
      let done = 0
      const report = (rows: number) => {
        done += rows
        progress.report(done)
      }
      try {
        await target.migrate(async (db) => {
          for (const table of tables) await copyTable(source, db, table, report)
          await beginBuild(db)
        })
      } finally {
        progress.end()
      }
      await target.read((db) => expectCounts(db as Db, tables, counts))
    })
  } finally {
    await target.close()
  }
}

async function tablesOfBoth(source: Db, path: string): Promise<TableShape[]> {
  const there = await listPostgresTables(source)
  const database = new Database(path, { readonly: true })
  try {
    return listTables(database).filter(({ name }) => there.includes(name))
  } finally {
    database.close()
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)

async function countRows(db: Db, tables: readonly TableShape[]): Promise<number[]> {
  const counts: number[] = []
  for (const { name } of tables) {
    const { rows } = await db.wire.execute(`SELECT count(*) AS count FROM ${quoted(name)}`, [])
    counts.push((rows[0] as { count: number }).count)
  }
  return counts
}

async function expectCounts(db: Db, tables: readonly TableShape[], counts: readonly number[]) {
  const copied = await countRows(db, tables)
  const wrong = tables.filter((_, at) => copied[at] !== counts[at]).map(({ name }) => name)
  if (wrong.length > 0) throw new Error(`Not all rows were copied of: ${wrong.join(', ')}.`)
}

async function copyTable(
  source: Db,
  target: Db,
  { name, columns, hasKeys }: TableShape,
  report: (rows: number) => void,
) {
  const cursor = quoted(`backup_${name}`)
  const order = hasKeys ? ' ORDER BY key' : ''
  const insert = `INSERT INTO ${quoted(name)} (${quotedList(columns)}) VALUES (${columns.map(() => '?').join(', ')})`
  await source.wire.execute(
    `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${quotedList(columns)} FROM ${quoted(name)}${order}`,
    [],
  )
  for (;;) {
    const { rows } = await source.wire.execute(`FETCH ${MAX_BATCH_ROWS} FROM ${cursor}`, [])
    if (rows.length === 0) break
    for (const row of rows as Record<string, unknown>[])
      await target.wire.execute(
        insert,
        columns.map((column) => row[column]),
      )
    report(rows.length)
  }
  await source.wire.execute(`CLOSE ${cursor}`, [])
  if (hasKeys) await copyLastKey(source, target, name)
}

/** The keys of what was deleted are not given out again. */
async function copyLastKey(source: Db, target: Db, table: string) {
  const { rows } = await source.wire.execute(
    'SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass) AS last',
    [quoted(table), 'key'],
  )
  const { last } = rows[0] as { last: number | null }
  if (last === null) return
  await target.wire.execute('DELETE FROM sqlite_sequence WHERE name = ?', [table])
  await target.wire.execute('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, last])
}
