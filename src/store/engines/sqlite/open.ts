import { Database, type Statement } from 'bun:sqlite'
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openLruMap } from '../../../domain/caches'
import { StartError } from '../../../domain/start-error'
import { openDamageReport } from '../damage'
import { Db, type Wire } from '../db'
import { sqliteDialect } from '../dialect'
import { type Engine, type EngineOptions, isBoolean, newStatements, type OnStatement } from '../engine'
import { SEARCH_WORDS } from '../search/sqlite-words'
import { walIndexVersion } from '../wal-index'
import { sqliteProblem, sqliteStartProblem } from './errors'
import { openSqliteProcesses } from './process'
import { sqliteSyntax } from './syntax'
import { MAX_GROUP, openSqliteWrites } from './writes'

/** How soon a change by another process is noticed. */
const WATCH_MS = 25
const MAX_READERS = 16
/** Prepared on each connection. */
const MAX_STATEMENTS = 500
/** Processes for reads that can take long. More of them would leave no core for anything else on small machines. */
const MAX_LONG_READS = 2
/** Of each connection: a larger one saves next to nothing where the file is in the memory of the system. */
const CACHE_KB = 16_384

/** SQLite in one file: WAL, every commit on disk before it is acknowledged, readers beside one writer. */
export function openSqlite(path: string, options: EngineOptions = {}): Engine {
  const statements = newStatements()
  const onStatement = options.onStatement ?? (() => {})
  const damage = openDamageReport(options.onDamage)
  const open: Database[] = []
  const connect = (readonly: boolean) => {
    const database = openFile(path, readonly)
    open.push(database)
    return database
  }
  const dbOver = (database: Database) => {
    const wire = wireOver(database, onStatement)
    return new Db(wire, sqliteSyntax, statements, sqliteDialect(wire))
  }

  const writer = connect(false)
  const commits = openSqliteWrites(writer, dbOver(writer), {
    onStatement,
    maxGroup: options.maxGroup,
    onCommit: options.onCommit,
    openGroup: options.openGroup,
    translate: (error) => damage.pass(sqliteProblem(error)),
  })
  const watch = connect(true).query<{ data_version: number }, []>('PRAGMA data_version')
  const queryVersion = () => watch.get()!.data_version
  let failures = 0
  /** If the query fails, a number that was never used: then nothing that was cached is valid. */
  const readVersion = () => {
    try {
      return queryVersion()
    } catch {
      return --failures
    }
  }
  readVersion()
  let version = walIndexVersion(path) ?? readVersion
  const processes = openSqliteProcesses({ path, setup: [...settingsOf(true), SEARCH_WORDS], statements, onStatement })
  const idle: ReturnType<typeof newReader>[] = []
  const waiting: ((reader: ReturnType<typeof newReader>) => void)[] = []
  let readers = 0

  return {
    kind: 'sqlite',
    location: path,
    syntax: sqliteSyntax,
    usefulConcurrency: MAX_GROUP,
    read,
    readSnapshot: read,
    snapshot: read,
    maxLongReads: MAX_LONG_READS,
    async readWithin(milliseconds, work) {
      try {
        return await processes.readWithin(milliseconds, work)
      } catch (error) {
        throw damage.pass(sqliteProblem(error))
      }
    },
    write: commits.write,
    writeAlone: (work) => commits.write(work, undefined, true),
    async migrate(work) {
      try {
        return await commits.runAlone(work)
      } catch (error) {
        throw sqliteStartProblem(error, path)
      }
    },
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
    // Other processes notice the change in the file.
    notify() {},
    usage: () => ({
      connections: { max: MAX_READERS, busy: readers - idle.length, idle: idle.length },
      waiting: { connection: waiting.length, commit: commits.waiting() },
    }),
    size: async () => sizeOf(path) + sizeOf(`${path}-wal`),
    async ping() {
      damage.refuse()
      try {
        queryVersion()
      } catch (error) {
        throw damage.pass(sqliteProblem(error))
      }
    },
    async close() {
      version = readVersion
      await commits.close()
      await processes.close()
      // The writer last: only it can fold the WAL into the file and take it away.
      for (const database of open.reverse()) database.close(true)
    },
  }

  async function read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const reader = idle.pop() ?? (await freeReader())
    try {
      // One snapshot for all that is read, so that a count and its page agree.
      reader.begin.run()
      return await work(reader.db)
    } catch (error) {
      throw damage.pass(sqliteProblem(error))
    } finally {
      endSnapshot(reader)
      const next = waiting.shift()
      if (next) next(reader)
      else idle.push(reader)
    }
  }

  /** Waits if all readers are busy: more connections cost memory and make one thread no faster. */
  function freeReader(): ReturnType<typeof newReader> | Promise<ReturnType<typeof newReader>> {
    if (readers >= MAX_READERS) return new Promise((resolve) => waiting.push(resolve))
    readers += 1
    return newReader()
  }

  function newReader() {
    const database = connect(true)
    return { database, db: dbOver(database), begin: database.query('BEGIN'), commit: database.query('COMMIT') }
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Ends the snapshot also after an error: the reader is used again. */
function endSnapshot({ database, commit }: { database: Database; commit: Statement }) {
  try {
    if (database.inTransaction) commit.run()
  } catch {
    // In a damaged database COMMIT fails too. The transaction has to end nevertheless.
    if (database.inTransaction) database.run('ROLLBACK')
  }
}

interface PreparedStatement {
  statement: Statement
  isQuery: boolean
  /** Its boolean columns. */
  booleans: string[]
}

function wireOver(database: Database, onStatement: OnStatement): Wire {
  const prepared = openLruMap<string, PreparedStatement>(MAX_STATEMENTS, ({ statement }) => statement.finalize())
  const prepare = (sql: string): PreparedStatement => {
    const statement = database.prepare(sql)
    const { columnNames } = statement
    return { statement, isQuery: columnNames.length > 0, booleans: columnNames.filter(isBoolean) }
  }
  return {
    async execute(sql, values) {
      onStatement(sql, values)
      const { statement, isQuery, booleans } = prepared.getOrInsert(sql, prepare)
      // Booleans among the values are bound as 1 and 0.
      if (!isQuery) return { rows: [], changes: statement.run(...(values as [])).changes }
      const rows = statement.all(...(values as [])) as Record<string, unknown>[]
      for (const column of booleans) for (const row of rows) if (row[column] !== null) row[column] = row[column] === 1
      return { rows, changes: rows.length }
    },
  }
}

const settingsOf = (readonly: boolean) => [
  // `beginWhenFree` waits for other processes. SQLite itself would block the thread, and so all reads.
  `PRAGMA busy_timeout = ${readonly ? 1000 : 0}`,
  `PRAGMA cache_size = -${CACHE_KB}`,
  // Not mapped into memory: a file that is cut off, or a disk that fails, would end the process with a signal.
  'PRAGMA mmap_size = 0',
  'PRAGMA temp_store = MEMORY',
]

function openFile(path: string, readonly: boolean): Database {
  try {
    if (!readonly) prepareFolder(path)
    const database = new Database(path, { readonly, create: !readonly, readwrite: !readonly })
    if (!readonly) {
      database.run('PRAGMA busy_timeout = 5000')
      database.run('PRAGMA journal_mode = WAL')
      database.run('PRAGMA synchronous = FULL')
      database.run('PRAGMA foreign_keys = ON')
      // Overwrites deleted content, which would otherwise stay in the free space of the file.
      database.run('PRAGMA secure_delete = ON')
    }
    for (const setting of settingsOf(readonly)) database.run(setting)
    return database
  } catch (error) {
    const problem = sqliteStartProblem(error, path)
    throw problem instanceof StartError
      ? problem
      : new StartError(`Cannot use the database ${path}: ${(error as Error).message}.`)
  }
}

function prepareFolder(path: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  accessSync(dirname(path), constants.W_OK)
  if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
  // SQLite would make it readable for everyone. What it makes beside it gets the same mode.
  else closeSync(openSync(path, 'a', 0o600))
}
