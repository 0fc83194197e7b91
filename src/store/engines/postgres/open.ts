import { openDamageReport } from '../damage'
import { Db } from '../db'
import { postgresDialect } from '../dialect'
import { type Engine, type EngineOptions, newStatements, type OnStatement, OutOfTime } from '../engine'
import { wireOver } from './connection'
import { type Deadlines, defaultDeadlines, operatorLimits } from './deadlines'
import { isTooSlow, postgresProblem, startProblem } from './errors'
import { openHosts, parsePostgresUrl } from './hosts'
import { openNotifications } from './listen'
import { openPool, type Take } from './pool'
import { postgresSyntax } from './syntax'
import { type Begin, openPostgresWrites, PostgresTransaction, withRetries } from './transaction'

const READS_PER_CONNECTION = 4
/** The share of the pool that reads that can take long may have, and how many connections at most. */
const LONG_READS_SHARE = 0.3
const MAX_LONG_READS = 3
const SNAPSHOT: Begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
const MIGRATION_LOCK = 0x7061726c // "parl"

export interface PostgresOptions extends EngineOptions {
  poolSize?: number
  deadlines?: Partial<Deadlines>
}

/** PostgreSQL: a pool of connections, statements prepared once on each. Reads are pipelined over all of them. */
export function openPostgres(url: string, options: PostgresOptions = {}): Engine {
  const { poolSize = 10, onStatement = () => {} } = options
  const deadlines = { ...defaultDeadlines, ...options.deadlines }
  const hosts = openHosts(parsePostgresUrl(url)!, options.onHost)
  const { location } = hosts
  const pool = openPool(hosts, poolSize, deadlines)
  const damage = openDamageReport(options.onDamage)
  const statements = newStatements()
  const notifications = openNotifications(hosts, pool, deadlines)
  const readWire = wireOver(pool.run, onStatement)
  const reader = new Db(readWire, postgresSyntax, statements, postgresDialect(readWire))

  const inTransaction = <T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    take: Take = {},
    step?: Begin,
    beforeStatement = onStatement,
  ): Promise<T> =>
    pool.inTransaction(async (connection, awaitReply) => {
      const transaction = new PostgresTransaction(connection, awaitReply, statements, beforeStatement)
      try {
        await transaction.begin(step, take.limits)
        const value = await work(transaction)
        await transaction.commit()
        return value
      } catch (error) {
        await transaction.rollBack()
        throw transaction.causeOf(error)
      }
    }, take)

  const writes = openPostgresWrites(inTransaction, deadlines, options)

  async function translateErrors<T>(working: Promise<T>): Promise<T> {
    try {
      return await working
    } catch (error) {
      throw damage.pass(postgresProblem(error))
    }
  }

  /** No statement begins after the time, and PostgreSQL ends one that takes all of it; its connection can be used again. */
  async function readWithin<T>(milliseconds: number, work: (db: Db) => Promise<T>): Promise<T> {
    let end = Number.POSITIVE_INFINITY
    const requireTime: OnStatement = (sql, values) => {
      if (performance.now() > end && sql !== 'COMMIT') throw new OutOfTime()
      onStatement(sql, values)
    }
    const begun = ({ db }: PostgresTransaction) => {
      end = performance.now() + milliseconds
      return work(db)
    }
    try {
      return await inTransaction(begun, { limits: { ...deadlines, statementMs: milliseconds } }, SNAPSHOT, requireTime)
    } catch (error) {
      throw isTooSlow(error) ? new OutOfTime() : error
    }
  }

  /** For commands of the operator: with time-outs of hours, and with errors for operators. */
  async function asOperator<T>(work: (db: Db) => Promise<T>, step?: Begin): Promise<T> {
    try {
      return await inTransaction(({ db }) => work(db), { limits: operatorLimits(deadlines) }, step)
    } catch (error) {
      throw startProblem(error, location)
    }
  }

  return {
    kind: 'postgres',
    location,
    syntax: postgresSyntax,
    usefulConcurrency: poolSize * READS_PER_CONNECTION,
    read: (work) => translateErrors(withRetries(() => work(reader))),
    readSnapshot: (work) => translateErrors(withRetries(() => inTransaction(({ db }) => work(db), {}, SNAPSHOT))),
    maxLongReads: Math.min(MAX_LONG_READS, Math.max(1, Math.floor(poolSize * LONG_READS_SHARE))),
    readWithin: (milliseconds, work) => translateErrors(readWithin(milliseconds, work)),
    snapshot: (work) => asOperator(work, SNAPSHOT),
    write: (work, origin) => translateErrors(writes.write(work, origin)),
    writeAlone: (work) => translateErrors(writes.writeAlone(work)),
    migrate: (work) =>
      asOperator(async (db) => {
        await db.wire.execute('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
        return work(db)
      }),
    version: () => undefined,
    watch: notifications.watch,
    notify: notifications.notify,
    usage() {
      const { waiting, ...connections } = pool.usage()
      return { connections, waiting: { connection: waiting, commit: writes.waiting() } }
    },
    async size() {
      const { rows } = await readWire.execute('SELECT pg_database_size(current_database()) AS size', [])
      return (rows[0] as { size: number }).size
    },
    async ping() {
      damage.refuse()
      try {
        await pool.run((sql) => sql.unsafe('SELECT 1'))
      } catch (error) {
        throw startProblem(error, location)
      }
    },
    async close() {
      await writes.close()
      await pool.close()
    },
  }
}
