import { sql } from 'kysely'
import { type Finding, fail, pass } from '../damage'
import type { Engine } from '../engine'
import { listPostgresTables } from './syntax'

/** The oldest version that the tests run on. */
const OLDEST_VERSION = 15

/** What to tell the operator at start. */
export async function warnOfPostgres(engine: Engine): Promise<string | undefined> {
  const { rows } = await engine.snapshot((db) =>
    sql<{ number: string }>`SELECT current_setting('server_version_num') AS number`.execute(db),
  )
  const version = majorOf(rows[0]!.number)
  if (version >= OLDEST_VERSION) return undefined
  return `PostgreSQL ${version} is older than what Parley is tested with: use version ${OLDEST_VERSION} or newer.`
}

/** `150003` is 15.3. */
const majorOf = (number: string) => Math.floor(Number(number) / 10_000)

/** Checks the version, durability and text encoding. */
export async function checkPostgres(engine: Engine): Promise<Finding[]> {
  const found = await engine.read((db) =>
    db
      .selectNoFrom([
        sql<string>`current_setting('server_version')`.as('version'),
        sql<string>`current_setting('server_version_num')`.as('number'),
        sql<string>`current_setting('fsync')`.as('fsync'),
        sql<string>`current_setting('synchronous_commit')`.as('commit'),
        sql<string>`current_setting('server_encoding')`.as('encoding'),
        sql<number>`current_setting('max_connections')::int`.as('connections'),
      ])
      .executeTakeFirstOrThrow(),
  )
  const safety = `fsync=${found.fsync}, synchronous_commit=${found.commit}`
  const isSafe = found.fsync === 'on' && found.commit !== 'off'
  const server = `PostgreSQL ${found.version}, at most ${found.connections} connections`
  return [
    majorOf(found.number) >= OLDEST_VERSION
      ? pass('server', server)
      : fail('server', server, `Parley is tested with version ${OLDEST_VERSION} and newer. Upgrade PostgreSQL.`),
    isSafe
      ? pass('durability', `${safety}: a write that was answered is on disk`)
      : fail('durability', safety, 'Turn fsync and synchronous_commit on, or a power cut takes answered writes.'),
    found.encoding === 'UTF8'
      ? pass('encoding', 'UTF8')
      : fail('encoding', found.encoding, 'Make the database with ENCODING UTF8 and import into it.'),
  ]
}

/** In a full check every row of every table is read: PostgreSQL verifies the checksum of each page that it reads. */
export async function checkPostgresData(engine: Engine, isFull: boolean): Promise<Finding[]> {
  if (!isFull) return []
  let rows = 0
  // Each table in a transaction of its own: an old snapshot keeps PostgreSQL from removing dead rows.
  for (const table of await engine.snapshot(listPostgresTables)) {
    const whole = sql.table(table)
    const { rows: found } = await engine.snapshot((db) =>
      sql<{
        rows: number
        bytes: number
      }>`SELECT count(*) AS rows, sum(length(${whole}::text)) AS bytes FROM ${whole}`.execute(db),
    )
    rows += found[0]!.rows
  }
  return [pass('data', `all ${rows.toLocaleString('en')} rows can be read`)]
}
