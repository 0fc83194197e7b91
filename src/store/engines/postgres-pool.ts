import { type ReservedSQL, SQL } from 'bun'

const CONNECT_SECONDS = 5
/** All connections are opened at the first query; those that are not needed are closed again. */
const IDLE_SECONDS = 10

/** A pool of connections, of which some are reserved for transactions. */
export function openPool(url: string, max: number) {
  const sql = new SQL(url, {
    max,
    // Named here, or else the environment variable PGDATABASE would win over the URL.
    database: decodeURIComponent(new URL(url).pathname.slice(1)),
    connectionTimeout: CONNECT_SECONDS,
    idleTimeout: IDLE_SECONDS,
    connection: {
      application_name: 'parley',
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 60_000,
    },
  })
  const reserved = new Set<Promise<unknown>>()
  let reading = 0
  let waiting = 0

  async function reserve(): Promise<ReservedSQL> {
    waiting += 1
    try {
      return await sql.reserve({ signal: AbortSignal.timeout(CONNECT_SECONDS * 1000) })
    } finally {
      waiting -= 1
    }
  }

  return {
    sql,

    async withConnection<T>(work: (connection: ReservedSQL) => Promise<T>): Promise<T> {
      const connection = await reserve()
      const working = work(connection)
      reserved.add(working)
      try {
        return await working
      } finally {
        reserved.delete(working)
        await connection.release()
      }
    },

    /** Counts a read that shares connections with others, until it is done. */
    async counted<T>(read: Promise<T>): Promise<T> {
      reading += 1
      try {
        return await read
      } finally {
        reading -= 1
      }
    },

    /** Bun does not say how many connections are busy: a read keeps one at most. */
    usage() {
      const busy = Math.min(max, reserved.size + reading)
      return { max, busy, idle: max - busy, waiting }
    },

    /** Once the transactions that have begun are done. */
    async close() {
      await Promise.allSettled(reserved)
      await sql.close()
    },
  }
}
