import { SQL } from 'bun'
import { within } from '../../../metrics'
import type { Wire } from '../db'
import { isBoolean, type OnStatement } from '../engine'
import type { Deadlines, Limits } from './deadlines'
import { isConnectionLost, isReadOnly } from './errors'
import { type Host, type Hosts, SESSION_STATE, type SessionState } from './hosts'

/** A connection that was silent for so long gets no more reads: they would wait behind what it is busy with, or lost. */
const SLOW_MS = 500
/** PostgreSQL ends a statement in time and says so. If it is not heard of by then, it is lost. */
const GRACE_MS = 1_000

/**
 * So that PostgreSQL notices when a node is gone, or no longer reads. Bun's own side of a connection sends keepalives after a
 * minute, and cannot be told otherwise.
 */
const KEEPALIVES = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }
const USER_TIMEOUT_MS = 15_000

/** One connection to PostgreSQL, from when it is opened until it is closed: it never reconnects. */
export class Connection {
  /** The process id of the session on the server. */
  private pid = 0
  isClosed = false
  private unanswered = 0
  /** When the last reply came, or the first statement after it was sent. */
  private since = performance.now()
  /** It was found to be idle while a reply of it was missing, at this `since`. */
  private idleSince: number | undefined
  /** It belongs to a transaction. */
  isTaken = false

  private constructor(
    readonly host: Host,
    readonly sql: SQL,
    public limits: Limits,
    private readonly owner: ConnectionOwner,
  ) {}

  /** Opens one to the host that is to be used. */
  static open(hosts: Hosts, deadlines: Deadlines, owner: ConnectionOwner): Promise<Connection> {
    return hosts.connect(async (host) => {
      const sql = newClient(host, deadlines, () => connection.lose())
      const connection = new Connection(host, sql, deadlines, owner)
      try {
        connection.pid = await requireSession(sql, hosts, deadlines)
        connection.since = performance.now()
        return connection
      } catch (error) {
        connection.close()
        throw error
      }
    })
  }

  get isIdle() {
    return this.unanswered === 0
  }

  /** How many replies are missing. Fewer is better; a connection that is slow takes no more. */
  load(now: number): number {
    return this.unanswered > 0 && now - this.since > SLOW_MS ? Number.POSITIVE_INFINITY : this.unanswered
  }

  /** Waits for the reply to a statement, and notes that it is missing meanwhile. */
  async awaitReply<T>(statement: PromiseLike<T>, onReply: () => void): Promise<T> {
    if (this.unanswered++ === 0) this.since = performance.now()
    try {
      return await statement
    } catch (error) {
      if (isConnectionLost(error)) this.lose()
      else if (isReadOnly(error)) this.owner.onReadOnly(this)
      throw error
    } finally {
      this.unanswered -= 1
      this.since = performance.now()
      onReply()
    }
  }

  isUnused(now: number, milliseconds: number): boolean {
    return !this.isTaken && this.isIdle && now - this.since > milliseconds
  }

  /** So long that the server has to be asked. */
  isSilent(now: number): boolean {
    return !this.isIdle && now - this.since > this.limits.silenceMs
  }

  isOverdue(now: number): boolean {
    return !this.isIdle && now - this.since > this.limits.statementMs + GRACE_MS
  }

  /**
   * Whether the reply it waits for will never come: the server does not work on it. Found twice, as the reply may have been on its
   * way when the server was asked.
   */
  isLost(working: ReadonlySet<number>): boolean {
    if (working.has(this.pid)) return false
    const isSecond = this.idleSince === this.since
    this.idleSince = this.since
    return isSecond
  }

  /** Which of these connections the server works on. */
  static async askFor(connections: readonly Connection[], sql: SQL): Promise<Set<number>> {
    const pids = connections.map(({ pid }) => pid)
    const rows: { pid: number }[] = await sql.unsafe(
      `SELECT pid FROM pg_stat_activity WHERE pid IN (${pids}) AND coalesce(state, '') NOT LIKE 'idle%'`,
    )
    return new Set(rows.map(({ pid }) => pid))
  }

