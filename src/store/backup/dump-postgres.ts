import { Database } from 'bun:sqlite'
import type { Db } from '../engines/db'
import type { Engine, OpenProgress } from '../engines/engine'
import { listPostgresTables } from '../engines/postgres/syntax'
import { openSqlite } from '../engines/sqlite/open'
import { findVersion } from '../health'
import { migrateTo } from '../schema/migrations'
import { beginBuild } from '../search/build'
import { listTables, quoted, quotedList, type TableShape } from './tables'

/** Few enough that so many of the largest posts fit into memory. */
const MAX_BATCH_ROWS = 250
/** The version of the schema. */
const FIRST_WITH_SEARCH = 13

/** Copies table by table out of one snapshot into a SQLite database that the same migrations have made. */
export async function dumpPostgres(engine: Engine, path: string, openProgress: OpenProgress): Promise<void> {
  const target = openSqlite(path)
  try {
    await engine.snapshot(async (source) => {
      const version = await findVersion(source)
      await target.migrate(async (db) => {
        await migrateTo(db, version, 0)
        // Their times are those of the source.
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
          if (version >= FIRST_WITH_SEARCH) await beginBuild(db)
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
