import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { MEGABYTE } from '../../domain/files'
import type { Writer } from '../engines/db'
import type { OpenProgress } from '../engines/engine'
import { openSqlite } from '../engines/sqlite/open'
import { latestVersion, migrate } from '../schema/migrations'
import { layoutOf } from './appended-files'
import { FILES_TABLE, INFO_TABLE } from './tables'

const CHUNK = 4 * 1024 * 1024

/** Copies the database of a backup to where it may be changed, with what is only in the WAL beside it. */
export async function copyBackup(from: string, to: string, openProgress: OpenProgress): Promise<void> {
  const parts = [
    { suffix: '', size: layoutOf(from).databaseBytes },
    ...(hasWal(from) ? [{ suffix: '-wal', size: statSync(`${from}-wal`).size }] : []),
  ]
  const progress = openProgress('MB', parts.reduce((all, { size }) => all + size, 0) / MEGABYTE)
  let done = 0
  for (const { suffix, size } of parts)
    await copyBytes(from + suffix, to + suffix, size, (bytes) => {
      done += bytes
      progress.report(done / MEGABYTE)
    })
  progress.end()
  foldWal(to)
}

/** Whether a part of the content is in a file beside it. A backup with checksums is complete without: they do not cover such a file. */
export const hasWal = (path: string): boolean => existsSync(`${path}-wal`) && !layoutOf(path).checksums

async function copyBytes(from: string, to: string, size: number, report: (bytes: number) => void) {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'w', 0o600)]
  const buffer = Buffer.alloc(CHUNK)
  try {
    for (let left = size; left > 0; ) {
      const bytes = readSync(source, buffer, 0, Math.min(CHUNK, left), null)
      if (bytes === 0) break
      left -= bytes
      for (let written = 0; written < bytes; ) written += writeSync(target, buffer, written, bytes - written)
      report(bytes)
      // The progress is told between the chunks.
      await Bun.sleep(0)
    }
  } finally {
    closeSync(source)
    closeSync(target)
  }
}

/** Brings a copy into one file. A file that is no database stays as it is: the next step reports it. */
function foldWal(path: string) {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    database.run('PRAGMA journal_mode = DELETE')
  } catch {
    // Told by inspectBackup.
  } finally {
    database.close()
  }
}

/** Makes the copy of a backup a database of this version, that holds nothing a database does not. */
export async function prepareCopy(
  path: string,
  { now, isSigningOut, openProgress }: { now: number; isSigningOut: boolean; openProgress: OpenProgress },
) {
  deleteInfo(path)
  const engine = openSqlite(path)
  try {
    await migrate(engine, now, openProgress)
    if (isSigningOut) await engine.write(signOutEveryone)
  } finally {
    await engine.close()
  }
}

/** The secret key must not stay behind, in a free page neither. */
function deleteInfo(path: string) {
  const database = new Database(path, { readwrite: true, create: false })
  database.run('PRAGMA secure_delete = ON')
  for (const table of [INFO_TABLE, FILES_TABLE]) database.run(`DROP TABLE IF EXISTS ${table}`)
  database.close()
}

/** Ends every session, token, link and address of an incoming webhook. Answers are forgotten too: nobody is left to whom to repeat them. */
export async function signOutEveryone(db: Writer) {
  await db.deleteFrom('sessions').execute()
  await db.deleteFrom('tokens').execute()
  await db.deleteFrom('sign_in_links').execute()
  await db.deleteFrom('account_links').execute()
  await db.deleteFrom('pending_joins').execute()
  await db.deleteFrom('invite_link_channels').execute()
  await db.deleteFrom('invite_links').execute()
  await db.deleteFrom('email_changes').execute()
  await db.updateTable('hooks').set({ hash: null }).execute()
  await db.deleteFrom('idempotency_keys').execute()
  await db.updateTable('authors').set({ tokens_count: 0 }).where('tokens_count', '<>', 0).execute()
}

export const isOfThisVersion = (schemaVersion: number) => schemaVersion === latestVersion
