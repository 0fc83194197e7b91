import { MAX_RECORD_IDS } from '../../../contract/browser/constants'

interface Waiting<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** Loads something by the id of a record. All ids that are asked for at once go into one request. */
export function batchById<T>(load: (ids: string[]) => Promise<ReadonlyMap<string, T>>, missing: T) {
  let waiting = new Map<string, Waiting<T>[]>()

  function loadWaiting() {
    const all = [...waiting]
    waiting = new Map()
    for (let at = 0; at < all.length; at += MAX_RECORD_IDS) void loadBatch(all.slice(at, at + MAX_RECORD_IDS))
  }

  async function loadBatch(batch: [id: string, waiting: Waiting<T>[]][]) {
    try {
      const found = await load(batch.map(([id]) => id))
      for (const [id, each] of batch) for (const { resolve } of each) resolve(found.get(id) ?? missing)
    } catch (error) {
      for (const [, each] of batch) for (const { reject } of each) reject(error)
    }
  }

  return (id: string): Promise<T> => {
    // A whole page is shown within a task.
    if (waiting.size === 0) setTimeout(loadWaiting)
    return new Promise((resolve, reject) => waiting.getOrInsertComputed(id, () => []).push({ resolve, reject }))
  }
}

/** Runs a task at once, or again after the running one: at most one runs and one waits. */
export function coalesce(task: () => Promise<unknown>): () => Promise<void> {
  let isRunning = false
  let isWanted = false
  return async function run() {
    isWanted = true
    if (isRunning) return
    isRunning = true
    try {
      while (isWanted) {
        isWanted = false
        await task().catch(() => undefined)
      }
    } finally {
      isRunning = false
    }
  }
}
