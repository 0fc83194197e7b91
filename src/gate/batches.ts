const MOST_AT_ONCE = 2
const LARGEST = 64

/**
 * Looks things up, many at a time: whoever asks while others are being looked up goes with the next batch. Nobody gets
 * what was looked up before they asked, so nothing is ever older than the question; and under load, when each look-up
 * has others waiting behind it, a batch costs little more than one did.
 */
export function openBatches<Key, Value>(find: (keys: readonly Key[]) => Promise<Map<Key, Value>>) {
  const waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>()
  let atWork = 0

  async function work() {
    atWork += 1
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, LARGEST)
      for (const [key] of batch) waiting.delete(key)
      try {
        const found = await find(batch.map(([key]) => key))
        for (const [key, { resolve }] of batch) resolve(found.get(key))
      } catch (error) {
        for (const [, { reject }] of batch) reject(error)
      }
    }
    atWork -= 1
  }

  return function ask(key: Key): Promise<Value | undefined> {
    const { promise } = waiting.getOrInsertComputed(key, () => Promise.withResolvers())
    if (atWork < MOST_AT_ONCE) void work()
    return promise
  }
}
