import { type Kysely, sql } from 'kysely'
import { noProgress, type OpenProgress } from './backup/progress'
import type { Db } from './db'
import type { Engine } from './engines/engine'
import { StartError } from './engines/start-error'
import { migrations } from './migrations'

/** Brings the database to this program's version; all of it or nothing. Returns what was done. */
export function migrate(engine: Engine, now: number, openProgress?: OpenProgress): Promise<string[]> {
  return engine.migrate((db) => migrateTo(db, latestVersion, now, openProgress))
}

/** The same, inside a transaction, and no further than a version. */
export async function migrateTo(
  db: Db,
  version: number,
  now: number,
  openProgress: OpenProgress = noProgress,
): Promise<string[]> {
  const current = await schemaVersion(db)
  refuseNewer(current)
  const due = migrations.filter(({ number }) => number > current && number <= version)
  for (const { number, name, migration } of due) {
    await migration.up(db as unknown as Kysely<never>, db.syntax, openProgress)
    await db.insertInto('schema_migrations').values({ number, name, applied_at: now }).execute()
  }
  return due.map(({ number, name }) => `${String(number).padStart(3, '0')}-${name}`)
}

export const latestVersion = migrations.at(-1)!.number

export function refuseNewer(version: number) {
  if (version > latestVersion)
    throw new StartError(
      `The database is at version ${version}, this Parley knows only version ${latestVersion}. Use a newer Parley.`,
    )
}

/** The number of the last migration that ran here. */
export async function schemaVersion(db: Db): Promise<number> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migrations
    (number integer primary key, name text not null, applied_at bigint not null)`.execute(db)
  const last = await db
    .selectFrom('schema_migrations')
    .select((eb) => eb.fn.max('number').as('number'))
    .executeTakeFirst()
  return last?.number ?? 0
}
