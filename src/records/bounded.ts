/** A map that forgets what came first once it holds more than so many bytes. */
export function openBounded<K, V>(mostBytes: number, costOf: (value: V) => number) {
  const entries = new Map<K, V>()
  let bytes = 0

  const forget = (key: K, value: V) => {
    entries.delete(key)
    bytes -= costOf(value)
  }
  return {
    get: (key: K): V | undefined => entries.get(key),
    set(key: K, value: V) {
      const before = entries.get(key)
      if (before !== undefined) forget(key, before)
      entries.set(key, value)
      bytes += costOf(value)
      for (const [oldest, itsValue] of entries) {
        if (bytes <= mostBytes) return
        forget(oldest, itsValue)
      }
    },
  }
}
