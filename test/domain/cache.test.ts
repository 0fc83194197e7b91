import { expect, test } from 'bun:test'
import { openCache } from '../../src/cache'

const open = (bytes: number) => openCache<string, string>(bytes, ({ length }) => length)

test('what is kept is found, as it was kept last', () => {
  const kept = open(100)
  kept.set('a', 'one')
  kept.set('a', 'another')
  kept.set('b', 'two')
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['another', 'two', undefined])
})

test('it holds no more than it may, and what is asked for stays', () => {
  const kept = open(1_000)
  kept.set('often', 'x'.repeat(10))
  for (let number = 0; number < 500; number++) {
    kept.set(`once ${number}`, 'x'.repeat(10))
    expect(kept.get('often')).toBe('x'.repeat(10))
  }
  const held = Array.from({ length: 500 }, (_, number) => kept.get(`once ${number}`)).filter(Boolean)
  expect(held.length * 10).toBeLessThanOrEqual(1_000)
  expect(held.length).toBeGreaterThan(30)
})

test('what would take half of it alone is not kept, nor anything where there is no room', () => {
  const kept = open(100)
  kept.set('large', 'x'.repeat(51))
  expect(kept.get('large')).toBeUndefined()
  const none = open(0)
  none.set('a', 'x')
  expect(none.get('a')).toBeUndefined()
})
