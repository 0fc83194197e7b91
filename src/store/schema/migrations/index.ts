import { type Kysely, sql } from 'kysely'
import { StartError } from '../../../domain/start-error'
import type { Db, Reader } from '../../engines/db'
import { type Engine, noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'
import * as baseline from './028-baseline'
import * as attention from './029-attention'
import * as columns from './029-columns'
import * as positions from './029-positions'
import * as channels from './030-channels'
import * as invitations from './031-invitations'
import * as groups from './032-groups'

/**
 * What a migration keeps to:
 * - It runs inside the one transaction of `migrate`, and commits nothing. So if it is killed, the database is as it was before, and
 *   the next start begins again; it needs no state of its own.
 * - Memory is bounded: what grows is read and written in batches by key, and no batch is larger than some thousand rows or 8 MB.
 *   SQLite sorts in memory: an index that is created over a million rows takes 80 MB meanwhile.
 * - It reports progress after each batch of a table that grows. The server listens only once it is done, and the log shows how far it is.
 * - On PostgreSQL it names no key, constraint or sequence that the database has named itself: a database that 0.2.0 has made has
 *   `posts_pkey1` where one that began with the baseline has `posts_pkey`.
 * - It uses no code that may change, such as that of nouns: it must do the same in years.
 * `test/upgrade/` runs it on a database of 0.2.0, with many rows, and kills it.
 */
export interface Migration {
  up(db: Kysely<never>, syntax: SqlSyntax, openProgress: OpenProgress): Promise<void>
}

/** The parts of a migration, each in a file of its own. */
function inOrder(...parts: Migration[]): Migration {
  return {
    async up(db, syntax, openProgress) {
      for (const part of parts) await part.up(db, syntax, openProgress)
    },
  }
}

/** In order, for ever: a migration that was released is never changed, only followed. The baseline is what 0.2.0 had. */
export const migrations: readonly { number: number; name: string; migration: Migration }[] = [
  { number: 28, name: 'baseline', migration: baseline },
  { number: 29, name: 'columns-attention-and-positions', migration: inOrder(columns, attention, positions) },
  { number: 30, name: 'channels', migration: channels },
  { number: 31, name: 'invitations', migration: invitations },
  { number: 32, name: 'groups', migration: groups },
]

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
  refuseOlder(current)
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

/** The version of 0.2.0. What is older has to be upgraded by that first. */
export const oldestVersion = migrations[0]!.number

export function refuseOlder(version: number) {
  if (version > 0 && version < oldestVersion)
    throw new StartError(
      `The database is at version ${version}, older than Parley 0.2.0 (version ${oldestVersion}). Upgrade it with 0.2.0 first: ${runWithOldest('migrate')}`,
    )
}

/** How to run a command of 0.2.0 in a clone, and to come back. Releases have no tags, so its commit is found by its message. */
export const runWithOldest = (command: string) =>
  `git checkout 'HEAD^{/Make this version 0.2.0}' && npm ci --omit=dev && npm run -s parley -- ${command} && git checkout - && npm ci --omit=dev`

/** The number of the last migration that ran here. */
export async function schemaVersion(db: Db): Promise<number> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migrations
    (number integer primary key, name text not null, applied_at bigint not null)`.execute(db)
  return findVersion(db)
}

/** The same, without creating anything: throws where the database was never set up. */
export async function findVersion(db: Reader): Promise<number> {
  const { number } = await db
    .selectFrom('schema_migrations')
    .select((eb) => eb.fn.max('number').as('number'))
    .executeTakeFirstOrThrow()
  return number ?? 0
}
