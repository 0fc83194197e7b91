import { expect, test } from 'bun:test'
import { batchByEngine, findFiles, planBatches } from '../batches'

test('the batches of the whole run hold every file once for each engine', () => {
  const files = findFiles([])
  const { parallel, exclusive } = planBatches(files)
  const planned = [...parallel, ...exclusive].flatMap((batch) => batch.files.map((file) => `${file} ${batch.engine}`))
  const expected = batchByEngine(files).flatMap((batch) => batch.files.map((file) => `${file} ${batch.engine}`))
  expect(planned.sort()).toEqual(expected.sort())
})

test('files that measure the machine run by themselves', () => {
  const { exclusive } = planBatches(findFiles([]))
  expect(exclusive).toContainEqual({ engine: 'sqlite', files: ['test/torture/overload.test.ts'] })
  expect(exclusive).toContainEqual({ engine: 'postgres', files: ['test/torture/overload.test.ts'] })
  expect(exclusive.every(({ files }) => files.length === 1)).toBe(true)
})

test('a word selects files by their path', () => {
  expect(findFiles(['./test/once/batches'])).toEqual(['test/once/batches.test.ts'])
  expect(findFiles(['no such file'])).toEqual([])
})
