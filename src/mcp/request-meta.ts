import { findNameProblem } from '../domain/names'
import type { Caller } from './agent-api'

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const IDEMPOTENCY_KEY = 'parley/idempotency_key'
const MAX_LENGTH = 100

interface RequestInfo {
  _meta?: Record<string, unknown>
  envelope?: Record<string, unknown>
}

/** What a request says about itself: the key that makes it happen once, and the name of the program if the token has none. */
export function readMeta(caller: Caller, { _meta, envelope }: RequestInfo): Pick<Caller, 'via' | 'idempotencyKey'> {
  const key = _meta?.[IDEMPOTENCY_KEY]
  const client = envelope?.[CLIENT_INFO] as { title?: unknown; name?: unknown } | undefined
  return {
    via: caller.via ?? (clean(client?.title) || clean(client?.name) || 'an agent'),
    idempotencyKey: typeof key === 'string' ? key : caller.idempotencyKey,
  }
}

/** On one line, without invisible characters. Empty for what could not be a name. */
function clean(name: unknown): string {
  if (typeof name !== 'string') return ''
  const line = name.slice(0, MAX_LENGTH).toWellFormed().replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim()
  return findNameProblem(line) ? '' : line
}
