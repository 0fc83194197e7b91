import type { ProblemBody } from '../contract/errors'
import type { EventType } from '../contract/event-types'
import type { Event } from '../contract/events'
import { ParleyError } from './error'

export interface StreamOptions {
  /** The id of the last event you have. Left out: what happens from now on. */
  after?: string
  types?: readonly EventType[]
  /** Ends the stream. */
  signal?: AbortSignal
  /** Called whenever the server lets in: what happens from here on will come. */
  onOpen?: () => void
  /** Called whenever the connection is lost, or could not be made. What happens meanwhile comes later. */
  onLost?: () => void
  /**
   * Called where the log no longer has the last event: it is too old, or the workspace was restored from a backup. Read
   * the records again: the stream continues with what happens from here on. Left out: the stream throws.
   */
  onReset?: (problem: ParleyError) => void
}

interface Server {
  baseUrl: string
  token: string
  fetch?: typeof fetch
}

/** The server says something every 15 seconds. After three times nothing, the connection is dead: the lid was closed. */
const MAX_SILENCE_MS = 45_000
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000

/**
 * Every event once and in order, for as long as one reads. Connects again when the connection is lost, and goes on from
 * the last event. Throws what no second try would change: a token that is no good, or an event that is gone.
 */
export async function* followEvents(server: Server, options: StreamOptions = {}): AsyncGenerator<Event, void, void> {
  const { signal } = options
  let last = options.after
  for (let failures = 0; !signal?.aborted; failures++) {
    const connection = openConnection(signal)
    try {
      const response = await connection.within(ask(server, options, last, connection.signal))
      const wait = await refusal(response)
      if (wait !== undefined) {
        await pause(Math.max(wait, backoff(failures)), signal)
        continue
      }
      options.onOpen?.()
      for await (const { id, data } of framesOf(response, connection.within)) {
        failures = 0
        last = id ?? last
        if (data !== undefined) yield JSON.parse(data) as Event
      }
    } catch (error) {
      const resumeAfter = error instanceof ParleyError && options.onReset ? error.resumeAfter : undefined
      if (resumeAfter !== undefined) {
        last = resumeAfter
        options.onReset?.(error as ParleyError)
        continue
      }
      if (error instanceof ParleyError || error instanceof SyntaxError) throw error
    } finally {
      connection.close()
      options.onLost?.()
    }
    await pause(backoff(failures), signal)
  }
}

function ask(
  { baseUrl, token, fetch: given = fetch }: Server,
  { types }: StreamOptions,
  last: string | undefined,
  signal: AbortSignal,
) {
  const query = new URLSearchParams()
  if (types) query.set('types', types.join())
  return given(`${baseUrl}/v2/events${query.size > 0 ? `?${query}` : ''}`, {
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'text/event-stream',
      ...(last !== undefined && { 'Last-Event-ID': last }),
    },
    signal,
  })
}

/** How long to wait where the server asks to come again; undefined where it lets in; else what is wrong. */
async function refusal(response: Response): Promise<number | undefined> {
  if (response.ok) return undefined
  if (response.status === 429 || response.status >= 500) {
    await response.body?.cancel()
    return Number(response.headers.get('retry-after') ?? 0) * 1000 || 0
  }
  throw new ParleyError((await response.json()) as ProblemBody, response.headers)
}

/** A connection that is given up when nothing is heard for too long, or when nobody listens any more. */
function openConnection(outer: AbortSignal | undefined) {
  const controller = new AbortController()
  const giveUp = () => controller.abort()
  outer?.addEventListener('abort', giveUp)
  if (outer?.aborted) giveUp()
  return {
    signal: controller.signal,
    async within<T>(work: Promise<T>): Promise<T> {
      const timer = setTimeout(giveUp, MAX_SILENCE_MS)
      try {
        return await work
      } finally {
        clearTimeout(timer)
      }
    },
    close() {
      outer?.removeEventListener('abort', giveUp)
      giveUp()
    },
  }
}

interface Frame {
  id?: string
  data?: string
}

/** Server-sent events, as https://html.spec.whatwg.org/multipage/server-sent-events.html has them. */
async function* framesOf(response: Response, within: <T>(work: Promise<T>) => Promise<T>): AsyncGenerator<Frame> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await within(reader.read())
    if (done) return
    const frames = (text + decoder.decode(value, { stream: true })).split('\n\n')
    // What has no end yet may be cut off: it is asked for again.
    text = frames.pop()!
    yield* frames.map(frameIn)
  }
}

function frameIn(text: string): Frame {
  const frame: Frame = {}
  for (const line of text.split('\n')) {
    const [, field, value] = line.match(/^(id|data): ?(.*)$/) ?? []
    if (field) frame[field as keyof Frame] = value
  }
  return frame
}

/** Longer each time, and never all at the same moment. */
const backoff = (failures: number) =>
  Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), MAX_WAIT_MS) * (0.5 + Math.random() / 2)

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
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
