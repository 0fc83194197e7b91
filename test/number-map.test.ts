import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { NumberMap } from '../src/records/number-map'

const key = fc.oneof(fc.nat(5_000), fc.nat(2 ** 31 - 2))
const step = fc.record({ key, value: fc.option(fc.nat(2 ** 31 - 2), { nil: undefined }) })

test('a number map holds what a map holds, few or many, near or far apart', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4_000, size: 'max' }), (steps) => {
      const [plain, numbers] = [new Map<number, number>(), new NumberMap()]
      for (const { key, value } of steps) {
        if (value === undefined) plain.delete(key)
        else plain.set(key, value)
        if (value === undefined) numbers.delete(key)
        else numbers.set(key, value)
      }
      for (const { key } of steps) {
        expect(numbers.get(key)).toBe(plain.get(key))
        expect(numbers.get(key + 1)).toBe(plain.get(key + 1))
      }
      expect(numbers.bytes).toBeGreaterThanOrEqual(plain.size * 4)
    }),
    { numRuns: 30 },
  )
})
