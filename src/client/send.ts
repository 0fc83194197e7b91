import type { Answered, CallOptions, ParleyOptions, SentRequest } from './calls'
import type { Endpoint } from './endpoints'
import { ApiError, ConnectionError, classes, NotFoundError, ParleyError, ServerError, TimeoutError } from './errors'

/** Their waits take 4 to 8 seconds in all: longer than a server that restarts is away. */
const DEFAULT_RETRIES = 5
const DEFAULT_TIMEOUT_MS = 60_000
/** A server that asks for more patience than this gets none. */
const MAX_RETRY_AFTER_MS = 60_000

type Input = Record<string, unknown>

/** Sends a request, and repeats it if it fails in a way that may pass. */
export async function send<T>(
  options: ParleyOptions,
  endpoint: Endpoint,
  input: Input,
  given: CallOptions,
  as?: 'markdown' | 'content',
): Promise<Answered<T>> {
  // A stream can be read only once.
  const retries = input.file instanceof ReadableStream ? 0 : (given.retries ?? options.retries ?? DEFAULT_RETRIES)
  const request = buildRequest(options, endpoint, input, given.idempotencyKey ?? (retries > 0 ? newKey() : undefined))
  if (as === 'markdown') request.headers.set('Accept', 'text/markdown')
  const isDeletion = request.method === 'DELETE' && endpoint.includes(' empty')
  let mayBeDone = false
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(options, request, given, as)
    } catch (error) {
      given.signal?.throwIfAborted()
      // An earlier attempt, whose response was lost, has deleted it.
      if (mayBeDone && isDeletion && error instanceof NotFoundError)
        return { data: undefined as T, response: new Response(null, { status: 204, headers: error.headers }) }
      mayBeDone ||= !isRefusal(error)
      const delay = attempt < retries ? retryDelay(error, attempt) : undefined
      if (delay === undefined) throw error
      await sleep(delay, given.signal)
      given.signal?.throwIfAborted()
    }
  }
}

/** One attempt. The time-out also covers the body of the response. */
async function attemptOnce<T>(
  options: ParleyOptions,
  request: SentRequest,
  given: CallOptions,
  as: 'markdown' | 'content' | undefined,
): Promise<Answered<T>> {
  // There is no time limit for sending a file.
  const timeout = given.timeout ?? (typeof request.body === 'object' ? 0 : (options.timeout ?? DEFAULT_TIMEOUT_MS))
  const connection = openConnection(given.signal, timeout)
  const receive = async () => {
    const response = await exchange(options, request, connection.signal)
    if (!response.ok) throw await toApiError(response)
    return { data: (as === 'content' ? response : await readBody(response, as)) as T, response }
  }
  let isOpen = false
  try {
    const answered = await connection.within(receive())
    isOpen = as === 'content'
    return answered
  } finally {
    // The signal can still end the response while its content is read.
    if (!isOpen) connection.close()
  }
}

async function readBody(response: Response, as?: string): Promise<unknown> {
  if (response.status === 204) return undefined
  const text = await readText(response)
  if (as) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(response.status, response.headers, text)
  }
}

/** The request, the same for all attempts: by its key the server performs only one of them. */
function buildRequest(
  options: ParleyOptions,
  endpoint: Endpoint,
  input: Input,
  idempotencyKey: string | undefined,
): SentRequest {
  const [method, path, ...traits] = endpoint.split(' ') as [string, string, ...string[]]
  const { address, remaining } = fillPath(options.baseUrl, path, input)
  const headers = new Headers({ Authorization: `Bearer ${options.token}` })
  if (method === 'POST' && idempotencyKey !== undefined) {
    requireVisible('idempotencyKey', idempotencyKey)
    headers.set('Idempotency-Key', idempotencyKey)
  }
  if (traits.includes('json')) {
    headers.set('Content-Type', 'application/json')
    return { url: address, method, headers, body: JSON.stringify(remaining) }
  }
  const { file, ...filters } = remaining as Input & { file?: Blob & { name?: string } }
  if (traits.includes('upload')) filters.name ??= file?.name
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined && value !== null) query.set(name, String(value))
  if (file?.type) headers.set('Content-Type', file.type)
  return { url: `${address}?${query}`.replace(/\?$/, ''), method, headers, body: file }
}

/** Runtimes refuse other characters in headers too, but do not say where they are, and print the token. */
export function requireVisible(name: string, text: string) {
  if (/[^!-~]/.test(text)) throw new ParleyError(`\`${name}\` must be visible ASCII characters, without spaces.`)
}

