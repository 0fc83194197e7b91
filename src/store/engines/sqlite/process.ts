import { dirname } from 'node:path'
import { Db, type Statements } from '../db'
import { sqliteDialect } from '../dialect'
import { isBoolean, type OnStatement, OutOfTime } from '../engine'
import { unavailable } from '../write-queue'
import script from './sqlite-reader.js' with { type: 'text' }
import { sqliteSyntax } from './syntax'

/** After so long without work a process ends. Starting one takes some 30 milliseconds. */
const IDLE_MS = 5 * 60 * 1000

/** How long a process may take to start. */
const START_MS = 10_000

interface Options {
  path: string
  /** Statements that every connection begins with. */
  setup: readonly string[]
  statements: Statements
  onStatement: OnStatement
}

const interrupted = () => unavailable('The search was interrupted. Try again.')

type Row = Record<string, unknown>
/** Rows as JSON. A long reply comes in parts. */
type Reply = { part: string } | { rows: string } | { error: { code: string; message: string } }
type Reader = ReturnType<typeof startReader>

/**
 * Reads in processes of their own. SQLite runs a statement in the thread that calls it, and Bun can neither interrupt it nor end
 * a thread in the middle of one; a process can be killed at any time, and its locks are released.
 */
export function openSqliteProcesses(options: Options) {
  const idle: Reader[] = []
  const all = new Set<Reader>()

  function start(): Reader {
    const reader = startReader(options, () => {
      all.delete(reader)
      if (idle.includes(reader)) idle.splice(idle.indexOf(reader), 1)
    })
    all.add(reader)
    return reader
  }

  return {
    /** Runs the work in one snapshot. When the time is over its process is killed, and its further queries fail. */
    async readWithin<T>(milliseconds: number, work: (db: Db) => Promise<T>): Promise<T> {
      const reader = idle.pop() ?? start()
      let timer = setTimeout(() => reader.kill(interrupted()), START_MS)
      try {
        await reader.begin()
        clearTimeout(timer)
        timer = setTimeout(() => reader.kill(new OutOfTime()), milliseconds)
        return await work(reader.db)
      } finally {
        clearTimeout(timer)
        if (reader.end()) idle.push(reader)
      }
    },
    async close() {
      await Promise.all(Array.from(all, (reader) => reader.kill(unavailable('The server is stopping.'))))
    },
  }
}

function startReader({ path, setup, statements, onStatement }: Options, onExit: () => void) {
  /** Replies come in the order of the messages. */
  const waiting: { resolve(rows: Row[]): void; reject(error: unknown): void }[] = []
  const parts: Row[][] = []
  let failure: Error | undefined
  let idle: ReturnType<typeof setTimeout> | undefined

  const process_ = spawnReader(path, (reply) => {
    if ('part' in reply) return void parts.push(JSON.parse(reply.part))
    // There is none if the reply came just when the process was killed.
    const next = waiting.shift()
    // Also if it failed in the middle: the rows of one search must never be those of another.
    const before = parts.splice(0)
    if ('rows' in reply) next?.resolve([...before, JSON.parse(reply.rows)].flat())
    else next?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }))
  })
  process_.unref()
  const exited = process_.exited.then(() => fail(interrupted()))

  function fail(error: Error) {
    failure ??= error
    clearTimeout(idle)
    onExit()
    for (const { reject } of waiting.splice(0)) reject(failure)
  }

  function kill(error: Error): Promise<void> {
    fail(error)
    process_.kill('SIGKILL')
    return exited
  }

  function send(message: object): Promise<Row[]> {
    if (failure) return Promise.reject(failure)
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>()
    waiting.push({ resolve, reject })
    try {
      process_.send(message)
    } catch {
      // It has just exited.
      fail(interrupted())
    }
    return promise
  }

  const wire = {
    async execute(sql: string, values: readonly unknown[]) {
      onStatement(sql, values)
      const rows = await send({ sql, values })
      const booleans = Object.keys(rows[0] ?? {}).filter(isBoolean)
      for (const column of booleans) for (const row of rows) if (row[column] !== null) row[column] = row[column] === 1
      return { rows, changes: rows.length }
    },
  }
  const opening = send({ path, setup })
  opening.catch(kill)

  return {
    db: new Db(wire, sqliteSyntax, statements, sqliteDialect(wire)),
    kill,
    async begin() {
      clearTimeout(idle)
      await opening
      send({ sql: 'BEGIN', values: [] }).catch(kill)
    },
    /** Whether it can be used again. */
    end(): boolean {
      if (failure) return false
      send({ sql: 'ROLLBACK', values: [] }).catch(() => {})
      idle = setTimeout(() => void kill(interrupted()), IDLE_MS)
      idle.unref()
      return true
    },
  }
}

/** This starts Bun itself, even if this program is a compiled executable. The process gets no settings, so it knows no secrets. */
function spawnReader(path: string, onReply: (reply: Reply) => void) {
  try {
    return Bun.spawn([process.execPath, '--smol', '--no-env-file', '-e', script], {
      cwd: dirname(path),
      env: { BUN_BE_BUN: '1' },
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'advanced',
      ipc: onReply,
    })
  } catch (error) {
    throw unavailable(`Searches need a process of their own, which cannot be started: ${(error as Error).message}.`)
  }
}
