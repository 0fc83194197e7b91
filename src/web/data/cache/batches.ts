import { MAX_RECORD_IDS } from '../../../contract/browser/constants'

interface Waiting<T> {
  id: string
  resolve(value: T): void
  reject(error: unknown): void
}

/**
 * Loads something by the id of a record. Ids that are asked for at once, or until the request before has been answered, go into one
 * request. An id that is not found gives `missing`.
 */
export function batchById<T>(
  load: (ids: string[]) => Promise<ReadonlyMap<string, T>>,
  missing: T,
  maxIds = MAX_RECORD_IDS,
) {
  let waiting: Waiting<T>[] = []
  let isRunning = false

  async function run() {
    // A whole page is shown within a task.
    await new Promise((resolve) => setTimeout(resolve))
    while (waiting.length > 0) {
      const ids = [...new Set(waiting.map(({ id }) => id))].slice(0, maxIds)
      const batch = waiting.filter(({ id }) => ids.includes(id))
      waiting = waiting.filter(({ id }) => !ids.includes(id))
      try {
        const found = await load(ids)
        for (const { id, resolve } of batch) resolve(found.get(id) ?? missing)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  return (id: string): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}
