import type { ReservedSQL, SQL } from 'bun'
import { within } from '../../../metrics'
import { Connection, newClient } from './connection'
import type { Deadlines, Limits } from './deadlines'
import { isReported } from './errors'
import type { Host, Hosts } from './hosts'

/** Connections that are not needed are closed. */
const IDLE_MS = 10_000

interface Waiting {
  isForTransaction: boolean
  /** Called with the connection, which from then on is no longer idle. */
  start(connection: Connection): void
  reject(error: unknown): void
}

export interface Take {
  limits?: Limits
  /** Since when it has been waited for, elsewhere. */
  since?: number
}

/**
 * A pool of connections. A transaction has one for itself; reads share the others, pipelined. The pool is our own because
 * Bun's cannot drop one connection of several.
 */
export function openPool(hosts: Hosts, max: number, deadlines: Deadlines) {
  const open = new Set<Connection>()
  const waiting: Waiting[] = []
  const transactions = new Set<Promise<unknown>>()
  /** Gets no more reads, so that a transaction can have it. */
  let draining: Connection | undefined
  let opening = 0
  let isClosed = false
  const stopWatching = watchConnections(hosts, open, deadlines)

  /** The connection with the fewest missing replies that is not slow. */
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
    if (!isForTransaction) {
      // It shares this one; those that come after it may need another.
      if (best && !best.isIdle) grow()
      return best
    }
    if (!best?.isIdle) return undefined
    best.isTaken = true
    return best
  }

  /** Begins a work on a connection at once, or as soon as there is one. */
  function begin<T>(
    isForTransaction: boolean,
    start: (connection: Connection) => Promise<T>,
    since = performance.now(),
    { beginMs }: Pick<Limits, 'beginMs'> = deadlines,
  ): Promise<T> {
    if (isClosed) return Promise.reject(late('The pool is closed.'))
    // A transaction waits for earlier ones. A read does not, if there is a connection.
    const found = isForTransaction && waiting.length > 0 ? undefined : find(isForTransaction)
    return found ? start(found) : join(isForTransaction, start, since + beginMs)
  }

  function join<T>(isForTransaction: boolean, start: (connection: Connection) => Promise<T>, until: number) {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const each: Waiting = {
      isForTransaction,
      start(connection) {
        clearTimeout(timer)
        resolve(start(connection))
      },
      reject(error) {
        clearTimeout(timer)
        reject(error)
      },
    }
    waiting.push(each)
    const giveUp = () => {
      if (!waiting.includes(each)) return
      waiting.splice(waiting.indexOf(each), 1)
      reject(late('No connection is free.'))
      dispatch()
    }
    const timer = setTimeout(giveUp, Math.max(0, until - performance.now()))
    dispatch()
    return promise
  }

  /** Gives connections to waiting callers, first come, first served. */
  function dispatch() {
    draining = undefined
    for (let next = waiting[0]; next; next = waiting[0]) {
      const connection = find(next.isForTransaction)
      if (!connection) break
      waiting.shift()
      next.start(connection)
    }
    if (waiting.length > opening) grow()
    if (waiting[0]?.isForTransaction && open.size + opening >= max) draining = findBest()
  }

  const onReply = () => {
    if (waiting.length > 0) dispatch()
  }

  function grow() {
    if (isClosed || open.size + opening >= max) return
    opening += 1
    Connection.open(hosts, deadlines, owner).then(
      (connection) => {
        opening -= 1
        if (isClosed) return connection.close()
        // The server may have closed it already.
        if (connection.isClosed) return refuse(late('The connection was closed at once.'))
        // Others may be to a server that was the primary once.
        closeAll(({ host }) => host !== connection.host)
        open.add(connection)
        dispatch()
      },
      (error) => {
        opening -= 1
        refuse(error)
      },
    )
  }

  /** Unless there are connections that can be waited for. */
  function refuse(error: unknown) {
    if (open.size + opening === 0) for (const { reject } of waiting.splice(0)) reject(error)
  }

  function closeAll(isWanted: (connection: Connection) => boolean) {
    for (const connection of [...open]) if (isWanted(connection)) connection.close()
  }

  const owner = {
    onClose(connection: Connection) {
      if (open.delete(connection)) onReply()
    },
    onLost: ({ host }: Connection) => hosts.leave(host),
    onReadOnly({ host }: Connection) {
      if (!hosts.isLeftWhenReadOnly) return
      hosts.leave(host)
      closeAll((connection) => connection.host === host)
    },
  }

  async function runTransaction<T>(connection: Connection, limits: Limits, work: TransactionWork<T>): Promise<T> {
    connection.limits = limits
    let sql: ReservedSQL | undefined
    let isOver = false
    const awaitReply: AwaitReply = async (statement) => (isOver ? statement : connection.awaitReply(statement, onReply))
    try {
      // Statements that come after the transaction has ended are refused by this.
      sql = await connection.sql.reserve()
      return await work(sql, awaitReply)
    } finally {
      isOver = true
      await sql?.release()
      connection.limits = deadlines
      connection.isTaken = false
      onReply()
    }
  }

  return {
    /** Runs a statement on a connection that it shares with others. */
    run: <T>(statement: (sql: SQL) => PromiseLike<T>): Promise<T> =>
      begin(false, (connection) => connection.awaitReply(statement(connection.sql), onReply)),

    /** Runs a transaction on a connection of its own. */
    async inTransaction<T>(work: TransactionWork<T>, { limits = deadlines, since }: Take = {}): Promise<T> {
      const working = begin(true, (connection) => runTransaction(connection, limits, work), since, limits)
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
      const refuseWaiting = () => waiting.splice(0).forEach(({ reject }) => void reject(late('The pool is closed.')))
      // Where every host is silent, a search for one takes long, and nothing has begun.
      if (open.size === 0) refuseWaiting()
      await Promise.allSettled(transactions)
      isClosed = true
      refuseWaiting()
      stopWatching()
      for (const connection of open) connection.close()
    },
  }
}

