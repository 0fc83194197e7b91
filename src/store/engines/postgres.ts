import pg from 'pg'
import { Db, type Statements, type Wire } from '../db'
import { openDamageReport } from './damage'
import { postgresDialect } from './dialect'
import { type Engine, type EngineOptions, newStatements, type OnStatement } from './engine'
import { notifySql, openNotifications } from './notifications'
import { isRetryable, postgresProblem, startProblem } from './postgres-errors'
import { postgresFlavour } from './postgres-flavour'
import { unavailable } from './sqlite-errors'

// 64-bit integers are keys, counts and milliseconds here: all within what a number holds exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

const TRIES = 5
const AT_ONCE_A_CONNECTION = 4
const MIGRATION_LOCK = 0x7061726c // "parl"
const MOST_NAMED_STATEMENTS = 500

export interface PostgresOptions extends EngineOptions {
  poolSize?: number
}

/** PostgreSQL: a pool of connections, statements prepared once on each. */
export function openPostgres(url: string, options: PostgresOptions = {}): Engine {
  const { poolSize = 10 } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    application_name: 'parley',
  })
  // A connection lost while idle is replaced by the next use; the use that needs it reports.
  pool.on('error', () => {})
  // One that is lost between two uses of it, or after it was given up, is nobody's: unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))

  const damage = openDamageReport(options.onDamage)
  const statements = newStatements()
  const nameOf = statementNames()
  const dbs = new WeakMap<pg.PoolClient, Db>()
  const dbOver = (client: pg.PoolClient) =>
    dbs.getOrInsertComputed(client, () => newDb(client, statements, nameOf, options.onStatement))

  const notifications = openNotifications(url, (payload) => pool.query(notifySql, [payload]))

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let failure: Error | undefined
    const onError = (error: Error) => {
      failure = error
    }
    client.on('error', onError)
    try {
      return await work(client)
    } catch (error) {
      if (postgresProblem(error) !== error) failure = error as Error
      throw error
    } finally {
      client.off('error', onError)
      client.release(failure)
    }
  }

  async function transaction<T>(
    client: pg.PoolClient,
    work: (db: Db) => Promise<T>,
    begin: 'BEGIN' | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' = 'BEGIN',
  ): Promise<T> {
    const db = dbOver(client)
    const run = (sql: string) => db.wire.execute(sql, [])
    await run(begin)
    let committing = false
    try {
      const value = await work(db)
      committing = true
      await run('COMMIT')
      return value
    } catch (error) {
      // After a COMMIT that failed, too: the connection goes back into the pool, with no transaction in it.
      await client.query('ROLLBACK').catch(() => {})
      throw committing ? postgresProblem(error, 'uncertain') : error
    }
  }

  /** What lost a race with another is tried again; a read may, too, where someone locks tables. */
  async function withRetries<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await withClient(work)
      } catch (error) {
        if (!isRetryable(error)) throw damage.pass(postgresProblem(error))
        if (tried === TRIES)
          throw unavailable('The database is busy with other changes. Nothing was changed; try again.')
        await Bun.sleep(tried * 5 * Math.random())
      }
    }
  }

  return {
    kind: 'postgres',
    location: printable(url),
    flavour: postgresFlavour,
    enoughAtOnce: poolSize * AT_ONCE_A_CONNECTION,
    read: (work) => withRetries((client) => work(dbOver(client))),
    async snapshot(work) {
      const patiently = async (client: pg.PoolClient, db: Db) => {
        await liftTimeouts(client)
        return work(db)
      }
      try {
        return await withClient((client) =>
          transaction(client, (db) => patiently(client, db), 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
        )
      } catch (error) {
        throw startProblem(error, printable(url))
      }
    },
    write: (work) => withRetries((client) => transaction(client, work)),
    async migrate(work) {
      try {
        return await withClient((client) =>
          transaction(client, async (db) => {
            await liftTimeouts(client)
            await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
            return work(db)
          }),
        )
      } catch (error) {
        throw startProblem(error, printable(url))
      }
    },
    version: () => undefined,
    watch: notifications.watch,
    notify: notifications.notify,
    usage: () => ({
      connections: { max: poolSize, busy: pool.totalCount - pool.idleCount, idle: pool.idleCount },
      waiting: { connection: pool.waitingCount },
    }),
    async size() {
      const { rows } = await pool.query<{ size: number }>('SELECT pg_database_size(current_database()) AS size')
      return rows[0]!.size
    },
    async ping() {
      damage.refuse()
      try {
        await pool.query('SELECT 1')
      } catch (error) {
        throw startProblem(error, printable(url))
      }
    },
    close: () => pool.end(),
  }
}

/** For this transaction: it may take as long as it takes. */
async function liftTimeouts(client: pg.PoolClient) {
  await client.query('SET LOCAL statement_timeout = 0')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
}

function newDb(
  client: pg.PoolClient,
  statements: Statements,
  nameOf: (sql: string) => string | undefined,
  onStatement: OnStatement = () => {},
): Db {
  const wire: Wire = {
    async execute(sql, values) {
      onStatement(sql, values)
      const result = await client.query({ name: nameOf(sql), text: sql, values: values as unknown[] })
      return { rows: result.rows, changes: result.rowCount ?? 0 }
    },
  }
  return new Db(wire, postgresFlavour, statements, postgresDialect(wire))
}

/** The same text gets the same name, so each connection parses and plans it once. */
function statementNames() {
  const names = new Map<string, string>()
  return (sql: string) => {
    const known = names.get(sql)
    if (known || names.size >= MOST_NAMED_STATEMENTS) return known
    const name = `parley_${names.size}`
    names.set(sql, name)
    return name
  }
}

function printable(url: string): string {
  const parsed = new URL(url)
  if (parsed.password) parsed.password = '***'
  // It may hold a password, too.
  parsed.search = ''
  return parsed.toString()
}
