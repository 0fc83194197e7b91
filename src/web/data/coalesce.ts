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
