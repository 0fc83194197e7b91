import type { Database } from 'bun:sqlite'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { MEGABYTE } from '../../domain/files'
import { StartError } from '../../domain/start-error'
import type { OpenProgress } from '../engines/engine'
import { appendedBytes, appendedFiles, fileNamesOf, type Layout, layoutOf, trailerHead } from './appended-files'
import { FORMAT, findFormat, openBackup } from './file'
import { INFO_TABLE } from './tables'

/** How much is read at once. */
const CHUNK = MEGABYTE
/** The list of checksums is written and read in pieces of this size. */
const LIST_CHUNK = 64 * 1024
const LINE = /^([0-9a-f]{64}) (\d{1,15}) ([a-z-]+) ([!-~]*)$/
/** How many damaged parts are named. */
const MAX_NAMED = 20
const CHECKSUMS = 'its checksums, which are the last bytes of the file. It was cut off, extended or changed'

/** What the bytes of a part are for; `broken` is an uploaded file that was damaged in the storage already. */
const partTypes = ['header', 'table', 'index', 'unused', 'database', 'file', 'broken'] as const
type PartType = (typeof partTypes)[number]

/** Consecutive bytes of a backup that are for one thing, such as pages of one table. */
interface Part {
  kind: PartType
  /** Of the table, or of the object of an uploaded file. */
  name: string
  bytes: number
}

export interface Verified {
  /** False for backups of older versions and plain copies of a database: whether these are damaged cannot be checked. */
  hasChecksums: boolean
  /** How many of its uploaded files were damaged in the storage when the backup was made. */
  broken: number
}

/**
 * Appends a checksum of every part of a finished backup, of all bytes from the first on, and the trailer. Reads back what was
 * written. Returns how many uploaded files do not have the hash that the database knows.
 */
export async function addChecksums(path: string, openProgress: OpenProgress): Promise<number> {
  const database = openBackup(path)
  const handle = openSync(path, 'r+')
  try {
    const { size } = fstatSync(handle)
    const databaseBytes = size - appendedBytes(database)
    const list = openList(handle, size)
    const digests = digestParts(handle, partsOf(database, databaseBytes), { size, openProgress })
    let broken = 0
    for await (const { part, digest } of digests) {
      const isBroken = 'hash' in part && part.hash !== digest
      if (isBroken) broken += 1
      list.add(`${digest} ${part.bytes} ${isBroken ? 'broken' : part.kind} ${encodeURI(part.name)}\n`)
    }
    list.end(trailerHead(databaseBytes, size))
    fsyncSync(handle)
    return broken
  } finally {
    closeSync(handle)
    database.close()
  }
}

/** Compares every byte of a backup with its checksum, and throws if any differs. The message says what is damaged. */
export async function verifyBackup(path: string, openProgress: OpenProgress): Promise<Verified> {
  const { checksums } = layoutOf(path)
  if (checksums) return verifyParts(path, checksums, openProgress)
  if (findFormat(path) === FORMAT) throw damaged(path, [CHECKSUMS])
  return { hasChecksums: false, broken: 0 }
}

type Checksums = NonNullable<Layout['checksums']>

async function verifyParts(path: string, checksums: Checksums, openProgress: OpenProgress): Promise<Verified> {
  const handle = openSync(path, 'r')
  const damage = new Map<string, Part>()
  let more = 0
  let broken = 0
  let end = 0
  try {
    if (!isListSound(handle, checksums)) throw damaged(path, [CHECKSUMS])
    const digests = digestParts(handle, listedParts(handle, checksums), { size: checksums.start, openProgress })
    for await (const { part, digest } of digests) {
      end += part.bytes
      if (part.kind === 'broken') broken += 1
      if (digest === part.digest || damage.has(`${part.kind} ${part.name}`)) continue
      if (damage.size < MAX_NAMED) damage.set(`${part.kind} ${part.name}`, part)
      else more += 1
    }
  } finally {
    closeSync(handle)
  }
  if (damage.size > 0) throw damaged(path, describe(path, [...damage.values()]), more)
  if (end !== checksums.start) throw damaged(path, [CHECKSUMS])
  return { hasChecksums: true, broken }
}

