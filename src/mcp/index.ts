import { Problem } from '../contract/errors'
import type { Answer } from '../gate/answer'
import { admit } from '../gate/call'
import type { Parley } from '../gate/parley'
import type { Caller } from './agent-api'
import type { CreateServer } from './server'

interface AgentRequest {
  request: Request
  token: string | undefined
  idempotencyKey?: string
  /** Read only once the caller is admitted. */
  readBody: () => Promise<unknown>
  releaseWhile: Caller['releaseWhile']
}

/**
 * The entry point for agents, which use the Model Context Protocol. Its library is loaded for the first caller, because loading
 * it takes longer than the rest of the start.
 */
export function openMcp(parley: Parley, createServer?: CreateServer) {
  let loading: ReturnType<typeof load> | undefined

  async function load() {
    const { openServer } = await import('./server')
    return openServer(parley, createServer)
  }

  return async function answerAgent(agent: AgentRequest): Promise<Answer> {
    const { request, token, idempotencyKey, readBody, releaseWhile } = agent
    // Counts as a request, as does each operation that a tool then calls.
    const { bearer, headers } = await admit(parley, { name: 'me.get', token })
    const body = await readBody()
    requireMessage(body)
    loading ??= load()
    const serve = await loading
    const via = bearer.row.token_name || undefined
    const caller: Caller = { token, viewer: bearer.viewer, via, idempotencyKey, releaseWhile }
    const response = await serve(request, body, caller)
    // Complete before it is sent: as long as it is not, the server knows that it is working.
    const bytes = await response.blob()
    return {
      status: response.status,
      body: bytes.size > 0 ? bytes : null,
      contentType: response.headers.get('content-type') ?? '',
      headers,
    }
  }
}

/** More than any message needs. The library validates each value several times: for a megabyte of them, that takes half a second. */
const MAX_VALUES = 1_000

/** Refuses what the library must not get: it would not come to an end, or not soon. */
function requireMessage(body: unknown) {
  // Only one revision of the protocol had them. In a batch, a message that cancels another one leaves no answer to wait for.
  if (Array.isArray(body)) throw new Problem('malformed_request', 'Send one message in each request, not a batch.')
  if (isLarge(body)) throw new Problem('malformed_request', `A message can have at most ${MAX_VALUES} values.`)
}

function isLarge(message: unknown): boolean {
  const found = [message]
  for (const value of found) {
    if (typeof value !== 'object' || value === null) continue
    for (const name in value) if (found.push(value[name as never]) > MAX_VALUES) return true
  }
  return false
}
