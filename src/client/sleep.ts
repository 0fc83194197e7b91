const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000

/**
 * How long to wait after so many failures: twice as long each time, and at least half of that. The rest is random, so that clients
 * that failed together do not come back together.
 */
export const backoff = (failures: number) =>
  Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS) * (0.5 + Math.random() / 2)

/** Waits, unless the signal ends it. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}
