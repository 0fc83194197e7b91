import type { ReservedSQL } from 'bun'
import { Problem } from '../../contract/errors'
import { Db, type Statements, type Wire } from '../db'
import { postgresDialect } from './dialect'
import type { OnStatement } from './engine'
import { setLimits } from './postgres-connection'
import type { Limits } from './postgres-deadlines'
import { isAborted, postgresProblem } from './postgres-errors'
import type { Answer } from './postgres-pool'
import { postgresSyntax } from './postgres-syntax'
import { wireOver } from './postgres-wire'
import type { SharedTransaction } from './write-queue'

/** Statements that were sent and not waited for. */
const MAX_SENT = 100
const TURNS_PER_BATCH = 8

/** As templates, because those are prepared: `unsafe` without values is not pipelined. */
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
  /** Since the turn began: a statement changed something, or failed. */
  private isTouched = false
  private turns = 0

  constructor(
    private readonly connection: ReservedSQL,
    private readonly answer: Answer,
    statements: Statements,
    private readonly onStatement: OnStatement,
  ) {
    const { execute } = wireOver((statement) => answer(statement(connection)), onStatement)
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

  /** With limits of its own, or those of all connections. */
  async begin(step: Begin = 'BEGIN', limits?: Limits) {
    await this.run(step)
    if (limits) await this.answer(this.connection.unsafe(setLimits(limits)))
  }

  beginTurn() {
    this.isTouched = false
  }

  /** Bun sends statements when it returns to the event loop: PostgreSQL runs those of some writes while others are prepared. */
  async endTurn() {
    if (++this.turns % TURNS_PER_BATCH === 0) await new Promise(setImmediate)
  }

  /** There are no savepoints: each costs as much as two statements, and few writes fail after they changed something. */
  undoTurn(error: unknown) {
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
    await this.answer(steps.ROLLBACK(this.connection)).catch(() => {})
  }

  /** Where a statement fails, those after it fail too. The first error says why. */
  causeOf(error: unknown): unknown {
    const first = this.failure ? this.failure.error : error
    return isAborted(first) ? this.cause : first
  }

  private run(step: Step) {
    this.onStatement(step, [])
    return this.answer(steps[step](this.connection))
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
