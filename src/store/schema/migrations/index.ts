import { type Kysely, sql } from 'kysely'
import { StartError } from '../../../domain/start-error'
import type { Db, Reader } from '../../engines/db'
import { type Engine, noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'
import * as foundation from './001-foundation'
import * as webhooks from './002-webhooks'
import * as accounts from './003-accounts'
import * as history from './004-history'
import * as onePasswordPerPerson from './005-one-password-per-person'
import * as webhookOwners from './006-webhook-owners'
import * as redaction from './007-redaction'
import * as secretKey from './008-secret-key'
import * as mentions from './009-mentions'
import * as answers from './010-answers'
import * as storedFields from './011-stored-fields'
import * as deliveryQueue from './012-delivery-queue'
import * as search from './013-search'
import * as attention from './014-attention'
import * as mailAndPush from './015-mail-and-push'
import * as workspaceSettings from './016-workspace-settings'
import * as editedTimes from './017-edited-times'
import * as preferences from './018-preferences'
import * as writtenVia from './019-written-via'
import * as hooks from './020-hooks'
import * as files from './021-files'
import * as reactions from './022-reactions'
import * as pinsAndSaved from './023-pins-and-saved'
import * as drafts from './024-drafts'
import * as pictureFiles from './025-picture-files'
import * as largeContent from './026-large-content'
import * as peopleApart from './027-people-apart'
import * as searchDays from './028-search-days'
import * as columns from './029-columns'

export interface Migration {
  up(db: Kysely<never>, syntax: SqlSyntax, openProgress?: OpenProgress): Promise<void>
}

/** In order, for ever: a migration that was released is never changed, only followed. */
export const migrations: readonly { number: number; name: string; migration: Migration }[] = [
  { number: 1, name: 'foundation', migration: foundation },
  { number: 2, name: 'webhooks', migration: webhooks },
  { number: 3, name: 'accounts', migration: accounts },
  { number: 4, name: 'history', migration: history },
  { number: 5, name: 'one-password-per-person', migration: onePasswordPerPerson },
  { number: 6, name: 'webhook-owners', migration: webhookOwners },
  { number: 7, name: 'redaction', migration: redaction },
  { number: 8, name: 'secret-key', migration: secretKey },
  { number: 9, name: 'mentions', migration: mentions },
  { number: 10, name: 'answers', migration: answers },
  { number: 11, name: 'stored-fields', migration: storedFields },
  { number: 12, name: 'delivery-queue', migration: deliveryQueue },
  { number: 13, name: 'search', migration: search },
  { number: 14, name: 'attention', migration: attention },
  { number: 15, name: 'mail-and-push', migration: mailAndPush },
  { number: 16, name: 'workspace-settings', migration: workspaceSettings },
  { number: 17, name: 'edited-times', migration: editedTimes },
  { number: 18, name: 'preferences', migration: preferences },
  { number: 19, name: 'written-via', migration: writtenVia },
  { number: 20, name: 'hooks', migration: hooks },
  { number: 21, name: 'files', migration: files },
  { number: 22, name: 'reactions', migration: reactions },
  { number: 23, name: 'pins-and-saved', migration: pinsAndSaved },
  { number: 24, name: 'drafts', migration: drafts },
  { number: 25, name: 'picture-files', migration: pictureFiles },
  { number: 26, name: 'large-content', migration: largeContent },
  { number: 27, name: 'people-apart', migration: peopleApart },
  { number: 28, name: 'search-days', migration: searchDays },
  { number: 29, name: 'columns', migration: columns },
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
