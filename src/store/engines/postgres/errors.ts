import { Problem } from '../../../contract/errors'
import { NotYetError, StartError } from '../../../domain/start-error'
import { DatabaseDamaged } from '../damage'
import { busyWithChanges, unavailable } from '../write-queue'
import { NoHost, ReadOnlyHost } from './hosts'

/** The SQLSTATE of an error that PostgreSQL reported; the code of another one, such as a lost connection. */
export function codeOf(error: unknown): string {
  const { errno, code } = (error ?? {}) as { errno?: unknown; code?: unknown }
  return typeof errno === 'string' ? errno : typeof code === 'string' ? code : ''
}

/** PostgreSQL itself reported it, so it can be reached. */
export const isReported = (error: unknown): boolean => typeof (error as { errno?: unknown } | null)?.errno === 'string'

/** The driver has closed the connection, or could not open it. */
export const isConnectionLost = (error: unknown): boolean =>
  /^ERR_POSTGRES_(CONNECTION|LIFETIME|IDLE)/.test(codeOf(error))

/** The work lost a race with another and can simply run again. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/** A statement before this one failed, and with it the transaction. */
export const isAborted = (error: unknown): boolean => codeOf(error) === '25P02'

/** A statement took longer than its transaction allows. */
export const isTooSlow = (error: unknown): boolean => codeOf(error) === '57014'

/** The server takes no writes: it is a standby, or was told so. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006' || error instanceof ReadOnlyHost

/** Another transaction holds a lock for too long. */
const isLocked = (error: unknown): boolean => codeOf(error) === '55P03'

/** Connection lost or refused, shutting down or starting, disk full, too many connections, time-out, read-only. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof NoHost) return error.failures.some((failure) => isUnavailable(failure.error))
  if ((error as Error | null)?.name === 'TimeoutError' || isConnectionLost(error)) return true
  if (isReadOnly(error)) return true
  return /^(08|53|57P|57014|25P03|58)/.test(codeOf(error))
}

/** Also a quota, or a limit on the size of files, for which PostgreSQL has no code of its own. */
function isFull(error: unknown): boolean {
  if (codeOf(error) === '53100') return true
  return codeOf(error) === 'XX000' && /^could not (extend|write)/.test((error as Error).message)
}

/** data_corrupted and index_corrupted. */
const isDamage = (error: unknown): boolean => ['XX001', 'XX002'].includes(codeOf(error))

/** A database that is away, as a problem where the caller may try again; anything else as it is. */
export function postgresProblem(error: unknown, outcome: 'unchanged' | 'uncertain' = 'unchanged'): unknown {
  if (error instanceof Problem) return error
  if (isDamage(error)) return new DatabaseDamaged(error)
  if (isFull(error)) return unavailable('The disk of the database is full. Nothing was changed; try again.')
  if (isLocked(error)) return busyWithChanges()
  if (isReadOnly(error))
    return unavailable('The database takes no writes at the moment. Nothing was changed; try again.')
  if (!isUnavailable(error)) return error
  return unavailable(
    outcome === 'unchanged'
      ? 'The database does not answer. Nothing was changed; try again.'
      : 'The database went away while saving: it may or may not be saved. Try again with the same Idempotency-Key.',
  )
}

/** The same for operators, at start. */
export function startProblem(error: unknown, location: string): unknown {
  if (error instanceof StartError || error instanceof Problem) return error
  if (isDamage(error)) return new DatabaseDamaged(error)
  const why = mistakeOf(error)
  if (why) return new StartError(`Cannot use the database ${location}: ${why}.`)
  if (error instanceof NoHost) {
    const reasons = error.failures.map(({ host, error }) => `${host.name} ${reasonOf(error)}`).join('; ')
    const ErrorType = isUnavailable(error) ? NotYetError : StartError
    return new ErrorType(`No host of the database ${location} can be used: ${reasons}.`)
  }
  return isUnavailable(error) ? new NotYetError(`The database ${location} ${reasonOf(error)}.`) : error
}

/** What is wrong with the URL, or on the server, where waiting does not help. */
function mistakeOf(error: unknown): string | undefined {
  const mistakes: Record<string, string> = {
    '28P01': 'the password is wrong',
    '28000': 'the user may not connect',
    '3D000': 'there is no such database; create it first',
    '42501': `the user lacks a right it needs (${(error as Error).message})`,
  }
  return mistakes[codeOf(error)]
}

/** Why a host cannot be used, as the rest of a sentence that begins with its name. */
function reasonOf(error: unknown): string {
  const mistake = mistakeOf(error)
  if (mistake) return `cannot be used (${mistake})`
  if (error instanceof ReadOnlyHost) return error.message
  if (isReadOnly(error)) return 'takes no writes: it is a standby, or default_transaction_read_only is on'
  return `does not answer (${codeOf(error) || (error as Error).message})`
}