function damaged(path: string, parts: readonly string[], more = 0): StartError {
  const named = [...parts, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return new StartError(`The backup ${path} is damaged: ${named}. Use another one.`)
}

/** Reads the parts one after the other, each in chunks. */
async function* digestParts<Each extends Part>(
  handle: number,
  parts: Iterable<Each>,
  { size, openProgress }: { size: number; openProgress: OpenProgress },
): AsyncGenerator<{ part: Each; digest: string }> {
  const progress = openProgress('MB checked', size / MEGABYTE)
  const buffer = Buffer.alloc(CHUNK)
  let position = 0
  let pause = CHUNK
  try {
    for (const part of parts) {
      const hash = new Bun.CryptoHasher('sha256')
      for (const end = position + part.bytes; position < end; ) {
        const read = readSync(handle, buffer, 0, Math.min(CHUNK, end - position), position)
        if (read === 0) break
        hash.update(buffer.subarray(0, read))
        position += read
        if (position < pause) continue
        pause = position + CHUNK
        progress.report(position / MEGABYTE)
        await Bun.sleep(0)
      }
      yield { part, digest: hash.digest('hex') }
    }
  } finally {
    progress.end()
  }
}

/** What a backup consists of, from its first byte to its last. */
function* partsOf(database: Database, databaseBytes: number): Generator<Part & { hash?: string }> {
  yield* joinParts(pagesOf(database, databaseBytes))
  for (const { object, size, hash } of appendedFiles(database)) yield { kind: 'file', name: object, bytes: size, hash }
}

/** The pages of a database in their order, each with the table it is for. */
function* pagesOf(database: Database, databaseBytes: number): Generator<Part> {
  const owners = ownersOf(database)
  let position = 0
  for (const { pageno, pgsize, name } of findPages(database)) {
    const start = (pageno - 1) * pgsize
    if (start > position) yield { kind: 'unused', name: '', bytes: start - position }
    yield { ...(owners.get(name) ?? { kind: 'header', name: '' }), bytes: pgsize }
    position = start + pgsize
  }
  if (position < databaseBytes)
    yield { kind: position === 0 ? 'database' : 'unused', name: '', bytes: databaseBytes - position }
}

/** Sorted by SQLite, on disk if there are many. Without the module `dbstat`, the parts of the database have no names. */
const findPages = (database: Database): Iterable<{ pageno: number; pgsize: number; name: string }> =>
  database.query("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'").get()
    ? database
        .query<{ pageno: number; pgsize: number; name: string }, []>(
          'SELECT pageno, pgsize, name FROM dbstat ORDER BY pageno',
        )
        .iterate()
    : []

/** Which table each table and index is for, by its name. */
const ownersOf = (database: Database): Map<string, Pick<Part, 'kind' | 'name'>> =>
  new Map(
    database
      .query<{ name: string; type: PartType; tbl_name: string }, []>('SELECT name, type, tbl_name FROM sqlite_master')
      .all()
      .map(({ name, type, tbl_name }) => [name, { kind: type, name: tbl_name }]),
  )

function* joinParts(parts: Iterable<Part>): Generator<Part> {
  let last: Part | undefined
  for (const part of parts)
    if (last?.kind === part.kind && last.name === part.name) last.bytes += part.bytes
    else {
      if (last) yield last
      last = part
    }
  if (last) yield last
}

/** Writes lines to the end of a file, and the checksum of all of them. */
function openList(handle: number, start: number) {
  const hash = new Bun.CryptoHasher('sha256')
  let position = start
  let lines = ''
  const write = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at, bytes.length - at, position + at)
    position += bytes.length
  }
  const flush = () => {
    hash.update(lines)
    write(Buffer.from(lines, 'latin1'))
    lines = ''
  }
  return {
    add(line: string) {
      lines += line
      if (lines.length > LIST_CHUNK) flush()
    },
    end(head: Uint8Array) {
      flush()
      write(Buffer.concat([head, hash.update(head).digest()]))
    },
  }
}

function isListSound(handle: number, { start, end, head, digest }: Checksums): boolean {
  const hash = new Bun.CryptoHasher('sha256')
  for (const bytes of chunksOf(handle, start, end)) hash.update(bytes)
  return hash.update(head).digest().equals(digest)
}

function* chunksOf(handle: number, start: number, end: number): Generator<Buffer> {
  const buffer = Buffer.alloc(LIST_CHUNK)
  for (let position = start; position < end; ) {
    const read = readSync(handle, buffer, 0, Math.min(LIST_CHUNK, end - position), position)
    if (read === 0) return
    yield buffer.subarray(0, read)
    position += read
  }
}

/** The parts that the list of checksums names. A line that is none ends them, so that they do not reach the end of the content. */
function* listedParts(handle: number, { start, end }: Checksums): Generator<Part & { digest: string }> {
  let rest = ''
  for (const bytes of chunksOf(handle, start, end)) {
    const lines = (rest + bytes.toString('latin1')).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const [, digest, size, kind, name] = line.match(LINE) ?? []
      if (!partTypes.includes(kind as PartType)) return
      yield { digest: digest!, bytes: Number(size), kind: kind as PartType, name: name! }
    }
    if (rest.length > LIST_CHUNK) return
  }
}

/** Names the parts for people. The names of uploaded files are in the database, unless that is damaged. */
function describe(path: string, parts: readonly Part[]): string[] {
  const isFile = ({ kind }: Part) => kind === 'file' || kind === 'broken'
  const database = parts.every(isFile) ? openBackup(path) : undefined
  try {
    return parts.map(({ kind, name }) => {
      if (isFile({ kind, name, bytes: 0 })) return describeFile(name, database ? fileNamesOf(database, name) : [])
      return descriptions[kind as keyof typeof descriptions](name)
    })
  } finally {
    database?.close()
  }
}

const descriptions = {
  header: () => 'the header of the database and its list of tables',
  table: (name: string) =>
    name === INFO_TABLE
      ? `the table ${name}, with the time of the backup and, if it contains one, the secret key`
      : `the table ${name}`,
  index: (name: string) => `an index of the table ${name}`,
  unused: () => 'unused pages of the database',
  database: () => 'the database',
}

const describeFile = (object: string, names: readonly string[]) =>
  names.length > 0
    ? `the uploaded file ${names.map((name) => `“${name}”`).join(' or ')} (object ${object})`
    : `an uploaded file (object ${object})`
