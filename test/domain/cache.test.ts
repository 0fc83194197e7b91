import { expect, test } from 'bun:test'
import { openCache } from '../../src/cache'

const open = (bytes: number) => openCache<string, string>(bytes, ({ length }) => length)

test('returns the last value stored under a key', () => {
  const cache = open(100)
  cache.set('a', 'one')
  cache.set('a', 'another')
  cache.set('b', 'two')
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['another', 'two', undefined])
})

test('evicts the least recently used entries beyond its limit', () => {
  const cache = open(1_000)
  cache.set('often', 'x'.repeat(10))
  for (let number = 0; number < 500; number++) {
    cache.set(`once ${number}`, 'x'.repeat(10))
    expect(cache.get('often')).toBe('x'.repeat(10))
  }
  const found = Array.from({ length: 500 }, (_, number) => cache.get(`once ${number}`)).filter(Boolean)
  expect(found.length * 10).toBeLessThanOrEqual(1_000)
  expect(found.length).toBeGreaterThan(30)
})

test('does not store a value larger than half its limit, nor anything if the limit is zero', () => {
  const cache = open(100)
  cache.set('large', 'x'.repeat(51))
  expect(cache.get('large')).toBeUndefined()
  const none = open(0)
  none.set('a', 'x')
  expect(none.get('a')).toBeUndefined()
})
