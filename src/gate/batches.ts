const MAX_BATCH = 64
const MAX_WAIT_MS = 500

/**
 * Coalesces concurrent look-ups into one statement: whatever is asked while one runs goes with the next. A look-up
 * never returns what was read before it was asked for, so nothing is older than the request. If a statement takes long, because its
 * reply was lost or it has to wait, the next does not wait for it.
 */
export function openBatches<Key, Value>(find: (keys: readonly Key[]) => Promise<Map<Key, Value>>) {
  const waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>()
  let isRunning = false

  async function run() {
    isRunning = true
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, MAX_BATCH)
      for (const [key] of batch) waiting.delete(key)
      await doneOrLate(lookUpAll(batch))
    }
    isRunning = false
  }

  async function lookUpAll(batch: [Key, PromiseWithResolvers<Value | undefined>][]) {
    try {
      const found = await find(batch.map(([key]) => key))
      for (const [key, { resolve }] of batch) resolve(found.get(key))
    } catch (error) {
      for (const [, { reject }] of batch) reject(error)
    }
  }

  return function lookUp(key: Key): Promise<Value | undefined> {
    const { promise } = waiting.getOrInsertComputed(key, () => Promise.withResolvers())
    if (!isRunning) void run()
    return promise
  }
}

async function doneOrLate(working: Promise<void>) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_WAIT_MS)
  await Promise.race([working, promise])
  clearTimeout(timer)
}
