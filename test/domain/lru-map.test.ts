import { expect, test } from 'bun:test'
import { openLruMap } from '../../src/domain/caches'

test('the least recently used entry is evicted first', () => {
  const evicted: string[] = []
  const map = openLruMap<string, string>(2, (value) => evicted.push(value))
  for (const key of ['a', 'b', 'a', 'c', 'a', 'd']) map.getOrInsert(key, (created) => created.toUpperCase())
  expect(evicted).toEqual(['B', 'C'])
  expect(map.getOrInsert('a', () => 'created again')).toBe('A')
})
