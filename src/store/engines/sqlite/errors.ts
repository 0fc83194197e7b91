import { StartError } from '../../../domain/start-error'
import { DatabaseDamaged, SearchIndexDamaged } from '../damage'
import { unavailable } from '../write-queue'

const reasons: Record<string, string> = {
  SQLITE_BUSY: 'The database is locked by another program.',
  SQLITE_LOCKED: 'The database is locked.',
  SQLITE_FULL: 'The disk is full.',
  SQLITE_READONLY: 'The database cannot be written.',
  SQLITE_IOERR: 'The disk does not answer as it should.',
  SQLITE_CANTOPEN: 'The database file cannot be opened.',
  SQLITE_NOMEM: 'Memory ran out.',
}

/** Turns an error of SQLite into a problem if the caller may try again; returns any other error as it is. */
export function sqliteProblem(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
  // The only virtual table is the search index.
  if (code === 'SQLITE_CORRUPT_VTAB') return new SearchIndexDamaged(error)
  if (isDamage(code)) return new DatabaseDamaged(error)
  const reason = reasons[code] ?? reasons[code.split('_').slice(0, 2).join('_')]
  return reason ? unavailable(`${reason} Nothing was changed; try again.`) : error
}

const isDamage = (code: string) => /^SQLITE_(CORRUPT|NOTADB)/.test(code)

/** The same for operators; other errors are returned as they are. */
export function sqliteStartProblem(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return error
  const why = startReasons[code] ?? startReasons[code.split('_').slice(0, 2).join('_')]
  return why ? new StartError(`Cannot use the database ${path}: ${why}.`) : error
}

const startReasons: Record<string, string> = {
  SQLITE_BUSY: 'another program holds a lock on it',
  SQLITE_NOTADB: 'it is not a SQLite database',
  SQLITE_CORRUPT: 'it is damaged; restore a backup',
  SQLITE_READONLY: 'it is read-only; Parley must be able to write the file and its folder',
  SQLITE_CANTOPEN: 'it cannot be opened; check the path and its permissions',
  SQLITE_FULL: 'the disk is full',
  SQLITE_IOERR: 'the disk is full, or does not answer as it should',
  EACCES: 'there is no permission to write the file or its folder',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder cannot be made; check the path',
  ENOTDIR: 'part of the path is a file, not a folder',
  EEXIST: 'part of the path is a file, not a folder',
}

/** Whether it is only that another process writes just now. */
export const isBusy = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY')
