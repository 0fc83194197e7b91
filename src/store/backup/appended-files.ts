import { Database } from 'bun:sqlite'
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { StartError } from '../engines/start-error'
import { FILES_TABLE, hasTable } from './tables'

/**
 * The bytes of uploaded files come after the database in the same file. SQLite ignores what comes after its last page, so a restore
 * can copy the database alone, and reads each object once. The last bytes of the file say where the objects begin.
 */
const MAGIC = 'Parley files 1\n\0'
const TRAILER_BYTES = MAGIC.length + 8
const PAGE = 1_000

/** An object in a backup; `position` counts from the end of the database. */
export interface AppendedFile {
  object: string
  hash: string
  size: number
  position: number
}

/** An object that a copied database names. */
export interface NamedObject {
  object: string
  hash: string
  size: number
}

/** All blobs of a SQLite database, in the order of their objects. */
export const namedObjects = (database: Database): Iterable<NamedObject> =>
  hasTable(database, 'blobs') ? inPages(database, 'blobs', 'object, hash, size') : []

/** The objects that come after the database of a backup, sorted by name. Their bytes have the same order. */
export const appendedFiles = (database: Database): Iterable<AppendedFile> =>
  hasAppended(database) ? inPages(database, FILES_TABLE, 'object, hash, size, position') : []

/** Reads one page of rows at a time, because there may be millions, and others may write to the database in the meantime. */
function* inPages<Row extends { object: string }>(database: Database, table: string, columns: string): Generator<Row> {
  const page = database.query<Row, [string, number]>(
    `SELECT ${columns} FROM ${table} WHERE object > ? ORDER BY object LIMIT ?`,
  )
  let rows: Row[] = []
  do {
    rows = page.all(rows.at(-1)?.object ?? '', PAGE)
    yield* rows
  } while (rows.length === PAGE)
}

/** Writes into a finished dump the list of objects that will be appended: those that `choose` returns from all that the database names. */
export async function listAppended(
  path: string,
  choose: (named: Iterable<NamedObject>) => AsyncIterable<NamedObject>,
): Promise<void> {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    await insertAppended(database, choose(namedObjects(database)))
  } finally {
    database.close()
  }
}

async function insertAppended(database: Database, objects: AsyncIterable<NamedObject>): Promise<void> {
  database.run(`CREATE TABLE ${FILES_TABLE}
    (object TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, position INTEGER NOT NULL) WITHOUT ROWID`)
  const insert = database.query(`INSERT INTO ${FILES_TABLE} (object, hash, size, position) VALUES (?, ?, ?, ?)`)
  let position = 0
  database.run('BEGIN')
  for await (const { object, hash, size } of objects) {
    insert.run(object, hash, size, position)
    position += size
  }
  database.run('COMMIT')
}

export const hasAppended = (database: Database): boolean => hasTable(database, FILES_TABLE)

/** The size of all objects that come after the database. */
export const appendedBytes = (database: Database): number =>
  database.query<{ bytes: number | null }, []>(`SELECT sum(size) AS bytes FROM ${FILES_TABLE}`).get()?.bytes ?? 0

/** The last bytes of a backup with files. */
export function trailerOf(databaseBytes: number): Uint8Array {
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.write(MAGIC, 'latin1')
  trailer.writeBigUInt64BE(BigInt(databaseBytes), MAGIC.length)
  return trailer
}

/** How many bytes of a backup are the database: all of them, unless files come after it. */
export function databaseBytesOf(path: string): number {
  const handle = openSync(path, 'r')
  try {
    const { size } = fstatSync(handle)
    const trailer = Buffer.alloc(TRAILER_BYTES)
    if (size < TRAILER_BYTES) return size
    readSync(handle, trailer, 0, TRAILER_BYTES, size - TRAILER_BYTES)
    if (trailer.toString('latin1', 0, MAGIC.length) !== MAGIC) return size
    const bytes = Number(trailer.readBigUInt64BE(MAGIC.length))
    return bytes <= size - TRAILER_BYTES ? bytes : size
  } finally {
    closeSync(handle)
  }
}

/** Refuses a backup whose last bytes are missing, for example because it was not copied completely. */
export function refuseTruncated(database: Database, path: string) {
  if (statSync(path).size !== databaseBytesOf(path) + appendedBytes(database) + TRAILER_BYTES)
    throw new StartError(`The backup ${path} is incomplete: some of its uploaded files are cut off. Use another one.`)
}

/** The names of the files that have the bytes of an object. */
export const fileNamesOf = (database: Database, object: string): string[] =>
  database
    .query<{ name: string }, [string]>(
      'SELECT f.name FROM files AS f JOIN blobs AS b ON b.key = f.blob_key WHERE b.object = ? LIMIT 5',
    )
    .all(object)
    .map(({ name }) => name)
