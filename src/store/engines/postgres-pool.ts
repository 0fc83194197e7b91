import type { ReservedSQL, SQL } from 'bun'
import { within } from '../../metrics'
import { Connection, newClient } from './postgres-connection'
import type { Deadlines, Limits } from './postgres-deadlines'
import { isReported } from './postgres-errors'

/** Connections that are not needed are closed. */
const IDLE_MS = 10_000

interface Waiting {
  isForTransaction: boolean
  resolve(connection: Connection): void
  reject(error: unknown): void
}

export interface Take {
  limits?: Limits
  /** Since when it has been waited for, elsewhere. */
  since?: number
}

/**
 * A pool of connections. A transaction has one for itself; reads share those that are left, pipelined. The pool is our own because
 * Bun's cannot drop one connection of several.
 */
export function openPool(url: string, max: number, deadlines: Deadlines) {
  const open = new Set<Connection>()
  const waiting: Waiting[] = []
  const transactions = new Set<Promise<unknown>>()
  /** Gets no more reads, so that a transaction can have it. */
  let draining: Connection | undefined
  let opening = 0
  let isClosed = false
  const stopWatching = watchConnections(url, open, drop, deadlines)

  /** The one with the fewest missing replies, of those that are not slow. */
  function findBest(): Connection | undefined {
    const now = performance.now()
    let best: Connection | undefined
    let least = Number.POSITIVE_INFINITY
    for (const connection of open) {
      if (connection.isTaken || connection === draining) continue
      const load = connection.load(now)
      if (load < least) [best, least] = [connection, load]
      if (least === 0) break
    }
    return best
  }

  function find(isForTransaction: boolean): Connection | undefined {
    const best = findBest()
    if (!best?.isIdle) grow()
    if (!isForTransaction) return best
    if (!best?.isIdle) return undefined
    best.isTaken = true
    return best
  }

  function take(isForTransaction: boolean, since = performance.now()): Connection | Promise<Connection> {
    if (isClosed) throw late('The pool is closed.')
    // A transaction waits for those before it. A read does not, where there is a connection.
    const found = isForTransaction && waiting.length > 0 ? undefined : find(isForTransaction)
    return found ?? join(isForTransaction, since)
  }

  function join(isForTransaction: boolean, since: number): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const each: Waiting = { isForTransaction, resolve, reject }
    waiting.push(each)
    const giveUp = () => {
      if (!waiting.includes(each)) return
      waiting.splice(waiting.indexOf(each), 1)
      reject(late('No connection is free.'))
      dispatch()
    }
    const timer = setTimeout(giveUp, Math.max(0, since + deadlines.beginMs - performance.now()))
    dispatch()
    return promise.finally(() => clearTimeout(timer))
  }

  /** Gives connections to those who wait, in the order in which they came. */
  function dispatch() {
    draining = undefined
    for (let next = waiting[0]; next; next = waiting[0]) {
      const connection = find(next.isForTransaction)
      if (!connection) break
      waiting.shift()
      next.resolve(connection)
    }
    if (waiting[0]?.isForTransaction && open.size + opening >= max) draining = findBest()
  }

  const onAnswer = () => {
    if (waiting.length > 0) dispatch()
  }

  function grow() {
    if (isClosed || open.size + opening >= max) return
    opening += 1
    Connection.open(url, deadlines, remove).then(
      (connection) => {
        opening -= 1
        if (isClosed) return connection.close()
        open.add(connection)
        dispatch()
      },
      (error) => {
        opening -= 1
        // Otherwise there are connections that can be waited for.
        if (open.size + opening === 0) for (const { reject } of waiting.splice(0)) reject(error)
      },
    )
  }

  function remove(connection: Connection) {
    if (open.delete(connection)) onAnswer()
  }

  function drop(connection: Connection) {
    connection.close()
    remove(connection)
  }

  async function inTransaction<T>(
    work: (sql: ReservedSQL, answer: Answer) => Promise<T>,
    { limits = deadlines, since }: Take,
  ): Promise<T> {
    const connection = await take(true, since)
    connection.limits = limits
    let sql: ReservedSQL | undefined
    try {
      // Statements that come after the transaction has ended are refused by this.
      sql = await connection.sql.reserve()
      return await work(sql, (statement) => connection.answer(statement, onAnswer))
    } finally {
      await sql?.release()
      connection.limits = deadlines
      connection.isTaken = false
      onAnswer()
    }
  }

  return {
    /** Runs a statement on a connection that it shares with others. */
    async run<T>(statement: (sql: SQL) => PromiseLike<T>): Promise<T> {
      const found = take(false)
      const connection = found instanceof Connection ? found : await found
      return connection.answer(statement(connection.sql), onAnswer)
    },

    /** Runs a transaction on a connection of its own. */
    async inTransaction<T>(work: (sql: ReservedSQL, answer: Answer) => Promise<T>, options: Take = {}): Promise<T> {
      const working = inTransaction(work, options)
      transactions.add(working)
      try {
        return await working
      } finally {
        transactions.delete(working)
      }
    },

    usage() {
      const busy = [...open].filter(({ isTaken, isIdle }) => isTaken || !isIdle).length
      return { max, busy, idle: max - busy, waiting: waiting.length }
    },

    /** Once the transactions that have begun are done. */
    async close() {
      await Promise.allSettled(transactions)
      isClosed = true
      stopWatching()
      for (const connection of open) drop(connection)
    },
  }
}

const late = (why: string) => new DOMException(why, 'TimeoutError')

/** Waits for the reply to a statement. */
export type Answer = <T>(statement: PromiseLike<T>) => Promise<T>

/**
 * Drops connections whose replies do not come: a network may lose what was sent, or forget a connection, without telling. A reply may
 * also take long, so the server is asked over another connection whether it works on it.
 */
function watchConnections(
  url: string,
  open: ReadonlySet<Connection>,
  drop: (connection: Connection) => void,
  deadlines: Deadlines,
) {
  let client: SQL | undefined
  let isAsking = false
  const everyMs = deadlines.silenceMs / 8
  let watchedAt = performance.now()

  function closeClient() {
    void client?.close({ timeout: 0 }).catch(() => {})
    client = undefined
  }

  function watch() {
    const now = performance.now()
    // If this process could not run for a while, there may be replies that it has not read yet.
    const isLate = now - watchedAt > 4 * everyMs
    watchedAt = now
    if (isLate) return
    for (const connection of open) if (connection.isOverdue(now) || connection.isUnused(now, IDLE_MS)) drop(connection)
    const silent = [...open].filter((connection) => connection.isSilent(now))
    if (silent.length === 0 && !isAsking) closeClient()
    if (silent.length > 0 && !isAsking) void ask(silent)
  }

  async function ask(silent: readonly Connection[]) {
    isAsking = true
    try {
      client ??= newClient(url, deadlines)
      const working = await within(deadlines.checkMs, Connection.askFor(silent, client))
      const now = performance.now()
      for (const connection of silent) if (connection.isSilent(now) && connection.isLost(working)) drop(connection)
    } catch (error) {
      closeClient()
      // Where it has too many connections, for example, the network works.
      if (!isReported(error)) for (const each of open) if (each.isSilent(performance.now())) drop(each)
    } finally {
      isAsking = false
    }
  }

  const timer = setInterval(watch, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    closeClient()
  }
}
