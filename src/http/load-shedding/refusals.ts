import type { Log } from '../../log'

/** Clients that are refused and retry at once would otherwise keep the server busy with refusing. */
const MAX_REFUSALS_PER_MS = 2

/** Paces refusals, so that they cost little however many there are, and logs their number once a second. */
export function openRefusals(log: Log): () => Promise<void> {
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