/** Fills in the path parameters. The remaining input goes into the query or the body. */
function fillPath(baseUrl: string, path: string, input: Input) {
  const remaining = { ...input }
  const filled = path.replace(/:(\w+)/g, (_, name) => {
    const value = remaining[name]
    // A dot would lead to another path, and an empty text to that of the list.
    if (value === undefined || value === null || /^\.{0,2}$/.test(String(value)))
      throw new ParleyError(`\`${name}\` is missing or not an id.`)
    delete remaining[name]
    return encodeURIComponent(String(value))
  })
  return { address: toAddress(baseUrl, filled), remaining }
}

export const toAddress = (baseUrl: string, path: string) => `${baseUrl.replace(/\/+$/, '')}/v2/${path}`

/** The response to a request. Errors of the network are ConnectionErrors; what hooks throw is passed on. */
export async function exchange(options: ParleyOptions, request: SentRequest, signal: AbortSignal): Promise<Response> {
  const { url, ...init } = request
  await options.onRequest?.(request)
  // A redirected POST would become a GET, and the token would get lost.
  const response = await reach(() =>
    (options.fetch ?? fetch)(url, { ...init, signal, redirect: 'manual', duplex: 'half' } as RequestInit),
  )
  await options.onResponse?.(response, request)
  return response
}

/** How long to wait before the next attempt; undefined if another attempt cannot help. */
function retryDelay(error: unknown, attempt: number): number | undefined {
  if (!mayPass(error)) return undefined
  const asked = retryAfter(error)
  return asked <= MAX_RETRY_AFTER_MS ? asked + backoff(attempt) : undefined
}

/** Whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError)) return false
  const { status, code } = error
  const isCutOff = status >= 200 && status < 300
  return isCutOff || status === 408 || status === 429 || status >= 500 || code === 'idempotency_in_progress'
}

/** Whether the server has done nothing. */
const isRefusal = (error: unknown) => error instanceof ApiError && error.status >= 400 && error.status < 500

/** The milliseconds that the server asks to wait, or 0: its `Retry-After` header holds seconds or a date. */
export function retryAfter(error: unknown): number {
  const text = error instanceof ApiError ? error.headers.get('retry-after') : null
  const wait = /^\d+$/.test(text ?? '') ? Number(text) * 1000 : Date.parse(text ?? '') - Date.now()
  return Math.max(0, wait || 0)
}

/** `crypto.randomUUID` is missing in pages without HTTPS. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')

const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000

/**
 * How long to wait after so many failures: twice as long each time, and at least half of that. The rest is random, so that clients
 * that failed together do not come back together.
 */
export const backoff = (failures: number) =>
  Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS) * (0.5 + Math.random() / 2)

/** Waits, unless the signal ends it. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}

/** Does something in the network. If it fails, it fails as a ConnectionError. */
export async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ParleyError) throw error
    // Node says why in the cause.
    const { message, code } = ((error as Error).cause ?? error) as { message?: string; code?: string }
    throw new ConnectionError(`The server could not be reached: ${message || code}`, { cause: error })
  }
}

const readText = (response: Response) => reach(() => response.text())

/** The error that a response stands for. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const Class = classes[status] ?? (status >= 500 ? ServerError : ApiError)
  return new Class(status, headers, await readText(response))
}

export interface Connection {
  signal: AbortSignal
  /** Waits for this, but not longer than the time-out. */
  within<T>(work: Promise<T>): Promise<T>
  close(): void
}

/** A connection that is aborted by the caller's signal, or if it takes too long. */
export function openConnection(callerSignal: AbortSignal | undefined, timeoutMs: number): Connection {
  const controller = new AbortController()
  const abort = () => controller.abort()
  callerSignal?.addEventListener('abort', abort)
  if (callerSignal?.aborted) abort()
  return {
    signal: controller.signal,
    async within(work) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const timeout = new Promise<never>((_, reject) => {
        if (timeoutMs)
          timer = setTimeout(() => {
            reject(new TimeoutError(`The server did not respond within ${timeoutMs} ms.`))
            abort()
          }, timeoutMs)
      })
      try {
        return await Promise.race([work, timeout])
      } finally {
        clearTimeout(timer)
      }
    },
    close() {
      callerSignal?.removeEventListener('abort', abort)
      abort()
    },
  }
}
