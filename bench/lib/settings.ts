import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `--quick` runs everything with little data: it shows that the benchmark works, and measures nothing. */
export const isQuick = process.argv.includes('--quick')

export const root = join(import.meta.dir, '../..')
/** Databases are kept here between runs. */
export const scratch = join(tmpdir(), `parley-bench-${isQuick ? 'quick-' : ''}${Bun.hash(root).toString(36)}`)

const pick = <T>(full: T, quick: T): T => (isQuick ? quick : full)

/** How much of everything. */
export const size = {
  small: pick(1_000, 200),
  medium: pick(100_000, 200),
  large: pick(1_000_000, 200),
  /** On PostgreSQL, where indexing 1,000,000 would take longer than all the rest. */
  searchedOnPostgres: pick(200_000, 200),
  members: pick(1_000, 120),
  manyMembers: pick(100_000, 120),
  threads: pick(8_000, 60),
  /** Posts to read before the memory of the server is measured. */
  postsRead: pick(200_000, 100),
  /** URLs of each kind that are requested once. */
  requests: pick(4_200, 24),
  /** Requests of each list, in the comparison of a small and a large workspace. */
  pagesPerList: pick(600, 10),
  rounds: pick(5, 1),
  seconds: pick(0.8, 0.1),
  starts: pick(7, 0),
  streams: pick(2_000, 20),
  manyStreams: pick(10_000, 30),
  events: pick(20, 3),
}

/**
 * Settings that differ from the defaults: the rate limit counts every request and rejects none, any number of streams may
 * be open, and the events of datasets made long ago are kept.
 */
export const serverEnv = {
  RATE_LIMIT: '1000000',
  STREAM_LIMIT: '0',
  STREAM_TOTAL: '0',
  PORT: '0',
  DRAIN_SECONDS: '0',
  LOG_LEVEL: 'warn',
  EVENT_RETENTION_DAYS: '3650',
  ADMIN_EMAIL: 'bench@example.com',
  SECRET_KEY: 'a-key-for-benchmarks-and-for-nothing-else',
}

export type Engine = 'SQLite' | 'PostgreSQL'
export const engines: readonly Engine[] = ['SQLite', 'PostgreSQL']

export interface Database {
  engine: Engine
  url: string
  /** The folder or file that holds the data. */
  path: string
  /** CPU seconds of a database server so far; 0 for SQLite. */
  cpu(): number
}
