import { Database } from 'bun:sqlite'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../domain/start-error'
import { flushFile } from './file'

/** Whether there is nothing at this place that a restore would take away. */
export function isEmptySqlite(path: string): boolean {
  if (!existsSync(path) || statSync(path).size === 0) return true
  const database = new Database(path, { readonly: true })
  try {
    const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    if (tables.length === 0) return true
    return tables.some(({ name }) => name === 'workspaces') && !database.query('SELECT 1 FROM workspaces LIMIT 1').get()
  } catch {
    // Damaged, or no database at all: that is for the operator to give up.
    return false
  } finally {
    database.close()
  }
}

/**
 * Refuses where any process has the database open. Each that does holds a shared lock on it, so that nobody else can have
 * an exclusive one. Alone with it, what is in the WAL goes into the file.
 */
export function refuseInUse(path: string) {
  if (!existsSync(path) || statSync(path).size === 0) return
  const database = new Database(path, { readwrite: true, create: false })
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    database.run('BEGIN EXCLUSIVE')
    database.run('ROLLBACK')
  } catch (error) {
    const { code } = error as { code?: string }
    if (code?.startsWith('SQLITE_BUSY'))
      throw new StartError(`A server or another program is using ${path}. Stop it first.`)
    // Its head cannot be read, so nothing can be locked.
    if (existsSync(`${path}-shm`))
      throw new StartError(
        `${path} is damaged, so it cannot be told whether a server is using it. Stop the server, remove ${path}-shm, and run this again.`,
      )
  } finally {
    database.close()
  }
}

/**
 * Puts a whole database in the place of another. The old WAL goes first: it would be played into the new file. What was
 * in it is in the old file by then, so that whatever happens in between, one of the two is there and whole.
 */
export function replaceSqlite(path: string, replacement: string) {
  flushFile(replacement)
  refuseInUse(path)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(replacement, path)
  flushFile(dirname(path))
}
