import type { Database } from 'bun:sqlite'
import type { Db } from '../db'
import type { EngineOptions, OnStatement } from '../engine'
import {
  nothingShared,
  type Outcome,
  openWriteQueue,
  type PendingWrite,
  runAll,
  type SharedTransaction,
} from '../write-queue'
import { isBusy } from './errors'

export const MAX_GROUP = 256
const MAX_LOCK_WAIT_MS = 5_000

const steps = ['BEGIN IMMEDIATE', 'SAVEPOINT one_write', 'RELEASE one_write', 'COMMIT', 'ROLLBACK'] as const
type Step = (typeof steps)[number]

/**
 * One writer for all. Writes that wait together share one commit: a disk flush costs more than a write. All are answered
 * after the flush, none before.
 */
export function openSqliteWrites(
  database: Database,
  db: Db,
  {
    onStatement,
    maxGroup = MAX_GROUP,
    onCommit = () => {},
    openGroup = nothingShared,
    translate,
  }: Pick<EngineOptions, 'maxGroup' | 'onCommit' | 'openGroup'> & {
    onStatement: OnStatement
    /** An error of the database as the caller is to see it. */
    translate(error: unknown): unknown
  },
) {
  // Prepared once: parsing them for every write costs as much as one of its statements.
  const prepared = new Map(steps.map((sql) => [sql, database.query(sql)]))
  const run = (sql: Step) => {
    onStatement(sql, [])
    prepared.get(sql)!.run()
  }

  const transaction: SharedTransaction = {
    db,
    beginWrite: () => run('SAVEPOINT one_write'),
    endWrite: () => run('RELEASE one_write'),
    undoWrite(error) {
      // A full disk ends the whole transaction by itself: then nothing of the group is left.
      if (!database.inTransaction) throw error
      database.run('ROLLBACK TO one_write')
      database.run('RELEASE one_write')
    },
  }
  const queue = openWriteQueue(runGroup, maxGroup)

  async function runGroup(group: readonly PendingWrite[]): Promise<Outcome[]> {
    try {
      // The deadline counts from when the first write was queued.
      await beginWhenFree(group[0]!.since)
      const outcomes = await runAll(transaction, group, openGroup)
      const committed = outcomes.filter((outcome) => 'value' in outcome).length
      run(committed > 0 ? 'COMMIT' : 'ROLLBACK')
      if (committed > 0) onCommit(committed)
      return outcomes.map((outcome) => ('value' in outcome ? outcome : { error: translate(outcome.error) }))
    } catch (error) {
      undo()
      throw translate(error)
    }
  }

  async function beginWhenFree(since = performance.now()) {
    const deadline = since + MAX_LOCK_WAIT_MS
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
  async function runAlone<T>(work: (db: Db) => Promise<T>): Promise<T> {
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

  /** Rolls back and never throws, so that the next group can begin. */
  function undo() {
    try {
      if (database.inTransaction) database.run('ROLLBACK')
    } catch {
      // The error that led here is the one to report.
    }
  }

  return { write: queue.write, runAlone, close: queue.close, waiting: queue.waiting }
}
