import type { Parley } from '../gate/parley'

interface Work {
  /** What it looks for, for the log. */
  what: string
  /** Between two rounds, so that many writes in a row share one. The first write after a pause is seen at once. */
  minRoundMs: number
  /** Returns whether there is more. */
  runRound(): Promise<boolean>
}

export interface Rounds {
  /** Starts a round, or another one after the one that runs. Resolves when no more is due. */
  tick(): Promise<void>
  /** Resolves when the rounds that run are over; undefined if none runs. */
  running(): Promise<void> | undefined
  /** Runs something else while no round runs. */
  whilePaused<T>(other: () => Promise<T>): Promise<T>
  isClosed(): boolean
  /** Starts no more rounds; one that runs is finished. */
  close(): void
}

/** Runs work in rounds, one at a time: after every write of this process, and at every tick. */
export function openRounds({ changes, log }: Parley, { what, minRoundMs, runRound }: Work): Rounds {
  let isClosed = false
  let isDue = false
  let pauses = 0
  let running: Promise<void> | undefined
  let lastRound = Number.NEGATIVE_INFINITY

  const unsubscribe = changes.subscribeToAll(() => void tick())
  return {
    tick,
    running: () => running,
    whilePaused,
    isClosed: () => isClosed,
    close() {
      isClosed = true
      unsubscribe()
    },
  }

  function tick(): Promise<void> {
    if (isClosed || pauses > 0) return Promise.resolve()
    isDue = true
    running ??= run()
    return running
  }

  async function run() {
    try {
      while (isDue && !isClosed) {
        await Bun.sleep(Math.max(0, lastRound + minRoundMs - performance.now()))
        isDue = false
        lastRound = performance.now()
        while ((await runRound()) && !isClosed);
      }
    } catch (error) {
      log.warn(`Could not look for ${what}; will retry`, { error: String(error) })
    } finally {
      // At once, or else a tick that comes now would not start a round.
      running = undefined
    }
  }

  async function whilePaused<T>(other: () => Promise<T>): Promise<T> {
    pauses += 1
    try {
      await running
      return await other()
    } finally {
      pauses -= 1
      void tick()
    }
  }
}
