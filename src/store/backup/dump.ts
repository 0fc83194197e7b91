import { StartError } from '../../domain/start-error'
import type { Engine, OpenProgress } from '../engines/engine'
import { findVersion } from '../health'
import { refuseNewer } from '../schema/migrations'
import { dumpPostgres } from './dump-postgres'
import { dumpSqlite } from './dump-sqlite'

/**
 * Writes everything the database holds, as of one moment, into an empty file, as a SQLite database. Whoever writes
 * meanwhile does not wait.
 */
export async function dumpDatabase(engine: Engine, path: string, openProgress: OpenProgress): Promise<void> {
  const version = await engine.read(findVersion).catch(() => 0)
  if (version === 0) throw new StartError('There is nothing to back up: the database is not set up yet.')
  refuseNewer(version)
  await { sqlite: dumpSqlite, postgres: dumpPostgres }[engine.kind](engine, path, openProgress)
}
