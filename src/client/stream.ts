import type { ProblemBody } from '../contract/errors'
import type { EventType } from '../contract/event-types'
import type { Event } from '../contract/events'
import { ParleyError } from './error'

export interface StreamOptions {
  /** The id of the last event you received. Without it, the stream starts with new events. */
  after?: string
  types?: readonly EventType[]
  /** Ends the stream. */
  signal?: AbortSignal
  /** Called on every successful connection. Every event from here on is delivered. */
  onOpen?: () => void
  /** Called when the connection is lost or cannot be opened. Missed events are delivered after reconnecting. */
  onLost?: () => void
  /**
   * Called if the log no longer has the last event, because it is too old or a backup was restored. Read all records
   * again; the stream continues with new events. Without this callback, the stream throws.
   */
  onReset?: (problem: ParleyError) => void
}

interface Server {
  baseUrl: string
  token: string
  fetch?: typeof fetch
}

/** The server sends a heartbeat every 15 seconds. After three missed ones, the connection is considered dead. */
const MAX_SILENCE_MS = 45_000
const INITIAL_WAIT_MS = 250
const MAX_WAIT_MS = 30_000

/**
 * Yields every event once and in order. Reconnects when the connection is lost, and resumes after the last event. Throws
 * errors that a retry cannot fix, such as an invalid token.
 */
export async function* followEvents(server: Server, options: StreamOptions = {}): AsyncGenerator<Event, void, void> {
  const { signal } = options
  let lastId = options.after
  for (let failures = 0; !signal?.aborted; failures++) {
    const connection = openConnection(signal)
    try {
      const response = await connection.withTimeout(connect(server, options, lastId, connection.signal))
      const retryDelay = await getRetryDelay(response)
      if (retryDelay !== undefined) {
        await sleep(Math.max(retryDelay, backoff(failures)), signal)
        continue
      }
      options.onOpen?.()
      for await (const { id, data } of readFrames(response, connection.withTimeout)) {
        failures = 0
        lastId = id ?? lastId
        if (data !== undefined) yield JSON.parse(data) as Event
      }
    } catch (error) {
      const resumeAfter = error instanceof ParleyError && options.onReset ? error.resumeAfter : undefined
      if (resumeAfter !== undefined) {
        lastId = resumeAfter
        options.onReset?.(error as ParleyError)
        continue
      }
      if (error instanceof ParleyError || error instanceof SyntaxError) throw error
    } finally {
      connection.close()
      options.onLost?.()
    }
    await sleep(backoff(failures), signal)
  }
}

function connect(
  { baseUrl, token, fetch: fetchFunction = fetch }: Server,
  { types }: StreamOptions,
  lastId: string | undefined,
  signal: AbortSignal,
) {
  const query = new URLSearchParams()
  if (types) query.set('types', types.join())
  return fetchFunction(`${baseUrl}/v2/events${query.size > 0 ? `?${query}` : ''}`, {
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'text/event-stream',
      ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
    },
    signal,
  })
}

/** How long to wait before the next attempt; undefined if connected. Throws errors that a retry cannot fix. */
async function getRetryDelay(response: Response): Promise<number | undefined> {
  if (response.ok) return undefined
  if (response.status === 429 || response.status >= 500) {
    await response.body?.cancel()
    return Number(response.headers.get('retry-after') ?? 0) * 1000 || 0
  }
  throw new ParleyError((await response.json()) as ProblemBody, response.headers)
}

/** A connection that is aborted after too long a silence, or by the caller's signal. */
function openConnection(callerSignal: AbortSignal | undefined) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  callerSignal?.addEventListener('abort', abort)
  if (callerSignal?.aborted) abort()
  return {
    signal: controller.signal,
    async withTimeout<T>(work: Promise<T>): Promise<T> {
      const timer = setTimeout(abort, MAX_SILENCE_MS)
      try {
        return await work
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

interface Frame {
  id?: string
  data?: string
}

/** Parses server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
async function* readFrames(
  response: Response,
  withTimeout: <T>(work: Promise<T>) => Promise<T>,
): AsyncGenerator<Frame> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await withTimeout(reader.read())
    if (done) return
    const frames = (text + decoder.decode(value, { stream: true })).split('\n\n')
    // An incomplete frame is kept until its end arrives. If the connection drops first, it is requested again.
    text = frames.pop()!
    yield* frames.map(parseFrame)
  }
}

function parseFrame(text: string): Frame {
  const frame: Frame = {}
  for (const line of text.split('\n')) {
    const [, field, value] = line.match(/^(id|data): ?(.*)$/) ?? []
    if (field) frame[field as keyof Frame] = value
  }
  return frame
}

/** Exponential back-off with jitter. */
const backoff = (failures: number) =>
  Math.min(INITIAL_WAIT_MS * 2 ** Math.min(failures, 10), MAX_WAIT_MS) * (0.5 + Math.random() / 2)

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
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
