import type { EventType } from '../contract/event-types'
import type { Event } from '../contract/events'
import type { CallOptions, ParleyOptions } from './calls'
import { ApiError, ParleyError } from './errors'
import {
  backoff,
  type Connection,
  exchange,
  mayPass,
  openConnection,
  reach,
  retryAfter,
  sleep,
  toAddress,
  toApiError,
} from './send'

export interface StreamOptions {
  /** The id of the last event you received. Without it, the stream starts with new events. */
  after?: string
  types?: readonly EventType[]
  /** @deprecated Pass it in the options, after these parameters, as for every other call. There it has precedence. */
  signal?: AbortSignal
  /** Called on every successful connection. Every event from here on is delivered. */
  onOpen?: () => void
  /** Called when the connection is lost or cannot be opened. Missed events are delivered after reconnecting. */
  onLost?: () => void
  /**
   * Called if the log no longer has the last event, because it is too old or a backup was restored. Read all records
   * again; the stream continues with new events. Without this callback, the stream throws.
   */
  onReset?: (problem: ApiError) => void
}

/** The server sends a heartbeat every 15 seconds. After three missed ones, the connection is considered dead. */
const MAX_SILENCE_MS = 45_000
/** The longest that a server may ask to wait. Timers of more than 24 days would end at once. */
const MAX_RETRY_AFTER_MS = 10 * 60_000
/** No event is that long: what the server sends is not a stream of events. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/**
 * Yields every event once and in order. Reconnects when the connection is lost, and resumes after the last event. Throws
 * errors that a retry cannot fix, such as an invalid token.
 */
export async function* followEvents(
  server: ParleyOptions,
  options: StreamOptions = {},
  { signal = options.signal }: Pick<CallOptions, 'signal'> = {},
): AsyncGenerator<Event, void, void> {
  let lastId = options.after
  let wasOpen = false
  for (let failures = 0; !signal?.aborted; failures++) {
    let wait = 0
    const connection = openConnection(signal, MAX_SILENCE_MS)
    try {
      const response = await connection.within(connect(server, options, lastId, connection.signal))
      wasOpen = true
      options.onOpen?.()
      for await (const { id, data } of readFrames(response, connection.within)) {
        failures = 0
        lastId = id ?? lastId
        if (data) yield JSON.parse(data) as Event
      }
    } catch (error) {
      if (signal?.aborted) return
      const problem = error instanceof ApiError ? error : undefined
      if (problem?.resumeAfter !== undefined && options.onReset) {
        lastId = problem.resumeAfter
        options.onReset(problem)
      } else {
        const isOtherServer = problem !== undefined && problem.status < 300 && !wasOpen
        if (isOtherServer || !mayPass(error)) throw error
        wait = Math.min(retryAfter(error), MAX_RETRY_AFTER_MS)
      }
    } finally {
      connection.close()
      options.onLost?.()
    }
    await sleep(wait + backoff(failures), signal)
  }
}

/** The response that holds the stream. */
async function connect(
  options: ParleyOptions,
  { types }: StreamOptions,
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const query = types ? `?${new URLSearchParams({ types: types.join() })}` : ''
  const headers = new Headers({ Authorization: `Bearer ${options.token}`, Accept: 'text/event-stream' })
  if (lastId !== undefined) headers.set('Last-Event-ID', lastId)
  const url = toAddress(options.baseUrl, `events${query}`)
  const response = await exchange(options, { url, method: 'GET', headers }, signal)
  if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  throw await toApiError(response)
}

/** The server-sent events of a response. An incomplete one at its end is not among them: it is requested again. */
async function* readFrames(response: Response, within: Connection['within']): AsyncGenerator<Frame> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  const parse = openFrameParser()
  let pendingBytes = 0
  for (;;) {
    const { done, value } = await within(reach(() => reader.read()))
    if (done) return
    pendingBytes += value.length
    if (pendingBytes > MAX_FRAME_BYTES) throw new ParleyError('The server sent an event that is too long.')
    const frames = parse(decoder.decode(value, { stream: true }))
    if (frames.length > 0) pendingBytes = 0
    yield* frames
  }
}

/** A server-sent event, or a comment that says how far the log was searched. */
interface Frame {
  id?: string
  data?: string
}

/**
 * Returns a function that takes a stream of server-sent events as it arrives, in pieces of any length, and returns the frames
 * that are complete.
 */
function openFrameParser(): (text: string) => Frame[] {
  let rest = ''
  let frame: Frame = {}

  const readLine = (line: string): Frame[] => {
    // The greeting and heartbeats say how far the log was searched: `: after <id>`.
    if (line.startsWith(':')) return [{ id: line.match(/^: after (\S+)$/)?.[1] }]
    const [, field, value] = line.match(/^(id|data): ?(.*)/) ?? []
    if (field === 'id') frame.id = value
    if (field === 'data') frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`
    if (line) return []
    const ended = frame
    frame = {}
    return ended.data === undefined ? [] : [ended]
  }

  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    return lines.flatMap((line) => readLine(line.replace(/\r$/, '')))
  }
}
