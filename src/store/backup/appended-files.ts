import { Database } from 'bun:sqlite'
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { StartError } from '../../domain/start-error'
import { FILES_TABLE, hasTable } from './tables'

/**
 * The bytes of uploaded files come after the database in the same file. SQLite ignores what comes after its last page, so a restore
 * can copy the database alone, and reads each object once. Then come the checksums of everything before them; the last bytes of the
 * file, the trailer, say where each begins. Older backups have no checksums, and a trailer only if they contain files.
 */
const MAGIC = 'Parley backup 2\n'
const OLD_MAGIC = 'Parley files 1\n\0'
const DIGEST_BYTES = 32
const HEAD_BYTES = MAGIC.length + 8 + 8
const TRAILER_BYTES = HEAD_BYTES + DIGEST_BYTES
const OLD_TRAILER_BYTES = OLD_MAGIC.length + 8
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

/** Where the parts of a backup are. */
export interface Layout {
  databaseBytes: number
  /** Where the checksums begin and end, and their own checksum; undefined in older backups. */
  checksums: { start: number; end: number; head: Uint8Array; digest: Uint8Array } | undefined
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

/** Writes into a finished dump the list of objects that will be appended: the ones that `choose` returns from all that the database names. */
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
  hasAppended(database)
    ? (database.query<{ bytes: number | null }, []>(`SELECT sum(size) AS bytes FROM ${FILES_TABLE}`).get()?.bytes ?? 0)
    : 0

/** The last bytes of a backup, without the checksum of the list of checksums and of these bytes, which comes last. */
export function trailerHead(databaseBytes: number, checksumsStart: number): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(MAGIC, 'latin1')
  head.writeBigUInt64BE(BigInt(databaseBytes), MAGIC.length)
  head.writeBigUInt64BE(BigInt(checksumsStart), MAGIC.length + 8)
  return head
}

/** Where the parts of a backup are, as its last bytes say. A file without a trailer is a database and nothing else. */
export function layoutOf(path: string): Layout {
  const { size, trailer } = readEnd(path, TRAILER_BYTES)
  const end = size - TRAILER_BYTES
  const [databaseBytes, start] = [MAGIC.length, MAGIC.length + 8].map((at) => readLength(trailer, at)) as [
    number,
    number,
  ]
  if (trailer.toString('latin1', 0, MAGIC.length) === MAGIC && databaseBytes <= start && start <= end)
    return {
      databaseBytes,
      checksums: { start, end, head: trailer.subarray(0, HEAD_BYTES), digest: trailer.subarray(HEAD_BYTES) },
    }

  const old = trailer.subarray(TRAILER_BYTES - OLD_TRAILER_BYTES)
  const oldDatabaseBytes = readLength(old, OLD_MAGIC.length)
  const isOld =
    old.toString('latin1', 0, OLD_MAGIC.length) === OLD_MAGIC && oldDatabaseBytes <= size - OLD_TRAILER_BYTES
  return { databaseBytes: isOld ? oldDatabaseBytes : size, checksums: undefined }
}

const readLength = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64BE(at))

/** The last bytes of a file, after zeros if it is shorter. */
function readEnd(path: string, length: number): { size: number; trailer: Buffer } {
  const handle = openSync(path, 'r')
  try {
    const { size } = fstatSync(handle)
    const trailer = Buffer.alloc(length)
    const there = Math.min(size, length)
    readSync(handle, trailer, length - there, there, size - there)
    return { size, trailer }
  } finally {
    closeSync(handle)
  }
}

/** Refuses an older backup whose last bytes are missing, for example because it was not copied completely. */
export function refuseTruncated(database: Database, path: string) {
  const { databaseBytes, checksums } = layoutOf(path)
  if (!checksums && statSync(path).size !== databaseBytes + appendedBytes(database) + OLD_TRAILER_BYTES)
    throw new StartError(`The backup ${path} is incomplete: some of its uploaded files are cut off. Use another one.`)
}

/** The names of the files that have the bytes of an object, to be printed: they may contain control sequences of terminals. */
export const fileNamesOf = (database: Database, object: string): string[] =>
  database
    .query<{ name: string }, [string]>(
      'SELECT f.name FROM files AS f JOIN blobs AS b ON b.key = f.blob_key WHERE b.object = ? LIMIT 5',
    )
    .all(object)
    .map(({ name }) => name.replace(/\p{C}/gu, '?'))