const late = (why: string) => new DOMException(why, 'TimeoutError')

/** Waits for the reply to a statement. */
export type AwaitReply = <T>(statement: PromiseLike<T>) => Promise<T>

type TransactionWork<T> = (sql: ReservedSQL, awaitReply: AwaitReply) => Promise<T>

/**
 * Drops connections whose replies do not come: a network may lose what was sent, or forget a connection, without telling. A reply may
 * also take long, so the server is asked over another connection whether it works on it.
 */
function watchConnections(hosts: Hosts, open: ReadonlySet<Connection>, deadlines: Deadlines) {
  let client: SQL | undefined
  /** The host that the client is connected to. */
  let asked: Host | undefined
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
    for (const connection of open)
      if (connection.isOverdue(now)) connection.lose()
      else if (connection.isUnused(now, IDLE_MS) || connection.host !== hosts.current()) connection.close()
    const silent = [...open].filter((connection) => connection.isSilent(now))
    if (silent.length === 0 && !isAsking) closeClient()
    const host = silent[0]?.host
    if (host && !isAsking)
      void ask(
        host,
        silent.filter((connection) => connection.host === host),
      )
  }

  async function ask(host: Host, silent: readonly Connection[]) {
    isAsking = true
    if (asked !== host) closeClient()
    asked = host
    try {
      client ??= newClient(host, deadlines)
      const working = await within(deadlines.checkMs, Connection.askFor(silent, client))
      const now = performance.now()
      for (const connection of silent) if (connection.isSilent(now) && connection.isLost(working)) connection.lose()
    } catch (error) {
      closeClient()
      // Where it has too many connections, for example, the network works.
      if (!isReported(error))
        for (const each of open) if (each.host === host && each.isSilent(performance.now())) each.lose()
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
