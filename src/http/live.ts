import { startOf } from '../actions/events'
import type { Input } from '../contract'
import { Problem } from '../contract/errors'
import { LONGEST_WAIT_SECONDS } from '../contract/events'
import { positionOf } from '../domain/event-id'
import type { Viewer } from '../domain/permissions'
import type { Position } from '../domain/position'
import { type Admitted, type Answer, admitted, type Call, perform } from '../gate/call'
import { validInput } from '../gate/input'
import { parametersOf } from '../gate/input/query'
import type { Parley } from '../gate/parley'
import { openEventStream } from './event-stream'

/** `GET /v2/events`: a page of the log, waiting for one if asked to; or the log as it grows. */
export function follow(parley: Parley, call: Call, request: Request): Promise<Answer> {
  const wantsStream = request.headers.get('accept')?.includes('text/event-stream')
  return wantsStream ? stream(parley, call, request) : poll(parley, call, request.signal)
}

async function poll(parley: Parley, request: Call, signal: AbortSignal): Promise<Answer> {
  const wait = Math.min(Math.max(Number(parametersOf(request.query).get('wait')?.[0]) || 0, 0), LONGEST_WAIT_SECONDS)
  let entered = await admitted(parley, request)
  if (wait === 0) return perform(parley, request, entered)

  const leave = reservePlace(parley, entered)
  const waiting = openWaiting(parley, entered.bearer.viewer.workspace.key, wait * 1000, signal)
  try {
    for (;;) {
      const news = waiting.next()
      const answer = await perform(parley, request, entered)
      if (!isStill(answer) || waiting.isOver()) return answer
      await news
      // Waking up is no request of its own, but by now the token may be no good.
      entered = { ...entered, bearer: await parley.admit(request.token, parley.clock()) }
    }
  } finally {
    waiting.stop()
    leave()
  }
}

/** A place among those who follow the log, or the error with the headers that every answer has. */
function reservePlace({ streams }: Parley, { bearer, headers }: Admitted): () => void {
  try {
    return streams.reserve(bearer.viewer.author.key)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(error.code, error.detail, error.errors, { ...headers, ...error.headers })
  }
}

/** Nothing to read, and nothing further on that could be looked at right away. */
const isStill = ({ body }: Answer) =>
  String(body).startsWith('{"data":[]') && String(body).endsWith('"has_more":false}')

/** Until something happens; for so long at most, and no longer than someone waits for it. */
function openWaiting({ pulse, streams }: Parley, workspaceKey: number, milliseconds: number, signal: AbortSignal) {
  let isOver = false
  let beat = Promise.withResolvers<void>()
  const end = () => {
    isOver = true
    beat.resolve()
  }
  const signals = [signal, streams.closing]
  for (const each of signals) each.addEventListener('abort', end)
  if (signals.some(({ aborted }) => aborted)) end()
  const timer = setTimeout(end, milliseconds)
  const stopFeeling = pulse.feel(workspaceKey, () => beat.resolve())
  return {
    isOver: () => isOver,
    next() {
      beat = Promise.withResolvers()
      return beat.promise
    },
    stop() {
      clearTimeout(timer)
      stopFeeling()
      for (const each of signals) each.removeEventListener('abort', end)
    },
  }
}

async function stream(parley: Parley, request: Call, { headers: given, signal, method }: Request): Promise<Answer> {
  const entered = await admitted(parley, request)
  const { bearer, headers } = entered
  const answer = { status: 200, contentType: 'text/event-stream', headers: { ...headers, 'X-Accel-Buffering': 'no' } }
  const input = validInput('events.list', { params: {}, query: request.query, body: undefined }) as Input<'events.list'>
  // Nobody would read it, nor end it.
  if (method === 'HEAD') return { ...answer, body: null }

  const leave = reservePlace(parley, entered)
  try {
    const start = await startOfStream(parley, bearer.viewer, given.get('last-event-id') || input.after)
    const sink = openEventStream(parley, request.token!, bearer, start, leave, input.types)
    // Bun tells the body of a response that its reader has left only once it has begun to send it.
    signal.addEventListener('abort', sink.end)
    if (signal.aborted) sink.end()
    return { ...answer, body: sink.readable }
  } catch (error) {
    leave()
    throw error
  }
}

/** Where the caller left off, or the end of the log. */
const startOfStream = ({ engine }: Parley, viewer: Viewer, after: string | undefined): Promise<Position> =>
  engine.read(async (db) => {
    const { newest } = await startOf(db, viewer, after)
    return after === undefined ? newest : positionOf(viewer.workspace.id, after)!
  })
