import type { Parley } from '../gate/parley'
import {
  type BuildState,
  beginPurge,
  continueBuild,
  findBuildState,
  isPurgeDue,
  STEPS_PER_TIDY,
  tidyIndex,
} from '../store/search/build'

const TICK_MS = 250
/** Every so many ticks it runs in any case. */
const TICKS_PER_RUN = 20
/** So many ticks after a change that only this process tells of: on PostgreSQL each node is there for what it wrote. */
const TICKS_PER_OWN_CHANGE = 4
/** Between two purges: at least this long, and a multiple of the time that the last one took. */
const MIN_PURGE_PAUSE_MS = 10_000
const PURGE_PAUSE_FACTOR = 100
const LOG_EVERY_MS = 5_000
const WARN_EVERY_MS = 60_000

export interface SearchIndexing {
  /** Takes the words of removed texts off the disk now. */
  purge(): Promise<void>
  close(): Promise<void>
}

/**
 * Keeps the search index fast and complete: indexes records that were there before it, merges what writes have added, and
 * takes words of removed texts off the disk. All in small steps, with pauses as long as the steps, so that writes never wait long.
 */
export function startSearchIndexing({
  engine,
  changes,
  log,
  metrics,
}: Pick<Parley, 'engine' | 'changes' | 'log' | 'metrics'>): SearchIndexing {
  let isClosed = false
  let versionSeen: number | undefined
  let hasChanged = false
  let ticks = 0
  let remaining = 0
  let nextPurge = performance.now() + MIN_PURGE_PAUSE_MS
  let loggedAt = Number.NEGATIVE_INFINITY
  let warnedAt = Number.NEGATIVE_INFINITY
  metrics.gauge('parley_search_records_waiting', 'Records that are not in the search index yet.', () => remaining, {
    merge: 'shared',
  })
  let running: Promise<void> | undefined
  const timer = setInterval(() => void tick(), TICK_MS)
  timer.unref()
  const unsubscribe = changes.subscribeToAll(() => {
    hasChanged = true
  })
  void tick()
  return {
    purge: () => inTurn(purge),
    async close() {
      isClosed = true
      clearInterval(timer)
      unsubscribe()
      await running
    },
  }

  async function tick() {
    if (!running && isRunDue()) await inTurn(run)
  }

  /** Runs after what is running now. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = (running ?? Promise.resolve()).then(work).finally(() => {
      if (running === turn) running = undefined
    })
    running = turn
    return turn
  }

  function isRunDue(): boolean {
    const version = engine.version()
    const tick = ticks++
    if (tick % TICKS_PER_RUN === 0) return true
    return version === undefined ? hasChanged && tick % TICKS_PER_OWN_CHANGE === 0 : version !== versionSeen
  }

  async function run() {
    hasChanged = false
    try {
      await build()
      if (performance.now() > nextPurge) await purge()
      await tidy()
      versionSeen = engine.version()
    } catch (error) {
      if (!isClosed) warn(String(error))
    }
  }

  function warn(error: string) {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    log.warn('Could not maintain the search index; will retry', { error })
  }

  function tidy(): Promise<void> {
    return inSteps(() => engine.writeAlone(tidyIndex))
  }

  async function build() {
    let state = await engine.read(findBuildState)
    if (state.isBuilt) return void report(state)
    let steps = 0
    await inSteps(async () => {
      state = await engine.writeAlone(continueBuild)
      report(state)
      if (++steps % STEPS_PER_TIDY === 0) await tidy()
      return !state.isBuilt
    })
    if (state.isBuilt) log.info('The search index is complete')
  }

  function report(state: BuildState) {
    remaining = state.remaining
    if (state.isBuilt || performance.now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = performance.now()
    log.info('Indexing records for search', { remaining })
  }

  async function purge() {
    const started = performance.now()
    if (await engine.read(isPurgeDue)) {
      await engine.writeAlone(beginPurge)
      await tidy()
    }
    const took = performance.now() - started
    nextPurge = performance.now() + Math.max(MIN_PURGE_PAUSE_MS, PURGE_PAUSE_FACTOR * took)
  }

  /** Repeats a step while it says that there is more to do. */
  async function inSteps(step: () => Promise<boolean>) {
    for (let hasMore = true; hasMore && !isClosed; ) {
      const started = performance.now()
      hasMore = await step()
      await Bun.sleep(performance.now() - started)
    }
  }
}
