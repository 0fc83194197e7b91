import type { Damage } from './damage'
import type { Db, Reader, Statements, Writer } from './db'
import type { OnHost } from './postgres/hosts'
import type { SqlSyntax } from './syntax'
import type { OpenGroup, Work, WriteOrigin } from './write-queue'

/** The interface that both engines implement. */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres'
  /** Where the data is, as one may print it: no password. */
  readonly location: string
  readonly syntax: SqlSyntax
  /** How many concurrent reads or writes keep the database busy. More of them only wait. */
  readonly usefulConcurrency: number

  read<T>(work: (db: Reader) => Promise<T>): Promise<T>
  /** As `read`, all as of one moment. On SQLite every read is; on PostgreSQL it takes two statements more. */
  readSnapshot<T>(work: (db: Reader) => Promise<T>): Promise<T>
  /**
   * As `readSnapshot`, for what can take long: apart from all other reads, and ended with `OutOfTime` when the time is over. Up
   * to `maxLongReads` run at once without taking more than their share; the gate sees to that.
   */
  readWithin<T>(milliseconds: number, work: (db: Reader) => Promise<T>): Promise<T>
  readonly maxLongReads: number
  /** As `readSnapshot`, for hours if need be. For commands of the operator. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Runs the work in a transaction and resolves once its commit is on disk. Works that wait together may share a transaction, one
   * after the other; on PostgreSQL only works of the same workspace, which the gate locks in the first of them. A work may
   * run more than once (after a deadlock it is retried), so it must have no effects outside the database.
   */
  write<T>(work: Work<T>, origin?: WriteOrigin): Promise<T>
  /** As `write`, but never in one transaction with others: for work in the background, which would hold them up. */
  writeAlone<T>(work: (db: Writer) => Promise<T>): Promise<T>
  /** As `write`, alone and under the lock that orders migrations. */
  migrate<T>(work: (db: Db) => Promise<T>): Promise<T>

  /**
   * A number that changes with every commit of any process. Undefined on PostgreSQL, where it would cost a query.
   */
  version(): number | undefined
  /** Calls back when workspaces may have changed, in this or another process; without keys, any may have. */
  watch(onChange: (workspaceKeys?: number[]) => void): () => void
  /** Notifies other processes that a workspace changed. A notification may get lost. */
  notify(workspaceKey: number): void
  /** How busy the connections are at this moment. */
  usage(): Usage
  /** How many bytes the data takes on disk. */
  size(): Promise<number>
  /** Whether the database answers. Throws what is wrong. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface Usage {
  /** On SQLite the connections that read; one more writes. */
  connections: { max: number; busy: number; idle: number }
  /** How many wait for a free connection and, where there is one writer, for their turn to write. */
  waiting: { connection: number; commit?: number }
}

export type OnStatement = (sql: string, values: readonly unknown[]) => void

export interface EngineOptions {
  /** Called whenever a request met damaged data. */
  onDamage?: (damage: Damage) => void
  /** Where the database has several hosts. */
  onHost?: OnHost
  /** Sees every statement before it runs, and may throw: for counting, and for breaking things in tests. */
  onStatement?: OnStatement
  /** Called after each commit with the number of writes that shared it. */
  onCommit?: (writes: number) => void
  /** How many writes may share a commit, where writes share commits. The bench compares with 1. */
  maxGroup?: number
  /** Makes what the writes of a transaction share. */
  openGroup?: OpenGroup
}

/** A read took longer than it was given. */
export class OutOfTime extends Error {}

export const newStatements = (): Statements => new Map()

/** Columns named `is_…` are stored as 0 or 1 on both engines. Rows have them as booleans. */
export const isBoolean = (column: string): boolean => column.startsWith('is_')

/** Starts to report the progress of a long operation. */
export type OpenProgress = (
  what: string,
  total: number,
) => {
  report(done: number): void
  end(): void
}

export const noProgress: OpenProgress = () => ({ report() {}, end() {} })
