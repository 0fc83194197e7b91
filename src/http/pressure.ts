import { errors } from '../contract/errors'
import type { Log } from '../log'
import { type Answering, pathOf } from './answering'

const LONGEST_TURN_MS = 100
const BREAK_MS = 500
const ASIDE_MS = 50
/** Whoever is refused at once, and asks again at once, would keep the server busy with refusing. */
const REFUSALS_A_MS = 2

/** How many wait at most, for how long, and for how long there may be a line that others join. */
export interface Line {
  longest: number
  waitMs: number
  standingMs: number
}

const LINE: Line = { longest: 1_000, waitMs: 10_000, standingMs: 1_000 }

interface Waiting {
  since: number
  call(isIn: boolean): void
}

/** The way in for one kind of request: so many at a time, the others in a line, and an end to the line. */
export interface Lane {
  /** True where there is room right now; then `leave` must follow. */
  enter(): boolean
  /** The same for those who found no room: after a wait, or false where it is better to come back later. */
  wait(): Promise<boolean>
  leave(): void
  /** Waits for what is no work of the server, such as a body: if it takes long, out of others' way. */
  aside<T>(work: () => Promise<T>): Promise<T>
  isIdle(): boolean
  /** How many are at work, and how many wait. */
  load(): { active: number; waiting: number }
}

export interface Pressure {
  read: Lane
  write: Lane
  /** Until it is the turn of one more to be refused. */
  refusal(): Promise<void>
  /** Whether nobody is at work, even for someone who has hung up. */
  isIdle(): boolean
}

/**
 * Keeps a server that gets more than it can do at doing what it can. A crowd that comes at once waits in line and is served,
 * as long as that takes no more than seconds. Once there has been a line for a second, nobody joins it any more, and whoever
 * is in it leaves after a second: who finds no room, or comes last in a long turn of the event loop, is refused before
 * anything was done for them.
 */
export function openPressure(mostAtWork: number, log: Log, line = LINE): Pressure {
  const turn = openTurn()
  const [read, write] = [openLane(mostAtWork, line, turn), openLane(mostAtWork, line, turn)]
  return { read, write, refusal: openRefusals(log), isIdle: () => read.isIdle() && write.isIdle() }
}

function openLane(mostAtWork: number, { longest, waitMs, standingMs }: Line, turn: ReturnType<typeof openTurn>): Lane {
  const line: Waiting[] = []
  let atWork = 0
  let crowdedSince = 0
  let crowdedAt = Number.NEGATIVE_INFINITY

  /** Someone found no room. True where that has been so for long, with no break worth the name. */
  function isStanding(): boolean {
    const now = performance.now()
    if (now - crowdedAt > BREAK_MS) crowdedSince = now
    crowdedAt = now
    return now - crowdedSince > standingMs
  }

  /** They came before it was known that there is too much for all: now they hear it as soon as the others. */
  function sendAwayWhoWaitedLong() {
    const since = performance.now() - standingMs
    while (line[0] && line[0].since < since) line.shift()!.call(false)
  }

  return {
    enter() {
      if (atWork >= mostAtWork || turn.isLong()) return false
      atWork += 1
      return true
    },
    async wait() {
      if (isStanding()) {
        sendAwayWhoWaitedLong()
        return false
      }
      if (atWork >= mostAtWork) return line.length < longest && inLine()
      atWork += 1
      return true
    },
    leave,
    isIdle: () => atWork === 0 && line.length === 0,
    load: () => ({ active: atWork, waiting: line.length }),
    async aside(work) {
      let isAside = false
      const timer = setTimeout(() => {
        isAside = true
        leave()
      }, ASIDE_MS)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        if (isAside) atWork += 1
      }
    },
  }

  function leave() {
    atWork -= 1
    if (line.length === 0 || atWork >= mostAtWork) return
    atWork += 1
    line.shift()!.call(true)
  }

  function inLine(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      // All wait equally long, so whoever gives up is the first in line.
      line.shift()
      resolve(false)
    }, waitMs)
    line.push({
      since: performance.now(),
      call(isIn) {
        clearTimeout(timer)
        resolve(isIn)
      },
    })
    return promise
  }
}

/** A turn of the event loop: all the requests that had arrived when it began. */
function openTurn() {
  let started: number | undefined
  const end = () => {
    started = undefined
  }
  return {
    isLong(): boolean {
      const now = performance.now()
      if (started !== undefined) return now - started > LONGEST_TURN_MS
      started = now
      setImmediate(end)
      return false
    },
  }
}

/** One after the other, so that refusing costs little however many there are; and a line in the log a second. */
function openRefusals(log: Log) {
  let count = 0
  let nextAt = 0
  const tell = () => {
    log.warn('More requests come in than can be answered', { refused: count })
    count = 0
  }
  return () => {
    count += 1
    if (count === 1) setTimeout(tell, 1_000).unref()
    const now = performance.now()
    nextAt = Math.max(now, nextAt + 1 / REFUSALS_A_MS)
    return Bun.sleep(nextAt - now)
  }
}

/** Answers once there is room, or says that there is none. */
export function admitted(
  doorway: Answering,
  lane: Lane | undefined,
  request: Request,
  name: string,
  answer: (lane?: Lane) => Response | Promise<Response>,
): Response | Promise<Response> {
  if (!lane) return answer()
  if (lane.enter()) return leaving(lane, answer)
  const release = doorway.bodies.hold(request)
  return lane
    .wait()
    .then((isIn) => (isIn ? leaving(lane, answer) : refused(doorway, request, name)))
    .finally(release)
}

function leaving(lane: Lane, answer: (lane: Lane) => Response | Promise<Response>): Response | Promise<Response> {
  const answered = answer(lane)
  if (answered instanceof Promise) void answered.then(lane.leave, lane.leave)
  else lane.leave()
  return answered
}

/** Says no at the cost of a few microseconds: no error is thrown, nothing is looked up, no line is logged. */
async function refused({ parley, meter, pressure }: Answering, request: Request, name: string): Promise<Response> {
  await pressure.refusal()
  const requestId = parley.newId('req', parley.clock())
  meter(name, errors.unavailable.status)
  const { status, title } = errors.unavailable
  const problem = {
    type: `${parley.links.base}/docs/errors#unavailable`,
    title,
    status,
    detail: 'More requests come in than the server can answer. Nothing was changed; try again a little later.',
    instance: pathOf(request.url),
    code: 'unavailable',
    request_id: requestId,
  }
  return new Response(JSON.stringify(problem), {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Retry-After': '1',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    },
  })
}
