import { sql } from 'kysely'
import type { Engine } from './engine'
import { type Finding, well, wrong } from './finding'

/** Whether the server keeps what it is given, and understands every letter. */
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
