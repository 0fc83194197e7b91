import type { Database } from 'bun:sqlite'
import { madeAgain } from '../changes/dependants'
import type { Tables } from '../schema'

export interface TableShape {
  name: string
  /** Without generated columns. */
  columns: readonly string[]
  /** Whether its `key` is handed out by the database, and never twice. */
  hasKeys: boolean
}

/** Where a backup says what it is. */
export const INFO_TABLE = 'backup_info'
/** The table of a backup that lists the files that come after its database. */
export const FILES_TABLE = 'backup_files'
const OF_BACKUPS = [INFO_TABLE, FILES_TABLE]

export const hasTable = (database: Database, table: string): boolean =>
  database.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== null

const ofSearchBuild: readonly (keyof Tables)[] = ['search_state', 'search_days']

/** The search index is built anew from the records. */
export const isMadeAgain = (table: string) => [...madeAgain, ...ofSearchBuild].includes(table)

/**
 * The tables of a SQLite database that hold what people wrote, each after the tables it refers to. Tables that the database makes
 * itself, such as a search index, are left out.
 */
export function listTables(database: Database): TableShape[] {
  const tables = database
    .query<{ name: string; sql: string }, []>(
      `SELECT m.name, m.sql FROM sqlite_master AS m JOIN pragma_table_list AS l ON l.name = m.name AND l.schema = 'main'
        WHERE m.type = 'table' AND l.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name`,
    )
    .all()
    .filter(({ name }) => !OF_BACKUPS.includes(name) && !isMadeAgain(name))
  const shapes = new Map(
    tables.map(({ name, sql }) => [
      name,
      { name, columns: columnsOf(database, name), hasKeys: /\bautoincrement\b/i.test(sql) },
    ]),
  )
  return sortByReferences([...shapes.keys()], (name) => referencesOf(database, name)).map((name) => shapes.get(name)!)
}

const columnsOf = (database: Database, table: string): string[] =>
  database
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .all(table)
    .map(({ name }) => name)

const referencesOf = (database: Database, table: string): string[] =>
  database
    .query<{ name: string }, [string]>('SELECT "table" AS name FROM pragma_foreign_key_list(?)')
    .all(table)
    .map(({ name }) => name)

/** Names, each after the names it refers to. */
function sortByReferences(names: readonly string[], referencesOfName: (name: string) => readonly string[]): string[] {
  const ordered = new Set<string>()
  const visit = (name: string, path: readonly string[]) => {
    if (ordered.has(name) || path.includes(name) || !names.includes(name)) return
    for (const other of referencesOfName(name)) visit(other, [...path, name])
    ordered.add(name)
  }
  for (const name of names) visit(name, [])
  return [...ordered]
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
export const quotedList = (names: readonly string[]) => names.map(quoted).join(', ')

/** The last key that each table has handed out. */
export const findLastKeys = (database: Database): Map<string, number> =>
  new Map(
    database
      .query<{ name: string; seq: number }, []>('SELECT name, seq FROM sqlite_sequence')
      .all()
      .map(({ name, seq }) => [name, seq]),
  )
