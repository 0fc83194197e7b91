import { expect, test } from 'bun:test'
import { openBatches } from '../../src/gate/bearers'

/** Slow look-ups; records the keys of each batch. */
function openLookUps() {
  const batches: string[][] = []
  let clock = 0
  const lookUp = openBatches(async (keys: readonly string[]) => {
    batches.push([...keys])
    const now = ++clock
    await Bun.sleep(5)
    if (keys.includes('trouble')) throw new Error('No.')
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, now] as const))
  })
  return { lookUp, batches, now: () => clock }
}

test('look-ups requested while one runs share the next batch', async () => {
  const { lookUp, batches } = openLookUps()
  const results = ['a', 'b', 'c', 'b', 'unknown'].map(lookUp)
  expect(await Promise.all(results)).toEqual([1, 2, 2, 2, undefined])
  expect(batches).toEqual([['a'], ['b', 'c', 'unknown']])
})

test('a request never gets a result that was read before it was made', async () => {
  const { lookUp, now } = openLookUps()
  const rounds = Array.from({ length: 50 }, async (_, at) => {
    await Bun.sleep(at % 7)
    const before = now()
    expect(await lookUp('a')).toBeGreaterThan(before)
  })
  await Promise.all(rounds)
})

test('a failure rejects its own batch and no other', async () => {
  const { lookUp } = openLookUps()
  const outcomes = await Promise.allSettled(['a', 'trouble', 'c'].map(lookUp))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await lookUp('c')).toBe(3)
})

test('large numbers of look-ups are split into batches', async () => {
  const { lookUp, batches } = openLookUps()
  await Promise.all(Array.from({ length: 200 }, (_, at) => lookUp(`key ${at}`)))
  expect(Math.max(...batches.map(({ length }) => length))).toBe(64)
})

test('a statement that never ends does not hold up the next look-ups', async () => {
  const lookUp = openBatches(async (keys: readonly string[]) => {
    if (keys.includes('lost')) await new Promise(() => {})
    return new Map(keys.map((key) => [key, key.length]))
  })
  void lookUp('lost')
  expect(await lookUp('found')).toBe(5)
})
