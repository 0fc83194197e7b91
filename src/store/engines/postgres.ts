import { Db } from '../db'
import { openDamageReport } from './damage'
import { postgresDialect } from './dialect'
import { type Engine, type EngineOptions, newStatements } from './engine'
import { openNotifications } from './notifications'
import { postgresProblem, startProblem } from './postgres-errors'
import { openPool } from './postgres-pool'
import { postgresSyntax } from './postgres-syntax'
import { type Begin, PostgresTransaction } from './postgres-transaction'
import { wireOver } from './postgres-wire'
import { openPostgresWrites, withRetries } from './postgres-writes'

const READS_PER_CONNECTION = 4
const SNAPSHOT: Begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
const MIGRATION_LOCK = 0x7061726c // "parl"

export interface PostgresOptions extends EngineOptions {
  poolSize?: number
}

/** PostgreSQL: a pool of connections, statements prepared once on each. Reads are pipelined over all of them. */
export function openPostgres(url: string, options: PostgresOptions = {}): Engine {
  const { poolSize = 10, onStatement = () => {} } = options
  const location = printable(url)
  const pool = openPool(url, poolSize)
  const damage = openDamageReport(options.onDamage)
  const statements = newStatements()
  const notifications = openNotifications(pool.sql)
  const readWire = wireOver(pool.sql, onStatement)
  const reader = new Db(readWire, postgresSyntax, statements, postgresDialect(readWire))

  const inTransaction = <T>(work: (transaction: PostgresTransaction) => Promise<T>, step?: Begin): Promise<T> =>
    pool.withConnection(async (connection) => {
      const transaction = new PostgresTransaction(connection, statements, onStatement)
      try {
        await transaction.begin(step)
        const value = await work(transaction)
        await transaction.commit()
        return value
      } catch (error) {
        await transaction.rollBack()
        throw transaction.causeOf(error)
      }
    })

  const writes = openPostgresWrites(inTransaction, options)

  async function translateErrors<T>(working: Promise<T>): Promise<T> {
    try {
      return await working
    } catch (error) {
      throw damage.pass(postgresProblem(error))
    }
  }

  /** For commands of the operator: without time-outs, and with errors for operators. */
  async function withoutTimeouts<T>(work: (db: Db) => Promise<T>, step?: Begin): Promise<T> {
    try {
      return await inTransaction(async ({ db }) => {
        await db.wire.execute('SET LOCAL statement_timeout = 0', [])
        await db.wire.execute('SET LOCAL idle_in_transaction_session_timeout = 0', [])
        return work(db)
      }, step)
    } catch (error) {
      throw startProblem(error, location)
    }
  }

  return {
    kind: 'postgres',
    location,
    syntax: postgresSyntax,
    usefulConcurrency: poolSize * READS_PER_CONNECTION,
    read: (work) => translateErrors(pool.counted(withRetries(() => work(reader)))),
    readSnapshot: (work) => translateErrors(withRetries(() => inTransaction(({ db }) => work(db), SNAPSHOT))),
    snapshot: (work) => withoutTimeouts(work, SNAPSHOT),
    write: (work, origin) => translateErrors(writes.write(work, origin)),
    writeAlone: (work) => translateErrors(writes.write(work)),
    migrate: (work) =>
      withoutTimeouts(async (db) => {
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
        await pool.sql.unsafe('SELECT 1')
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

function printable(url: string): string {
  const parsed = new URL(url)
  if (parsed.password) parsed.password = '***'
  // It may hold a password, too.
  parsed.search = ''
  return parsed.toString()
}
