import type { ReservedSQL } from 'bun'
import { Problem } from '../../../contract/errors'
import { Db, type Statements, type Wire } from '../db'
import { postgresDialect } from '../dialect'
import type { EngineOptions, OnStatement } from '../engine'
import {
  busyWithChanges,
  nothingShared,
  type Outcome,
  openWriteQueue,
  type PendingWrite,
  runAll,
  type SharedTransaction,
  type Work,
  type WriteOrigin,
} from '../write-queue'
import { setLimits, wireOver } from './connection'
import { backgroundLimits, type Deadlines, type Limits } from './deadlines'
import { isAborted, isRetryable, postgresProblem } from './errors'
import type { AwaitReply, Take } from './pool'
import { postgresSyntax } from './syntax'

/** Statements that were sent and not waited for. */
const MAX_SENT = 100
const WRITES_PER_BATCH = 8

/** As templates, because templates are prepared: `unsafe` without values is not pipelined. */
const steps = {
  BEGIN: (sql: ReservedSQL) => sql`BEGIN`,
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY': (sql: ReservedSQL) =>
    sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
  COMMIT: (sql: ReservedSQL) => sql`COMMIT`,
  ROLLBACK: (sql: ReservedSQL) => sql`ROLLBACK`,
}
type Step = keyof typeof steps
export type Begin = Extract<Step, `BEGIN${string}`>

/**
 * A transaction on one connection. Statements whose result nobody needs are sent without waiting for them; `commit` makes
 * sure that they all worked.
 */
export class PostgresTransaction implements SharedTransaction {
  readonly db: Db
  private sent: Promise<unknown>[] = []
  /** The first error of a statement that nobody waited for. */
  private failure: { error: unknown } | undefined
  /** The last error that was not just the consequence of another one. */
  private cause: unknown
  /** Since the write began: a statement changed something, or failed. */
  private isTouched = false
  private writes = 0

  constructor(
    private readonly connection: ReservedSQL,
    private readonly awaitReply: AwaitReply,
    statements: Statements,
    private readonly onStatement: OnStatement,
  ) {
    const { execute } = wireOver((statement) => awaitReply(statement(connection)), onStatement)
    const wire: Wire = {
      execute: async (text, values) => {
        if (!/^select/i.test(text)) this.isTouched = true
        try {
          return await execute(text, values)
        } catch (error) {
          this.isTouched = true
          if (!isAborted(error)) this.cause = error
          throw error
        }
      },
      send: (text, values) => this.send(wire.execute(text, values)),
    }
    this.db = new Db(wire, postgresSyntax, statements, postgresDialect(wire))
  }

  /** With limits of its own, or the limits of all connections. */
  async begin(step: Begin = 'BEGIN', limits?: Limits) {
    await this.run(step)
    if (limits) await this.awaitReply(this.connection.unsafe(setLimits(limits)))
  }

  beginWrite() {
    this.isTouched = false
  }

  /** Bun sends statements when it returns to the event loop: PostgreSQL runs some writes while others are prepared. */
  async endWrite() {
    if (++this.writes % WRITES_PER_BATCH === 0) await new Promise(setImmediate)
  }

  /** There are no savepoints: each costs as much as two statements, and few writes fail after they changed something. */
  undoWrite(error: unknown) {
    if (!this.isTouched && !this.failure) return
    // A `Problem` is the response to one caller, and no reason for the others in the transaction to fail.
    throw error instanceof Problem ? new Error('A write was refused after it changed something.') : error
  }

  async commit() {
    await Promise.all(this.sent)
    if (this.failure) throw this.failure.error
    const committing = this.run('COMMIT')
    const { command } = await committing.catch((error) => {
      throw postgresProblem(error, 'uncertain')
    })
    // PostgreSQL says so, without an error, where a statement of the transaction has failed.
    if (command !== 'COMMIT') throw new Error(`The transaction was not committed: PostgreSQL said ${command}.`)
  }

  /** After any error. A connection that is still in a transaction when it is released gets closed. */
  async rollBack() {
    await this.awaitReply(steps.ROLLBACK(this.connection)).catch(() => {})
  }

  /** If a statement fails, the statements after it fail too. The first error says why. */
  causeOf(error: unknown): unknown {
    const first = this.failure ? this.failure.error : error
    return isAborted(first) ? this.cause : first
  }

  private run(step: Step) {
    this.onStatement(step, [])
    return this.awaitReply(steps[step](this.connection))
  }

  /** Waits only where too much is on its way. */
  private send(statement: Promise<unknown>): Promise<unknown> | undefined {
    const sent = statement.catch((error) => {
      this.failure ??= { error }
    })
    this.sent.push(sent)
    if (this.sent.length < MAX_SENT) return undefined
    const all = Promise.all(this.sent)
    this.sent = []
    return all
  }
}

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
  {
    maxGroup = MAX_GROUP,
    onCommit = () => {},
    openGroup = nothingShared,
  }: Pick<EngineOptions, 'maxGroup' | 'onCommit' | 'openGroup'>,
) {
  const queues = new Map<string, ReturnType<typeof openWriteQueue>>()
  const queueOf = ({ workspaceKey, isConcurrent }: WriteOrigin) =>
    queues.getOrInsertComputed(`${workspaceKey}${isConcurrent ? ' beside' : ''}`, () =>
      openWriteQueue(runGroup, maxGroup, deadlines.beginMs),
    )

  async function runGroup(group: readonly PendingWrite[]): Promise<Outcome[]> {
    if (group.length === 1) return [await toOutcome(runAlone(group[0]!, { since: group[0]!.since }))]
    let outcomes: Outcome[]
    try {
      outcomes = await inTransaction((transaction) => runAll(transaction, group, openGroup), { since: group[0]!.since })
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
        const group = openGroup([origin])
        const done = await work(db, group)
        await group.finish(db)
        return done
      }, take),
    )
    onCommit(1)
    return value
  }

  return {
    write: <T>(work: Work<T>, origin?: WriteOrigin): Promise<T> =>
      origin ? queueOf(origin).write(work, origin) : runAlone({ work }),
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
