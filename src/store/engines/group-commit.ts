import type { Database } from 'bun:sqlite'
import type { Db, Writer } from '../db'
import type { EngineOptions, OnStatement } from './engine'
import { isBusy, unavailable } from './sqlite-errors'

export const LARGEST_GROUP = 256
const LONGEST_QUEUE = 10_000
const LOCK_PATIENCE_MS = 5_000

interface Pending {
  work: (db: Writer) => Promise<unknown>
  resolve: (value: never) => void
  reject: (error: unknown) => void
  since: number
}

const steps = ['BEGIN IMMEDIATE', 'SAVEPOINT one_write', 'RELEASE one_write', 'COMMIT', 'ROLLBACK'] as const
type Step = (typeof steps)[number]

type Outcome = { value: unknown } | { error: unknown }

/**
 * One writer for all. Writes that wait together run one after the other, each in a savepoint of its own,
 * and share one commit: a disk flush costs more than a write. All are told after the flush, none before.
 */
export function openGroupCommit(
  database: Database,
  db: Db,
  {
    onStatement,
    largestGroup = LARGEST_GROUP,
    onCommit = () => {},
    translate,
  }: Pick<EngineOptions, 'largestGroup' | 'onCommit'> & {
    onStatement: OnStatement
    /** An error of the database as what the caller is told. */
    translate(error: unknown): unknown
  },
) {
  const queue: Pending[] = []
  let running: Promise<void> | undefined
  let closed = false

  // Prepared once: parsing them for every write costs as much as one of its statements.
  const prepared = new Map(steps.map((sql) => [sql, database.query(sql)]))
  const run = (sql: Step) => {
    onStatement(sql, [])
    prepared.get(sql)!.run()
  }

  function write<T>(work: (db: Writer) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(unavailable('The server is stopping.'))
    if (queue.length >= LONGEST_QUEUE) return Promise.reject(unavailable('Too many writes are waiting.'))
    const result = new Promise<T>((resolve, reject) => queue.push({ work, resolve, reject, since: performance.now() }))
    running ??= drain()
    return result
  }

  async function drain() {
    // The next turn of the event loop: whatever arrived with this write joins its group.
    await new Promise(setImmediate)
    while (queue.length > 0) await commit(queue.splice(0, largestGroup))
    running = undefined
  }

  async function commit(group: Pending[]) {
    let outcomes: Outcome[]
    try {
      // Who came while another group waited has waited, too.
      await beginWhenFree(group[0]!.since)
      outcomes = []
      for (const { work } of group) outcomes.push(await inSavepoint(work))
      const written = outcomes.filter((outcome) => 'value' in outcome).length
      run(written > 0 ? 'COMMIT' : 'ROLLBACK')
      if (written > 0) onCommit(written)
    } catch (error) {
      undo()
      for (const { reject } of group) reject(translate(error))
      return
    }
    group.forEach(({ resolve, reject }, at) => {
      const outcome = outcomes[at]!
      if ('value' in outcome) resolve(outcome.value as never)
      else reject(translate(outcome.error))
    })
  }

  async function inSavepoint(work: Pending['work']): Promise<Outcome> {
    run('SAVEPOINT one_write')
    try {
      const value = await work(db)
      run('RELEASE one_write')
      return { value }
    } catch (error) {
      // A full disk ends the whole transaction by itself: then nothing of the group is left.
      if (!database.inTransaction) throw error
      database.run('ROLLBACK TO one_write')
      database.run('RELEASE one_write')
      return { error }
    }
  }

  async function beginWhenFree(since = performance.now()) {
    const deadline = since + LOCK_PATIENCE_MS
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        return run('BEGIN IMMEDIATE')
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
        await Bun.sleep(pause)
      }
    }
  }

  /** In a transaction that shares with nobody. Only before serving. */
  async function alone<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await beginWhenFree()
    try {
      const value = await work(db)
      run('COMMIT')
      return value
    } catch (error) {
      undo()
      throw error
    }
  }

  /** Whatever became of the file: the next group must find no transaction, and a queue that moves on. */
  function undo() {
    try {
      if (database.inTransaction) database.run('ROLLBACK')
    } catch {
      // The error that led here is the one to tell.
    }
  }

  async function close() {
    closed = true
    await running
  }

  return { write, alone, close, waiting: () => queue.length }
}
