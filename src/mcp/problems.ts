import { type ErrorCode, errors, Problem } from '../contract/errors'
import type { Parley } from '../gate/parley'
import { hideSecrets } from '../log'

/** What an agent can do about an error, where the error does not say it itself. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  not_found: 'Look the id up with `search`, `find_people` or one of the list tools.',
  forbidden: 'Do not try again; tell the person you work for.',
  insufficient_scope: 'Ask the person you work for to create a token with this scope in Settings, and to use it here.',
  unauthenticated: 'Ask the person you work for to create a new token in Settings, and to use it here.',
  already_resolved: 'Read it with `read_post`. To replace its resolution, reopen it first.',
  invalid_cursor: 'Call again without `after`.',
  event_gone: 'Call again without `after`.',
  history_changed: 'Call again without `after`: an older backup was restored.',
  idempotency_in_progress: 'Wait a second, then call again.',
  unavailable: 'Wait a few seconds, then call again.',
}

/** An error as a model reads it: what went wrong, and what to do. Bugs are logged, and their details are not sent. */
export function explain(parley: Parley, error: unknown): { text: string; code: ErrorCode } {
  const problem = error instanceof Problem ? error : internal(parley, error)
  const { code, detail, headers } = problem
  const wait = headers?.['Retry-After']
  const advice = wait && code === 'rate_limited' ? `Wait ${wait} s, then call again.` : ADVICE[code]
  return { code, text: hideSecrets([`${errors[code].title}.`, detail, advice].filter(Boolean).join(' ')) }
}

function internal({ log }: Parley, error: unknown): Problem {
  log.error('Unexpected error', {
    path: '/mcp',
    error: error instanceof Error ? (error.stack ?? String(error)) : String(error),
  })
  return new Problem('internal', 'Something went wrong on the server. Try again later.')
}
