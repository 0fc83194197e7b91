/**
 * A map that holds so many bytes at most. It has two halves: when the young one is full, the old one goes and the young one
 * takes its place. What is asked for is young again, so what many ask for stays.
 */
export function openBounded<K, V>(mostBytes: number, costOf: (value: V) => number) {
  const half = mostBytes / 2
  let young = new Map<K, V>()
  let old = new Map<K, V>()
  let bytes = 0

  function set(key: K, value: V) {
    const cost = costOf(value)
    if (cost > half) return
    const before = young.get(key)
    if (before !== undefined) bytes -= costOf(before)
    if (bytes + cost > half) {
      old = young
      young = new Map()
      bytes = 0
    }
    young.set(key, value)
    bytes += cost
  }
  return {
    get(key: K): V | undefined {
      const known = young.get(key)
      if (known !== undefined) return known
      const aged = old.get(key)
      if (aged !== undefined) set(key, aged)
      return aged
    },
    set,
  }
}
