import { Problem } from '../../contract/errors'
import type { Db, Writer } from './db'

const MAX_QUEUE = 10_000
const GATHER_MS = 2

/** Where a write comes from. On PostgreSQL, writes to one workspace share transactions. */
export interface WriteOrigin {
  workspaceKey: number
  /** It is done beside the other writes to the workspace. */
  isConcurrent?: boolean
}

/** What the writes that share a transaction have in common: `store/changes/shared-writes.ts`. */
export interface Group {
  /** Called before each write, with its place in the group. */
  begin(db: Writer, at: number): Promise<void>
  /** The write that began last failed, and nothing is left of what it changed. */
  undo(): void
  /** Called after the last write, in the same transaction. */
  finish(db: Writer): Promise<void>
}

export type OpenGroup = (origins: readonly (WriteOrigin | undefined)[]) => Group

/** For databases that are not served, such as a backup that is being written. */
export const nothingShared: OpenGroup = () => ({ async begin() {}, undo() {}, async finish() {} })

export type Work<T> = (db: Writer, group: Group) => Promise<T>

export interface PendingWrite {
  work: Work<unknown>
  origin?: WriteOrigin
  /** It shares its transaction with no other. */
  isAlone?: boolean
  since: number
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

export type Outcome = { value: unknown } | { error: unknown }

/**
 * Collects writes and runs all that wait as one group. Each resolves when its whole group is done. A write whose group does not
 * begin in time is refused.
 */
export function openWriteQueue(
  runGroup: (group: readonly PendingWrite[]) => Promise<readonly Outcome[]>,
  maxGroup: number,
  maxWaitMs?: number,
) {
  const queue: PendingWrite[] = []
  let running: Promise<void> | undefined
  let isClosed = false
  /** How many writes are enough to begin without waiting for more. */
  let enough = 0
  let onEnough = () => {}
  let refusing: Timer | undefined

  function write<T>(work: Work<T>, origin?: WriteOrigin, isAlone = false): Promise<T> {
    if (isClosed) return Promise.reject(unavailable('The server is stopping.'))
    if (queue.length >= MAX_QUEUE) return Promise.reject(unavailable('Too many writes are waiting.'))
    const result = new Promise<T>((resolve, reject) =>
      queue.push({ work, origin, isAlone, resolve, reject, since: performance.now() }),
    )
    running ??= drain()
    refuseLater()
    if (queue.length >= enough) onEnough()
    return result
  }

  /** All wait equally long, so the first in the queue is the first whose time is over. */
  function refuseLater() {
    if (maxWaitMs === undefined || refusing || !queue[0]) return
    const refuse = () => {
      refusing = undefined
      const since = performance.now() - maxWaitMs
      while (queue[0] && queue[0].since <= since) queue.shift()!.reject(busyWithChanges())
      refuseLater()
    }
    refusing = setTimeout(refuse, Math.max(1, queue[0].since + maxWaitMs - performance.now())).unref()
  }

  async function drain() {
    // The next iteration of the event loop: writes that arrived with this one join its group.
    await new Promise(setImmediate)
    while (queue.length > 0) {
      if (queue.length < enough) await gather()
      const group = queue.splice(0, groupSize())
      enough = group.length / 2
      await runAndSettle(group)
    }
    running = undefined
  }

  /** How many of the waiting writes run together next. */
  function groupSize(): number {
    const alone = queue.findIndex(({ isAlone }) => isAlone)
    return alone < 0 ? maxGroup : Math.min(maxGroup, Math.max(1, alone))
  }

  /**
   * Waits briefly for more writes: clients that were answered together tend to write again together, and a commit costs the
   * same for one write as for many.
   */
  async function gather() {
    const { promise, resolve } = Promise.withResolvers<void>()
    onEnough = resolve
    const timer = setTimeout(resolve, GATHER_MS)
    await promise
    clearTimeout(timer)
  }

  async function runAndSettle(group: readonly PendingWrite[]) {
    let outcomes: readonly Outcome[]
    try {
      outcomes = await runGroup(group)
    } catch (error) {
      for (const { reject } of group) reject(error)
      return
    }
    group.forEach(({ resolve, reject }, at) => {
      const outcome = outcomes[at]!
      if ('value' in outcome) resolve(outcome.value as never)
      else reject(outcome.error)
    })
  }

  return {
    write,
    waiting: () => queue.length,
    async close() {
      isClosed = true
      await running
    },
  }
}

/** An open transaction in which writes run one after the other. */
export interface SharedTransaction {
  db: Db
  beginWrite(): void
  endWrite(): void | Promise<void>
  /** Undoes what a write has changed before it threw this. Throws where that takes the whole transaction. */
  undoWrite(error: unknown): void
}

/** Runs writes one after the other in one transaction, each all or nothing. */
export async function runAll(
  transaction: SharedTransaction,
  writes: readonly PendingWrite[],
  openGroup: OpenGroup,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const group = openGroup(writes.map(({ origin }) => origin))
  for (const [at, { work }] of writes.entries()) {
    await group.begin(transaction.db, at)
    transaction.beginWrite()
    try {
      const value = await work(transaction.db, group)
      await transaction.endWrite()
      outcomes.push({ value })
    } catch (error) {
      transaction.undoWrite(error)
      group.undo()
      outcomes.push({ error })
    }
  }
  await group.finish(transaction.db)
  return outcomes
}

export const unavailable = (detail: string) => new Problem('unavailable', detail, undefined, { 'Retry-After': '1' })

/** Others change the same, and take too long. */
export const busyWithChanges = () =>
  unavailable('The database is busy with other changes. Nothing was changed; try again.')
