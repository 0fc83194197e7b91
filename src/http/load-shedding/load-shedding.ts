import type { Log } from '../../log'
import { type ConcurrencyLimit, openConcurrencyLimit, type QueueLimits } from './concurrency-limit'
import { openRefusals } from './refusals'
import { openTurnTimer } from './turn-timer'

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
 * than seconds. Once there has been a queue for a second, no request joins it any more, and those in it leave after a second.
 * Requests that find no capacity, or come last in a long turn of the event loop, are refused before any work was done.
 */
export function openLoadShedding(maxActive: number, log: Log, queue = QUEUE): LoadShedding {
  const turn = openTurnTimer()
  const [read, write] = [openConcurrencyLimit(maxActive, queue, turn), openConcurrencyLimit(maxActive, queue, turn)]
  return { read, write, waitToRefuse: openRefusals(log), isIdle: () => read.isIdle() && write.isIdle() }
}
