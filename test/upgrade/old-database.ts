import { Database } from 'bun:sqlite'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyBackup } from '../../src/store/backup/copy'
import { FILES_TABLE, findLastKeys, INFO_TABLE, listTables, quoted, quotedList } from '../../src/store/backup/tables'
import type { Db } from '../../src/store/engines/db'
import { noProgress } from '../../src/store/engines/engine'
import { openEngine } from '../../src/store/open'
import { migrateTo, oldestVersion } from '../../src/store/schema/migrations'
import { beginBuild } from '../../src/store/search/build'
import { engineUnderTest, newDatabase } from '../server'
import type { Answers } from './answers'

const unpack = (name: string) => Bun.zstdDecompressSync(readFileSync(join(import.meta.dir, name)))

interface Recorded {
  /** When it was asked. */
  now: number
  /** The names of the callers; see `tokenOf`. */
  callers: string[]
  /** How many rows each table has. */
  rows: Record<string, number>
  answers: Answers
}

/** What the API of 0.2.0 answered. `make.ts` has made it, and the backup. */
export const readRecorded = (): Recorded => JSON.parse(unpack('0.2.0.json.zst').toString())

/** Writes the backup that 0.2.0 has made. */
export const writeOldBackup = (path: string) => writeFileSync(path, unpack('0.2.0.backup.zst'))

/** A database as 0.2.0 left it, of the engine under test. */
export async function newOldDatabase() {
  const database = await newDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'parley-old-'))
  const drop = async () => {
    rmSync(folder, { recursive: true })
    await database.drop()
  }
  const backup = join(folder, 'backup')
  const file = engineUnderTest === 'sqlite' ? database.url.slice('sqlite:'.length) : join(folder, 'parley.db')
  writeOldBackup(backup)
  await copyBackup(backup, file, noProgress)
  const copy = new Database(file)
  for (const table of [INFO_TABLE, FILES_TABLE]) copy.run(`DROP TABLE ${table}`)
  if (engineUnderTest === 'postgres') await loadAll(database.url, copy)
  copy.close()
  return { url: database.url, drop }
}

async function loadAll(url: string, source: Database) {
  const engine = openEngine(url)
  await engine.migrate(async (db) => {
    await migrateTo(db, oldestVersion, 0)
    for (const statement of oldNames) await db.wire.execute(statement, [])
    await db.wire.execute('DELETE FROM schema_migrations', [])
    await loadTables(db, source)
    await beginBuild(db)
  })
  await engine.close()
}

async function loadTables(db: Db, source: Database) {
  const last = findLastKeys(source)
  for (const { name, columns, hasKeys } of listTables(source)) {
    const rows = source.query(`SELECT ${quotedList(columns)} FROM ${quoted(name)}`).all()
    await db.wire.execute(
      `INSERT INTO ${quoted(name)} SELECT (json_populate_record(NULL::${quoted(name)}, value)).*
        FROM json_array_elements($1::text::json)`,
      [JSON.stringify(rows)],
    )
    const next = (last.get(name) ?? 0) + 1
    if (hasKeys) await db.wire.execute(`ALTER TABLE ${quoted(name)} ALTER COLUMN key RESTART WITH ${next}`, [])
  }
}

/** The migrations up to 0.2.0 copied some tables, so that PostgreSQL has given them other names than the baseline. */
const copied: Record<string, readonly string[]> = {
  posts: ['pkey', 'author_key_fkey', 'channel_key_fkey', 'workspace_key_fkey'],
  comments: ['pkey', 'author_key_fkey'],
  messages: ['pkey', 'author_key_fkey', 'thread_key_fkey'],
  passwords: ['pkey', 'user_key_fkey'],
  sign_in_links: ['pkey', 'author_key_fkey'],
}
const recreated: Record<string, readonly string[]> = {
  account_links: ['pkey', 'author_key_fkey', 'user_key_fkey'],
  pictures: ['pkey', 'author_key_fkey', 'blob_key_fkey'],
  workspace_icons: ['pkey', 'name_key', 'blob_key_fkey', 'workspace_key_fkey'],
}
const rename = (tables: Record<string, readonly string[]>, newName: (name: string) => string) =>
  Object.entries(tables).flatMap(([table, constraints]) =>
    constraints.map((each) => {
      const name = `${table}_${each}`
      return `ALTER TABLE ${table} RENAME CONSTRAINT ${name} TO ${newName(name)}`
    }),
  )
const oldNames = [
  ...rename(copied, (name) => `${name}1`),
  ...rename(recreated, (name) => `new_${name}`),
  ...['posts', 'comments', 'messages'].map((each) => `ALTER SEQUENCE ${each}_key_seq RENAME TO ${each}_key_seq1`),
  'ALTER SEQUENCE account_links_key_seq RENAME TO new_account_links_key_seq',
]
