import type { Input } from '../../contract'
import { Problem } from '../../contract/errors'
import { MAX_WAIT_SECONDS } from '../../contract/events'
import { type Admitted, type Answer, admit, type Call, perform } from '../../gate/call'
import { parseQuery, validInput } from '../../gate/input'
import type { Parley } from '../../gate/parley'
import { openEventStream } from './event-stream'

/** `GET /v2/events`: a page of the log, after a wait if asked for; or a stream of server-sent events. */
export function answerEvents(parley: Parley, call: Call, request: Request): Promise<Answer> {
  const wantsStream = request.headers.get('accept')?.includes('text/event-stream')
  return wantsStream ? stream(parley, call, request) : poll(parley, call, request.signal)
}

async function poll(parley: Parley, call: Call, signal: AbortSignal): Promise<Answer> {
  const wait = Math.min(Math.max(Number(parseQuery(call.query).get('wait')?.[0]) || 0, 0), MAX_WAIT_SECONDS)
  let entered = await admit(parley, call)
  const { workspace, author } = entered.bearer.viewer
  await parley.personalEvents.settle(workspace.key, author.key)
  if (wait === 0) return perform(parley, call, entered)

  const releaseSlot = reserveSlot(parley, entered)
  const waiting = openWait(parley, entered.bearer.viewer.workspace.key, wait * 1000, signal)
  try {
    for (;;) {
      const change = waiting.nextChange()
      if (waiting.isOver() || (await hasAnswer(parley, call, entered))) return await perform(parley, call, entered)
      await change
      // Waking up is not another request, but the token may no longer be valid.
      entered = { ...entered, bearer: await parley.findBearer(call.token, parley.clock()) }
    }
  } finally {
    waiting.stop()
    releaseSlot()
  }
}

/** Whether there is anything to answer yet: events, more of the log to search, or an error. */
async function hasAnswer({ feeds }: Parley, call: Call, { bearer }: Admitted): Promise<boolean> {
  try {
    const input = inputOf(call)
    return await feeds.hasEvents(bearer.viewer, input)
  } catch {
    return true
  }
}

const inputOf = ({ query }: Call) =>
  validInput('events.list', { params: {}, query, body: undefined }) as Input<'events.list'>

/** Takes one of the slots for streams and waiting polls, or throws with the headers that every response has. */
function reserveSlot({ streams }: Parley, { bearer, headers }: Admitted): () => void {
  try {
    return streams.reserve(bearer.viewer.author.key)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(error.code, error.detail, error.errors, { ...headers, ...error.headers })
  }
}

/** Waits for changes to a workspace until the time is up, the client disconnects or the server stops. */
function openWait({ changes, streams }: Parley, workspaceKey: number, milliseconds: number, signal: AbortSignal) {
  let isOver = false
  let change = Promise.withResolvers<void>()
  const end = () => {
    isOver = true
    change.resolve()
  }
  const signals = [signal, streams.closing]
  for (const each of signals) each.addEventListener('abort', end)
  if (signals.some(({ aborted }) => aborted)) end()
  const timer = setTimeout(end, milliseconds)
  const unsubscribe = changes.subscribe(workspaceKey, () => change.resolve())
  return {
    isOver: () => isOver,
    nextChange() {
      change = Promise.withResolvers()
      return change.promise
    },
    stop() {
      clearTimeout(timer)
      unsubscribe()
      for (const each of signals) each.removeEventListener('abort', end)
    },
  }
}

async function stream(parley: Parley, call: Call, { headers: sent, signal, method }: Request): Promise<Answer> {
  const entered = await admit(parley, call)
  const { bearer, headers } = entered
  const answer = { status: 200, contentType: 'text/event-stream', headers: { ...headers, 'X-Accel-Buffering': 'no' } }
  const input = inputOf(call)
  // A response to HEAD has no body, so nobody would read or end the stream.
  if (method === 'HEAD') return { ...answer, body: null }

  const releaseSlot = reserveSlot(parley, entered)
  try {
    const start = await parley.feeds.findStart(bearer.viewer, sent.get('last-event-id') || input.after)
    const connection = openEventStream(parley, call.token!, bearer, start, releaseSlot, input.types)
    // Bun cancels the body of a response only if it has begun to send it.
    signal.addEventListener('abort', connection.end)
    if (signal.aborted) connection.end()
    return { ...answer, body: connection.readable }
  } catch (error) {
    releaseSlot()
    throw error
  }
}
