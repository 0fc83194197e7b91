import { Problem } from '../../contract/errors'
import type { EngineOptions } from './engine'
import { backgroundLimits, type Deadlines } from './postgres-deadlines'
import { isRetryable, postgresProblem } from './postgres-errors'
import type { Take } from './postgres-pool'
import type { PostgresTransaction } from './postgres-transaction'
import { busyWithChanges } from './sqlite-errors'
import { Turn, type WriteOrigin } from './turn'
import { type Outcome, openWriteQueue, type PendingWrite, runInTurn, type Work } from './write-queue'

/** Few enough that other nodes do not wait long for the workspace. */
const MAX_GROUP = 64
const MAX_TRIES = 5

type InTransaction = <T>(work: (transaction: PostgresTransaction) => Promise<T>, take?: Take) => Promise<T>

/**
 * Writes to a workspace that wait together share a transaction, which locks the workspace once and is flushed once. Other
 * workspaces are written beside it, on other connections. Where one write fails that has changed something already, the
 * transaction is given up and each of the group runs alone.
 */
export function openPostgresWrites(
  inTransaction: InTransaction,
  deadlines: Deadlines,
  { maxGroup = MAX_GROUP, onCommit = () => {} }: Pick<EngineOptions, 'maxGroup' | 'onCommit'>,
) {
  const queues = new Map<number, ReturnType<typeof openWriteQueue>>()
  const queueOf = (key: number) =>
    queues.getOrInsertComputed(key, () => openWriteQueue(runGroup, maxGroup, deadlines.beginMs))

  async function runGroup(group: readonly PendingWrite[]): Promise<Outcome[]> {
    if (group.length === 1) return [await toOutcome(runAlone(group[0]!, { since: group[0]!.since }))]
    let outcomes: Outcome[]
    try {
      outcomes = await inTransaction((transaction) => runInTurn(transaction, group), { since: group[0]!.since })
    } catch (error) {
      // If the database is available, one write of the group failed and nothing was committed: each runs alone.
      if (error instanceof Problem || postgresProblem(error) !== error) throw error
      outcomes = group.map(() => ({ error: mustRunAlone }))
    }
    const count = outcomes.filter((outcome) => 'value' in outcome).length
    if (count > 0) onCommit(count)
    for (const [at, outcome] of outcomes.entries())
      if ('error' in outcome && (outcome.error === mustRunAlone || isRetryable(outcome.error)))
        outcomes[at] = await toOutcome(runAlone(group[at]!))
    return outcomes
  }

  /** In a transaction of its own. What lost a race with another is tried again. */
  async function runAlone<T>({ work, origin }: Pick<PendingWrite, 'origin'> & { work: Work<T> }, take?: Take) {
    const value = await withRetries(() =>
      inTransaction(async ({ db }) => {
        const turn = new Turn([{ origin }])
        const done = await work(db, turn)
        await turn.next().finish(db)
        return done
      }, take),
    )
    onCommit(1)
    return value
  }

  return {
    write: <T>(work: Work<T>, origin?: WriteOrigin): Promise<T> =>
      origin ? queueOf(origin.workspaceKey).write(work, origin) : runAlone({ work }),
    /** For work in the background, which may take longer. */
    writeAlone: <T>(work: Work<T>): Promise<T> => runAlone({ work }, { limits: backgroundLimits(deadlines) }),
    waiting: () => queues.values().reduce((all, queue) => all + queue.waiting(), 0),
    async close() {
      await Promise.all(queues.values().map((queue) => queue.close()))
    },
  }
}

const mustRunAlone = Symbol('must run alone')

const toOutcome = (running: Promise<unknown>): Promise<Outcome> =>
  running.then(
    (value) => ({ value }),
    (error) => ({ error }),
  )

export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error)) throw error
      if (tried === MAX_TRIES) throw busyWithChanges()
      await Bun.sleep(tried * 5 * Math.random())
    }
  }
}
