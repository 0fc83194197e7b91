import { expect, test } from 'bun:test'
import { openBatches } from '../../src/gate/batches'

/** A place to look things up where each look-up takes its time, and tells how often something was asked for. */
function openPlace() {
  const batches: string[][] = []
  let clock = 0
  const ask = openBatches(async (keys: readonly string[]) => {
    batches.push([...keys])
    const now = ++clock
    await Bun.sleep(5)
    if (keys.includes('trouble')) throw new Error('No.')
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, now] as const))
  })
  return { ask, batches, now: () => clock }
}

test('look-ups that are asked for while one runs share the next one', async () => {
  const { ask, batches } = openPlace()
  const answers = ['a', 'b', 'c', 'b', 'unknown'].map(ask)
  expect(await Promise.all(answers)).toEqual([1, 2, 2, 2, undefined])
  expect(batches).toEqual([['a'], ['b', 'c', 'unknown']])
})

test('nobody gets what was looked up before they asked', async () => {
  const { ask, now } = openPlace()
  const rounds = Array.from({ length: 50 }, async (_, at) => {
    await Bun.sleep(at % 7)
    const askedAt = now()
    expect(await ask('a')).toBeGreaterThan(askedAt)
  })
  await Promise.all(rounds)
})

test('a failure rejects its own batch and no other', async () => {
  const { ask } = openPlace()
  const outcomes = await Promise.allSettled(['a', 'trouble', 'c'].map(ask))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await ask('c')).toBe(3)
})

test('a crowd is looked up in batches of a size', async () => {
  const { ask, batches } = openPlace()
  await Promise.all(Array.from({ length: 200 }, (_, at) => ask(`key ${at}`)))
  expect(Math.max(...batches.map(({ length }) => length))).toBe(64)
})
