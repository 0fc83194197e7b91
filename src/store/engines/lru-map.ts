/** A map of at most `max` entries. The least recently used one is evicted first. */
export function openLruMap<Key, Value>(max: number, onEvict: (value: Value) => void = () => {}) {
  // A Map keeps the order of insertion: what is used is inserted again.
  const entries = new Map<Key, Value>()

  return {
    getOrInsert(key: Key, create: (key: Key) => Value): Value {
      const known = entries.get(key)
      if (known !== undefined) {
        entries.delete(key)
        entries.set(key, known)
        return known
      }
      const value = create(key)
      entries.set(key, value)
      if (entries.size > max) {
        const [oldest, evicted] = entries.entries().next().value!
        entries.delete(oldest)
        onEvict(evicted)
      }
      return value
    },
  }
}
