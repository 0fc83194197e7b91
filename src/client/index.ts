import type { Contract } from '../contract'
import type { ProblemBody } from '../contract/errors'
import type { Event } from '../contract/events'
import type { InputOf, Operation, OutputOf } from '../contract/operation'
import type { Page } from '../contract/page'
import { listEndpoints } from './endpoints' with { type: 'macro' }
import type { Endpoint } from './endpoints'
import { ParleyError } from './error'
import { followEvents, type StreamOptions } from './stream'

export { ParleyError } from './error'
export type { StreamOptions } from './stream'

export interface ClientOptions {
  baseUrl: string
  token: string
  fetch?: typeof fetch
}

export interface CallOptions {
  /** Makes a POST safe to retry: requests with the same key and input are performed once. */
  idempotencyKey?: string
  signal?: AbortSignal
}

type Method<O extends Operation> =
  object extends InputOf<O>
    ? (input?: InputOf<O>, options?: CallOptions) => Promise<OutputOf<O>>
    : (input: InputOf<O>, options?: CallOptions) => Promise<OutputOf<O>>

/** Every operation of the contract as a function: `parley.posts.unresolve({ post_id })`. */
export type Client = {
  [N in keyof Contract]: {
    [V in keyof Contract[N]]: Contract[N][V] extends Operation ? Method<Contract[N][V]> : never
  }
} & {
  events: {
    /** Live events: `for await (const event of parley.events.stream()) …`. Reconnects and resumes by itself. */
    stream(options?: StreamOptions): AsyncGenerator<Event, void, void>
  }
}

const endpoints = listEndpoints()

export function createClient(options: ClientOptions): Client {
  const client: Record<string, Record<string, unknown>> = {}
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const [noun, verb] = name.split('.') as [string, string]
    client[noun] ??= {}
    client[noun][verb] = (input = {}, callOptions = {}) => send(options, endpoint, input, callOptions)
  }
  client.events!.stream = (streamOptions?: StreamOptions) => followEvents(options, streamOptions)
  return client as unknown as Client
}

async function send(
  options: ClientOptions,
  endpoint: Endpoint,
  input: Record<string, unknown>,
  callOptions: CallOptions,
) {
  const { url, remaining } = buildUrl(options.baseUrl, endpoint, input)
  const { method, body } = endpoint
  const file = input.file as Blob | undefined
  const response = await (options.fetch ?? fetch)(url, {
    method,
    headers: {
      Authorization: `Bearer ${options.token}`,
      ...(body !== 'none' && { 'Content-Type': body === 'json' ? 'application/json' : file!.type }),
      ...(callOptions.idempotencyKey && { 'Idempotency-Key': callOptions.idempotencyKey }),
    },
    body: body === 'json' ? JSON.stringify(remaining) : body === 'file' ? file : undefined,
    signal: callOptions.signal,
  })
  if (response.status === 204) return undefined
  if (response.ok) return response.json()
  throw new ParleyError((await response.json()) as ProblemBody, response.headers)
}

/** Fills in the path parameters. The remaining input goes into the query or the body. */
function buildUrl(baseUrl: string, endpoint: Endpoint, input: Record<string, unknown>) {
  const remaining = { ...input }
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => {
    const value = encodeURIComponent(String(remaining[name]))
    delete remaining[name]
    return value
  })
  if (endpoint.body !== 'none') return { url: baseUrl + path, remaining }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(remaining)) if (value !== undefined) query.set(name, String(value))
  return { url: `${baseUrl}${path}${query.size > 0 ? `?${query}` : ''}`, remaining }
}

/** Iterates over all records of a list and loads each page when it is needed. */
export async function* everyRecord<I extends { after?: string }, R>(
  list: ((input: I) => Promise<Page<R>>) | ((input?: I) => Promise<Page<R>>),
  input: I,
): AsyncGenerator<R> {
  let after: string | null | undefined = input.after
  do {
    const page: Page<R> = await list({ ...input, ...(after && { after }) })
    yield* page.data
    after = page.next_cursor
  } while (after)
}
