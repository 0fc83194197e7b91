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

export interface Cache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

/**
 * A map that holds at most `maxBytes`. It has two generations: when the young one is full, the old one is evicted and the
 * young one becomes the old one. Reading an entry moves it to the young one, so entries that are used often stay.
 */
export function openCache<K, V>(maxBytes: number, sizeOf: (value: V, key: K) => number): Cache<K, V> {
  const maxGeneration = maxBytes / 2
  let young = new Map<K, V>()
  let old = new Map<K, V>()
  let bytes = 0

  function set(key: K, value: V) {
    const size = sizeOf(value, key)
    if (size > maxGeneration) return
    const before = young.get(key)
    if (before !== undefined) bytes -= sizeOf(before, key)
    if (bytes + size > maxGeneration) {
      old = young
      young = new Map()
      bytes = 0
    }
    young.set(key, value)
    bytes += size
  }
  return {
    get(key) {
      const known = young.get(key)
      if (known !== undefined) return known
      const aged = old.get(key)
      if (aged !== undefined) set(key, aged)
      return aged
    },
    set,
  }
}

/**
 * Remembers what a function makes of an object, for as long as the object is used. Pages and records are the same objects again
 * if nothing has changed (`mcp/agent-api.ts`), so that reading them once more costs little.
 */
export function memoize<A extends object, B>(make: (value: A) => B): (value: A) => B {
  const made = new WeakMap<A, B>()
  return (value) => made.getOrInsertComputed(value, make)
}
