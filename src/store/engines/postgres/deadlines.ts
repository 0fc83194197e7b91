/**
 * How long PostgreSQL is waited for, in milliseconds. A request that meets a lost connection is told so within
 * `beginMs`, `silenceMs` and `checkMs`, which are less than 10 s together; and as they begin anew with each connection, everything
 * works again within 5 s after the network does.
 */
export interface Deadlines {
  /** Opening a connection. */
  connectMs: number
  /** From when a statement, or a write, is ready to when it has a connection. */
  beginMs: number
  /** No reply to what was sent: from then on the server is asked whether it still works on it. */
  silenceMs: number
  /** Asking that, over another connection. If there is no answer, the network is down. */
  checkMs: number
  /** A statement. PostgreSQL ends it then; if even that is not heard of, the connection is dropped a second later. */
  statementMs: number
  /** Waiting for a lock. Longer than the longest transaction, which is 3 s. */
  lockMs: number
  /**
   * What a transaction may wait for its node: a node that is frozen keeps its locks for so long. Sessions of that node that wait
   * for the same lock may get it then, and have to give it up before `lockMs` is over twice.
   */
  idleTransactionMs: number
  /** How often the connection that hears of changes is tried, and how long it may take to reply. */
  listenEveryMs: number
  listenMs: number
}

export const defaultDeadlines: Deadlines = {
  connectMs: 3_000,
  beginMs: 4_000,
  silenceMs: 2_000,
  checkMs: 3_000,
  statementMs: 8_000,
  lockMs: 6_000,
  idleTransactionMs: 4_000,
  listenEveryMs: 10_000,
  listenMs: 5_000,
}

/** The deadlines of one transaction. */
export type Limits = Pick<Deadlines, 'beginMs' | 'silenceMs' | 'statementMs' | 'lockMs' | 'idleTransactionMs'>

/** Work in the background, such as a step of building the search index. */
export const backgroundLimits = ({ statementMs, ...others }: Limits): Limits => ({
  ...others,
  statementMs: Math.max(statementMs, 30_000),
})

export const HOUR_MS = 3_600_000

/** A command waits until each host has been tried, so that it can say what is wrong with each. */
export const COMMAND_BEGIN_MS = 60_000

/** Migrations, backups and restores, which build indexes and wait for each other. A lost connection is noticed all the same. */
export const operatorLimits = ({ silenceMs }: Limits): Limits => ({
  beginMs: COMMAND_BEGIN_MS,
  silenceMs: silenceMs * 10,
  statementMs: 6 * HOUR_MS,
  lockMs: 6 * HOUR_MS,
  idleTransactionMs: HOUR_MS / 6,
})
