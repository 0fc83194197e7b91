import pg from 'pg'
import { type Postgres, startPostgres } from './postgres'
import { waitUntil } from './torture/child'

/** So that a server that was away for a while finds what it has missed. Only processes are killed, so no write has to reach the disk. */
const FLAGS = ['-c', 'wal_keep_size=64MB', '-c', 'fsync=off']

/** A primary, and a standby that it replicates to before it acknowledges a commit. */
export async function startPair() {
  const primary = await startPostgres(FLAGS)
  return { primary, standby: await addStandby(primary) }
}

/** Starts a standby as a copy of a server, which restarts for that. */
export async function addStandby(primary: Postgres): Promise<Postgres> {
  await waitForStandby(primary, false)
  await primary.stop()
  const standby = await startPostgres(FLAGS, primary)
  await primary.start()
  await waitForStandby(primary)
  return standby
}

/** Has a primary wait, from now on, until its standby has each commit, or no longer. */
export async function waitForStandby({ url }: Postgres, isWaiting = true) {
  await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${isWaiting ? '*' : ''}'`)
  await runSql(url, 'SELECT pg_reload_conf()')
  await waitUntil(async () => {
    const rows = await runSql(url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
    return rows.length > 0 === isWaiting
  })
}

/** Runs statements on a server, over a connection of their own. */
export async function runSql(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
