import { Database, type Statement } from 'bun:sqlite'
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Db, type Wire } from '../db'
import { sqliteDialect } from './dialect'
import { type Engine, type EngineOptions, newStatements, type OnStatement } from './engine'
import { LARGEST_GROUP, openGroupCommit } from './group-commit'
import { sqliteProblem } from './sqlite-errors'
import { sqliteFlavour } from './sqlite-flavour'
import { StartError } from './start-error'
import { walIndexVersion } from './wal-index'

/** How soon a change by another process is noticed. */
const WATCH_MS = 25
const MOST_READERS = 16

/** SQLite in one file: WAL, every commit on disk before it is acknowledged, readers beside one writer. */
export function openSqlite(path: string, options: EngineOptions = {}): Engine {
  const statements = newStatements()
  const onStatement = options.onStatement ?? (() => {})
  const open: Database[] = []
  const connect = (readonly: boolean) => {
    const database = openFile(path, readonly)
    open.push(database)
    return database
  }
  const dbOver = (database: Database) => {
    const wire = wireOver(database, onStatement)
    return new Db(wire, sqliteFlavour, statements, sqliteDialect(wire))
  }

  const writer = connect(false)
  const commits = openGroupCommit(writer, dbOver(writer), onStatement, options)
  const watch = connect(true).query<{ data_version: number }, []>('PRAGMA data_version')
  const asked = () => watch.get()!.data_version
  asked()
  let version = walIndexVersion(path) ?? asked
  const idle: ReturnType<typeof newReader>[] = []
  const waiting: ((reader: ReturnType<typeof newReader>) => void)[] = []
  let readers = 0

  return {
    kind: 'sqlite',
    location: path,
    flavour: sqliteFlavour,
    enoughAtOnce: LARGEST_GROUP,
    async read(work) {
      const reader = idle.pop() ?? (await freeReader())
      try {
        // One snapshot for all that is read, so that a count and its page agree.
        reader.begin.run()
        return await work(reader.db)
      } catch (error) {
        throw sqliteProblem(error)
      } finally {
        if (reader.database.inTransaction) reader.commit.run()
        const next = waiting.shift()
        if (next) next(reader)
        else idle.push(reader)
      }
    },
    write: commits.write,
    migrate: commits.alone,
    version: () => version(),
    watch(onChange) {
      let seen = version()
      const timer = setInterval(() => {
        const now = version()
        if (now !== seen) onChange()
        seen = now
      }, WATCH_MS)
      return () => clearInterval(timer)
    },
    // The file itself tells the other processes.
    notify() {},
    usage: () => ({
      connections: { max: MOST_READERS, busy: readers - idle.length, idle: idle.length },
      waiting: { connection: waiting.length, commit: commits.waiting() },
    }),
    size: async () => sizeOf(path) + sizeOf(`${path}-wal`),
    async ping() {
      asked()
    },
    async close() {
      version = asked
      await commits.close()
      // The writer last: only it can fold the WAL into the file and take it away.
      for (const database of open.reverse()) database.close()
    },
  }

  /** Reads take turns: more connections than this cost memory, and none makes one thread faster. */
  function freeReader(): ReturnType<typeof newReader> | Promise<ReturnType<typeof newReader>> {
    if (readers >= MOST_READERS) return new Promise((resolve) => waiting.push(resolve))
    readers += 1
    return newReader()
  }

  function newReader() {
    const database = connect(true)
    return { database, db: dbOver(database), begin: database.query('BEGIN'), commit: database.query('COMMIT') }
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function wireOver(database: Database, onStatement: OnStatement): Wire {
  const prepared = new Map<string, { statement: Statement; isQuery: boolean }>()
  const prepare = (sql: string) => {
    const statement = database.query(sql)
    return { statement, isQuery: statement.columnNames.length > 0 }
  }
  return {
    async execute(sql, values) {
      onStatement(sql, values)
      const { statement, isQuery } = prepared.getOrInsertComputed(sql, prepare)
      if (!isQuery) return { rows: [], changes: statement.run(...(values as [])).changes }
      const rows = statement.all(...(values as [])) as unknown[]
      return { rows, changes: rows.length }
    },
  }
}

function openFile(path: string, readonly: boolean): Database {
  try {
    if (!readonly) prepareFolder(path)
    const database = new Database(path, { readonly, create: !readonly, readwrite: !readonly })
    if (!readonly) {
      database.run('PRAGMA busy_timeout = 5000')
      database.run('PRAGMA journal_mode = WAL')
      database.run('PRAGMA synchronous = FULL')
      database.run('PRAGMA foreign_keys = ON')
      // What is deleted is overwritten, and does not stay in the free space of the file.
      database.run('PRAGMA secure_delete = ON')
    }
    // Waiting for another process is the group commit's to do, without holding up the reads.
    database.run(`PRAGMA busy_timeout = ${readonly ? 1000 : 0}`)
    database.run('PRAGMA cache_size = -65536')
    database.run('PRAGMA mmap_size = 1073741824')
    database.run('PRAGMA temp_store = MEMORY')
    return database
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

function prepareFolder(path: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  accessSync(dirname(path), constants.W_OK)
  if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
  // SQLite would make it readable for everyone. What it makes beside it gets the same mode.
  else closeSync(openSync(path, 'a', 0o600))
}

function cannotOpen(path: string, error: unknown): StartError {
  const { code, message } = error as { code?: string; message: string }
  const why: Record<string, string> = {
    SQLITE_BUSY: 'another program holds a lock on it',
    SQLITE_NOTADB: 'it is not a SQLite database',
    SQLITE_CORRUPT: 'it is damaged; restore a backup',
    SQLITE_READONLY: 'it is read-only; Parley must be able to write the file and its folder',
    SQLITE_CANTOPEN: 'it cannot be opened; check the path and its permissions',
    EACCES: 'there is no permission to write the file or its folder',
    EROFS: 'the file system is read-only',
    ENOENT: 'the folder cannot be made; check the path',
    ENOTDIR: 'part of the path is a file, not a folder',
    EEXIST: 'part of the path is a file, not a folder',
  }
  return new StartError(`Cannot use the database ${path}: ${why[code ?? ''] ?? message}.`)
}
