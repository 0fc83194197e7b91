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
