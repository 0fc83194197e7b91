import { sql } from 'kysely'
import type { Engine } from './engine'
import { type Finding, well, wrong } from './finding'
import { listPostgresTables } from './postgres-tables'

/** Checks durability and text encoding. */
export async function checkPostgres(engine: Engine): Promise<Finding[]> {
  const found = await engine.read((db) =>
    db
      .selectNoFrom([
        sql<string>`current_setting('server_version')`.as('version'),
        sql<string>`current_setting('fsync')`.as('fsync'),
        sql<string>`current_setting('synchronous_commit')`.as('commit'),
        sql<string>`current_setting('server_encoding')`.as('encoding'),
        sql<number>`current_setting('max_connections')::int`.as('connections'),
      ])
      .executeTakeFirstOrThrow(),
  )
  const safety = `fsync=${found.fsync}, synchronous_commit=${found.commit}`
  const isSafe = found.fsync === 'on' && found.commit !== 'off'
  return [
    well('server', `PostgreSQL ${found.version}, at most ${found.connections} connections`),
    isSafe
      ? well('durability', `${safety}: a write that was answered is on disk`)
      : wrong('durability', safety, 'Turn fsync and synchronous_commit on, or a power cut takes answered writes.'),
    found.encoding === 'UTF8'
      ? well('encoding', 'UTF8')
      : wrong('encoding', found.encoding, 'Make the database with ENCODING UTF8 and import into it.'),
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
  return [well('data', `all ${rows.toLocaleString('en')} rows can be read`)]
}
