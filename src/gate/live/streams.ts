import { Problem } from '../../contract/errors'

/** How many may be open in this process: of one member or app, and of all together. 0 is no limit. */
export interface StreamLimits {
  perCaller: number
  total: number
}

const NO_LIMITS: StreamLimits = { perCaller: 0, total: 0 }
const RETRY_SECONDS = 5

/** What all open streams have in common: a heart that beats, and an end. */
export interface Stream {
  heartbeat(): void
  /** Ends it if its time is over. */
  check(): void
  end(): void
}

export interface Streams {
  /** Takes a place for a stream, or for a poll that waits; throws where there is none. What it returns gives it back. */
  reserve(authorKey: number): () => void
  join(stream: Stream): () => void
  count(): number
  /** Aborted once the server stops: nobody waits for anything any more. */
  closing: AbortSignal
  close(): void
}

const CHECK_MS = 500
const CHECKS_A_HEARTBEAT = 30

export function openStreams(limits = NO_LIMITS, checkMs = CHECK_MS): Streams {
  const reserve = openPlaces(limits)
  const open = new Set<Stream>()
  const closing = new AbortController()
  let timer: Timer | undefined
  let checks = 0

  const tick = () => {
    checks += 1
    const isHeartbeat = checks % CHECKS_A_HEARTBEAT === 0
    for (const stream of open) {
      if (isHeartbeat) stream.heartbeat()
      else stream.check()
    }
  }
  return {
    reserve,
    join(stream) {
      open.add(stream)
      timer ??= setInterval(tick, checkMs)
      return () => {
        open.delete(stream)
        if (open.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    count: () => open.size,
    closing: closing.signal,
    close() {
      closing.abort()
      for (const stream of [...open]) stream.end()
    },
  }
}

function openPlaces({ perCaller, total }: StreamLimits): Streams['reserve'] {
  const callers = new Map<number, number>()
  let taken = 0

  return (authorKey) => {
    const own = callers.get(authorKey) ?? 0
    if (perCaller > 0 && own >= perCaller) throw tooManyStreams(perCaller)
    if (total > 0 && taken >= total) throw serverIsFull(total)
    callers.set(authorKey, own + 1)
    taken += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      taken -= 1
      const left = callers.get(authorKey)! - 1
      if (left === 0) callers.delete(authorKey)
      else callers.set(authorKey, left)
    }
  }
}

const tooManyStreams = (most: number) =>
  new Problem(
    'too_many_streams',
    `A member or app may have ${most} live streams and waiting polls open at a time. Close one, or share one.`,
    undefined,
    { 'Retry-After': String(RETRY_SECONDS) },
  )

const serverIsFull = (most: number) =>
  new Problem(
    'unavailable',
    `This server has ${most} live streams and waiting polls open, which is as many as it takes. Try again later.`,
    undefined,
    { 'Retry-After': String(RETRY_SECONDS) },
  )
