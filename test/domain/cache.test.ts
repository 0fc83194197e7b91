import { describe, expect, test } from 'bun:test'
import { openCache } from '../../src/domain/caches'
import { openResponseCache } from '../../src/gate/responses'

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

describe('the cache of responses', () => {
  const MAX_BYTES = 1024 * 1024

  /** Requests each of these responses twice, and returns the ones that are cached. */
  async function fill(names: readonly string[], newBody: () => Uint8Array<ArrayBuffer>) {
    const cache = openResponseCache(MAX_BYTES, false)
    for (const name of names)
      for (let times = 0; times < 2; times++)
        await cache.lead(name, async () => ({ response: { etag: '', body: newBody() }, isCacheable: true }))
    return names.map((name) => cache.get(name)).filter((response) => response !== undefined)
  }

  test('keeps no more than the body in memory, where that is a small part of what was read', async () => {
    const names = Array.from({ length: 1_000 }, (_, number) => `name ${number}`)
    const cached = await fill(names, () => new Uint8Array(100_000).subarray(0, 500))
    expect(cached.length).toBeGreaterThan(100)
    const bytes = cached.reduce((sum, { body }) => sum + (body as Uint8Array).buffer.byteLength, 0)
    expect(bytes).toBeLessThan(MAX_BYTES)
  })

  test('counts long keys', async () => {
    const names = Array.from({ length: 1_000 }, (_, number) => `${number} ${'x'.repeat(10_000)}`)
    const cached = await fill(names, () => new Uint8Array(500))
    expect(cached.length * 10_000).toBeLessThan(MAX_BYTES)
  })
})
