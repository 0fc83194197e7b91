import type { Log } from '../../log'

const PAUSE_MS = 500
const RELEASE_AFTER_MS = 50

/** How many requests may wait and for how long, and after how long of a queue new requests no longer join it. */
export interface QueueLimits {
  maxLength: number
  maxWaitMs: number
  maxStandingMs: number
}

interface Waiting {
  since: number
  resolve(isAcquired: boolean): void
}

/** Limits how many requests of a kind are handled at a time. A bounded number of others wait in a queue. */
export interface ConcurrencyLimit {
  /** True if there is capacity right now; then `release` must follow. */
  tryAcquire(): boolean
  /** The same for requests that found none: resolves after a wait, with false if the request must be refused. */
  acquire(): Promise<boolean>
  release(): void
  /** Does something that is no work for the server, such as reading a body. If it takes long, others may run meanwhile. */
  releaseWhile<T>(work: () => Promise<T>): Promise<T>
  isIdle(): boolean
  load(): { active: number; waiting: number }
}

function openConcurrencyLimit(
  maxActive: number,
  { maxLength, maxWaitMs, maxStandingMs }: QueueLimits,
  turn: TurnTimer,
): ConcurrencyLimit {
  const queue: Waiting[] = []
  let active = 0
  let isFull = false
  let fullSince = 0
  let fullAt = Number.NEGATIVE_INFINITY

  /** Called when a request found no capacity. True if that has gone on for long, without a pause. */
  function isOverloaded(): boolean {
    const now = performance.now()
    if (!isFull && now - fullAt > PAUSE_MS) fullSince = now
    fullAt = now
    isFull = active >= maxActive
    return now - fullSince > maxStandingMs
  }

  /** A pause begins here, not with the last request: while a transaction blocks the event loop, none can arrive. */
  function noteSpareCapacity() {
    if (!isFull) return
    isFull = false
    fullAt = performance.now()
  }

  /** Requests that joined the queue before the overload was known are refused as soon as new ones would be. */
  function refuseOldWaiting() {
    const since = performance.now() - maxStandingMs
    while (queue[0] && queue[0].since < since) queue.shift()!.resolve(false)
  }

  return {
    tryAcquire() {
      if (active >= maxActive || turn.isLong()) return false
      active += 1
      return true
    },
    async acquire() {
      if (isOverloaded()) {
        refuseOldWaiting()
        return false
      }
      if (active >= maxActive) return queue.length < maxLength && joinQueue()
      active += 1
      return true
    },
    release,
    isIdle: () => active === 0 && queue.length === 0,
    load: () => ({ active, waiting: queue.length }),
    async releaseWhile(work) {
      let isReleased = false
      const timer = setTimeout(() => {
        isReleased = true
        release()
      }, RELEASE_AFTER_MS)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        if (isReleased) active += 1
      }
    },
  }

  function release() {
    active -= 1
    if (active >= maxActive) return
    if (queue.length === 0) return noteSpareCapacity()
    active += 1
    queue.shift()!.resolve(true)
  }

  function joinQueue(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      // All wait equally long, so the one whose time is over is the first in the queue.
      queue.shift()
      resolve(false)
    }, maxWaitMs)
    queue.push({
      since: performance.now(),
      resolve(isAcquired) {
        clearTimeout(timer)
        resolve(isAcquired)
      },
    })
    return promise
  }
}

const QUEUE: QueueLimits = { maxLength: 1_000, maxWaitMs: 4_000, maxStandingMs: 1_000 }

export interface LoadShedding {
  read: ConcurrencyLimit
  write: ConcurrencyLimit
  /** Resolves when one more request may be refused. */
  waitToRefuse(): Promise<void>
  /** Whether no request is being handled, not even for a client that has disconnected. */
  isIdle(): boolean
}

/**
 * Keeps an overloaded server at full throughput. A burst of requests waits in a queue and is served, if that takes no more
 * than seconds. Once there has been a queue for a second, no request joins it any more, and queued requests are refused after a second.
 * Requests that find no capacity, or come last in a long turn of the event loop, are refused before any work was done.
 */
export function openLoadShedding(maxActive: number, log: Log, queue = QUEUE): LoadShedding {
  const turn = openTurnTimer()
  const [read, write] = [openConcurrencyLimit(maxActive, queue, turn), openConcurrencyLimit(maxActive, queue, turn)]
  return { read, write, waitToRefuse: openRefusals(log), isIdle: () => read.isIdle() && write.isIdle() }
}

const MAX_TURN_MS = 100

/** Times a turn of the event loop: the handling of all requests that had arrived when it began. */
interface TurnTimer {
  /** Whether the current turn has taken so long that the requests left in it should be refused. */
  isLong(): boolean
}

function openTurnTimer(): TurnTimer {
  let started: number | undefined
  const end = () => {
    started = undefined
  }
  return {
    isLong() {
      const now = performance.now()
      if (started !== undefined) return now - started > MAX_TURN_MS
      started = now
      setImmediate(end)
      return false
    },
  }
}

/** Clients that are refused and retry at once would otherwise keep the server busy with refusing. */
const MAX_REFUSALS_PER_MS = 2

/** Paces refusals, so that they cost little however many there are, and logs their number once a second. */
function openRefusals(log: Log): () => Promise<void> {
  let count = 0
  let nextAt = 0
  const logCount = () => {
    log.warn('Overloaded: refused requests', { refused: count })
    count = 0
  }
  return function waitForTurn() {
    count += 1
    if (count === 1) setTimeout(logCount, 1_000).unref()
    const now = performance.now()
    nextAt = Math.max(now, nextAt + 1 / MAX_REFUSALS_PER_MS)
    return Bun.sleep(nextAt - now)
  }
}
