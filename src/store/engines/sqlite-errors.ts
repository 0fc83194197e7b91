import { Problem } from '../../contract/errors'

const reasons: Record<string, string> = {
  SQLITE_BUSY: 'The database is locked by another program.',
  SQLITE_LOCKED: 'The database is locked.',
  SQLITE_FULL: 'The disk is full.',
  SQLITE_READONLY: 'The database cannot be written.',
  SQLITE_IOERR: 'The disk does not answer as it should.',
  SQLITE_CANTOPEN: 'The database file cannot be opened.',
  SQLITE_NOMEM: 'Memory ran out.',
}

/** What the database says no to, as a problem where the caller may try again; anything else as it is. */
export function sqliteProblem(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
  const reason = reasons[code] ?? reasons[code.split('_').slice(0, 2).join('_')]
  return reason ? unavailable(`${reason} Nothing was changed; try again.`) : error
}

export const unavailable = (detail: string) => new Problem('unavailable', detail, undefined, { 'Retry-After': '1' })

/** Whether it is only that another process writes just now. */
export const isBusy = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY')
