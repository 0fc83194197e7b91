import { Problem } from '../contract/errors'
import { openQueue } from '../domain/fair-queue'
import type { Reader } from '../store/engines/db'
import { type Engine, OutOfTime } from '../store/engines/engine'

/** What one costly read may take. */
export const BUDGET_MS = 2_000
/** How long it waits for its turn before it is refused. */
const MAX_WAIT_MS = 10_000
const MAX_WAITING = 100
/** Of one author, over all their tokens. */
const PER_CALLER = 1

/**
 * Runs reads that can take long, such as searches, apart from all others: a few at a time, one of each caller, and for a limited
 * time. So they delay only other costly reads, and callers take turns.
 */
export function openCostlyReads(engine: Engine, budgetMs: number) {
  const enqueue = openQueue(engine.maxLongReads, MAX_WAITING, { perCaller: PER_CALLER, waitMs: MAX_WAIT_MS })

  async function readWithin<T>(work: (db: Reader) => Promise<T>): Promise<T> {
    try {
      return await engine.readWithin(budgetMs, work)
    } catch (error) {
      throw error instanceof OutOfTime ? tooExpensive(budgetMs) : error
    }
  }

  /** Runs the task when it is this author's turn. It reads by the function that it gets. */
  return <T>(authorKey: number, task: (read: typeof readWithin) => Promise<T>): Promise<T> =>
    enqueue(() => task(readWithin), authorKey)
}

function tooExpensive(budgetMs: number): Problem {
  const message = `The search was stopped after ${budgetMs / 1000} s. Write more letters before a \`*\`, leave out phrases of common words and exclusions, or narrow it down by \`in:\`, \`from:\` or \`after:\`.`
  return new Problem('search_too_expensive', message, [{ in: 'query', name: 'q', message }])
}