  /** Closes it because it does not work. */
  lose() {
    if (!this.isClosed) this.owner.onLost(this)
    this.close()
  }

  /** Statements that were sent get no reply any more, and fail. */
  close() {
    if (this.isClosed) return
    this.isClosed = true
    void this.sql.close({ timeout: 0 }).catch(() => {})
    this.owner.onClose(this)
  }
}

/** What the pool does about its connections. */
interface ConnectionOwner {
  onClose(connection: Connection): void
  onLost(connection: Connection): void
  /** The server refused a write. */
  onReadOnly(connection: Connection): void
}

/** Throws if the server of a new connection is not one to use. Returns what it calls the connection. */
export async function requireSession(sql: SQL, hosts: Hosts, { connectMs }: Deadlines): Promise<number> {
  const asked: Promise<(SessionState & { pid: number })[]> = sql.unsafe(
    `SELECT pg_backend_pid() AS pid, ${SESSION_STATE}`,
  )
  const [row] = await within(connectMs, asked)
  hosts.require(row!)
  return row!.pid
}

/** A client of the driver with one connection, which is opened by the first statement. */
export function newClient({ url }: Host, deadlines: Deadlines, onclose?: () => void): SQL {
  const { connectMs, statementMs, lockMs, idleTransactionMs } = deadlines
  return new SQL(url, {
    max: 1,
    // Named here, or else the environment variable PGDATABASE would win over the URL.
    database: decodeURIComponent(new URL(url).pathname.slice(1)),
    connectionTimeout: connectMs / 1000,
    onclose,
    connection: {
      application_name: 'parley',
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
      tcp_user_timeout: USER_TIMEOUT_MS,
      ...KEEPALIVES,
    },
  })
}

/** The statement that gives a transaction limits of its own, until it ends. */
export const setLimits = ({ statementMs, lockMs, idleTransactionMs }: Limits): string =>
  [
    `SET LOCAL statement_timeout = ${statementMs}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleTransactionMs}`,
    // A backup may read slowly.
    `SET LOCAL tcp_user_timeout = ${Math.max(USER_TIMEOUT_MS, idleTransactionMs)}`,
  ].join('; ')

type Row = Record<string, unknown>
type Result = Row[] & SQL.ResultMetadata

/** The object identifiers of int8 and numeric. */
const WIDE_NUMBERS = [20, 1700]

/** Which columns hold such numbers, by the prepared statement. */
const wideColumns = new WeakMap<SQL.ResultStatement, WideColumns>()

interface WideColumns {
  numbers: string[]
  booleans: string[]
}

function findWideColumns({ columns }: SQL.ResultStatement): WideColumns {
  const names = columns.filter(({ type }) => WIDE_NUMBERS.includes(type)).map(({ name }) => name)
  return { numbers: names.filter((name) => !isBoolean(name)), booleans: names.filter(isBoolean) }
}

/** 64-bit integers come as text. Here they are keys, counts and milliseconds: all within what a number holds exactly. */
function convertRows(result: Result): Row[] {
  if (result.length === 0) return result
  const { numbers, booleans } = wideColumns.getOrInsertComputed(result.statement!, findWideColumns)
  for (const column of numbers) for (const row of result) if (row[column] !== null) row[column] = Number(row[column])
  for (const column of booleans)
    for (const row of result) if (row[column] !== null) row[column] = Number(row[column]) === 1
  return result
}

const toStored = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value)

/** Runs a statement on a connection, and waits for the reply. */
type Run = (statement: (sql: SQL) => PromiseLike<Result>) => Promise<Result>

/** Runs statements over a pool, or over one connection of it. Statements that are not awaited in between are pipelined. */
export function wireOver(run: Run, onStatement: OnStatement): Wire {
  return {
    async execute(text, values) {
      const stored = values.map(toStored)
      onStatement(text, stored)
      const result = await run((sql) => sql.unsafe(text, stored))
      return { rows: convertRows(result), changes: result.count }
    },
  }
}
