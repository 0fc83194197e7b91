import { startOf } from '../actions/events'
import type { Input } from '../contract'
import { Problem } from '../contract/errors'
import { LONGEST_WAIT_SECONDS } from '../contract/events'
import { eventId, positionOf } from '../domain/event-id'
import { adaptSight, canHear, changesSight, type Sight } from '../domain/hearing'
import type { Viewer } from '../domain/permissions'
import type { Position } from '../domain/position'
import type { Bearer } from '../gate/bearers'
import { type Admitted, type Answer, admitted, type Call, perform } from '../gate/call'
import { validInput } from '../gate/input'
import type { Parley } from '../gate/parley'
import { parametersOf } from '../gate/query'
import { toEvent } from '../records/events'
import type { LoggedEvent } from '../store/events'
import { findSight } from '../store/sight'
import { openSink } from './sink'

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

/** The log from a position on, for as long as the token is good and the reader keeps up. */
function openEventStream(
  parley: Parley,
  token: string,
  first: Bearer,
  start: Position,
  onEnd: () => void,
  types?: readonly string[],
) {
  const feed = parley.feeds.of(first.viewer.workspace.key)
  let { viewer } = first
  let sight: Sight | undefined
  let sightAt = -1
  let position = start
  let isPumping = false
  let isDue = false

  /** Grows when what was read must be read again before it is sent. */
  let rereads = 0

  const unfollow = feed.follow({ onNews: () => void pump(), onDeletion: reread })
  const sink = openSink(parley.streams, {
    isOver: () => first.row.expires_at !== null && first.row.expires_at <= parley.clock(),
    onEnd() {
      unfollow()
      onEnd()
    },
    position: () => eventId(first.viewer.workspace.id, position),
  })
  void pump()
  return sink

  async function pump() {
    isDue = true
    if (isPumping) return heed()
    isPumping = true
    try {
      // Who asks was let in a moment ago; what happened in between is seen here, and everything later in the log.
      if (!sight) await look()
      while (isDue) {
        isDue = false
        await drain()
      }
    } catch {
      // The token is no longer good, the database is away, or a backup was restored: the reader comes back with the
      // last event it has, and is told.
      sink.end()
    } finally {
      isPumping = false
    }
  }

  function reread() {
    rereads += 1
    takeBack()
  }

  /** Goes back to the first event that the reader was not given yet: it may not be theirs to see any more. */
  function takeBack() {
    const unsent = sink.takeBack()
    if (unsent === undefined) return
    rereads += 1
    position = unsent
    void pump()
  }

  /** What is on its way to a slow reader is still only what they may see: that does not wait until they have read. */
  async function heed() {
    try {
      if (sight && (await feed.sightChangedAt()) > sightAt) await look()
    } catch {
      sink.end()
    }
  }

  async function drain() {
    let hasMore = true
    while (hasMore) {
      const read = rereads
      const batch = await feed.after(position)
      if (batch.length > 0) await followSight(batch)
      for (const event of batch) {
        if (rereads !== read) break
        // First: a heartbeat that comes in between says where to go on from.
        const before = position
        position = { revision: event.revision, nonce: event.nonce }
        const isWanted = !types || types.includes(event.type)
        const reading = isWanted && canHear(viewer, sight!, event) && sink.write(frameOf(event), before)
        if (reading) await reading
      }
      hasMore = batch.length > 0 || rereads !== read
    }
  }

  /** What they may see after all of these: nothing is judged by what they saw before. */
  async function followSight(batch: readonly LoggedEvent[]) {
    for (const event of batch) {
      if (event.revision <= sightAt || !changesSight(event.type)) continue
      if (!adaptSight(sight!, viewer, first.row.token_id, event)) return look()
      takeBack()
    }
    sightAt = Math.max(sightAt, batch.at(-1)!.revision)
  }

  /** Who asks, and what they may see, as of now. */
  async function look() {
    const bearer = await parley.admit(token, parley.clock())
    const seen = await parley.engine.read((db) => findSight(db, bearer.viewer))
    const { revision } = bearer.position
    if (revision < sightAt) return
    // As of when the bearer was found; what they see was looked up after that, so it is no older.
    sightAt = revision
    sight = seen
    viewer = bearer.viewer
    takeBack()
  }

  function frameOf(event: LoggedEvent): Uint8Array {
    return frames.getOrInsertComputed(event, () => {
      const { id, ...rest } = toEvent(parley.links, viewer.workspace.id, event)
      return encoder.encode(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify({ id, ...rest })}\n\n`)
    })
  }
}

const encoder = new TextEncoder()

/** An event is written out once, for all who follow. */
const frames = new WeakMap<LoggedEvent, Uint8Array>()
