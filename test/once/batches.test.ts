import { expect, test } from 'bun:test'
import { type Batch, batchByEngine, findFiles, needsS3, needsTools, planBatches, type Tier } from '../batches'

const listed = (batches: Batch[]) =>
  batches.flatMap(({ files, engine }) => files.map((file) => `${file} ${engine}`)).sort()

function planned(tier: Tier) {
  const { parallel, exclusive } = planBatches(findFiles([]), tier)
  return listed([...parallel, ...exclusive])
}

test('a run of everything has every file once for each engine that it depends on', () => {
  expect(planned('all')).toEqual(listed(batchByEngine(findFiles([]))))
  expect(planned('all')).toContain('test/posts.test.ts postgres')
})

test('the first tier sends every operation, every caller and the model to both engines', () => {
  const first = planned('first')
  for (const file of ['every-operation', 'torture/matrix', 'torture/model'])
    for (const engine of ['sqlite', 'postgres']) expect(first).toContain(`test/${file}.test.ts ${engine}`)
})

test('the first tier leaves some files to the second, and runs every other one', () => {
  const first = new Set(planned('first').map((each) => each.split(' ')[0]))
  expect(findFiles([]).filter((file) => !first.has(file))).toEqual(
    [
      ...['backup/consumers', 'backup/damage', 'mail/kill-many'],
      ...['once/bench', 'once/deploy/caddy', 'once/deploy/nginx', 'once/deploy/rolling-restart'],
      ...['once/deploy/systemd', 'once/docs/receivers'],
      ...['once/with-tools/mcp-conformance', 'once/with-tools/openapi', 'once/with-tools/s3-hanging'],
      ...['once/with-tools/sdk', 'torture/faults', 'torture/streams', 'upgrade/large'],
      ...['web/attacks', 'web/axe-states-and-looks', 'web/channels', 'web/drafts'],
      ...['web/editor', 'web/files', 'web/groups', 'web/invitations', 'web/long-lists', 'web/look'],
      ...['web/members', 'web/new-post', 'web/notifications', 'web/pasted-tables', 'web/print', 'web/saved'],
      ...['web/search', 'web/service-worker', 'web/settings'],
    ].map((name) => `test/${name}.test.ts`),
  )
})

test('the first tier needs the S3 server, and no other program that has to be installed first', () => {
  const files = planned('first').map((each) => each.split(' ')[0]!)
  expect([files.some(needsS3), files.some(needsTools)]).toEqual([true, false])
  expect(findFiles([]).filter(needsTools).length).toBeGreaterThan(0)
})

test('files that measure the machine run by themselves', () => {
  const { exclusive } = planBatches(findFiles([]), 'all')
  expect(exclusive).toContainEqual({ engine: 'sqlite', files: ['test/torture/overload.test.ts'] })
  expect(exclusive).toContainEqual({ engine: 'postgres', files: ['test/torture/overload.test.ts'] })
  expect(exclusive.every(({ files }) => files.length === 1)).toBe(true)
})

test('a word selects files by their path', () => {
  expect(findFiles(['./test/once/batches'])).toEqual(['test/once/batches.test.ts'])
  expect(findFiles(['no such file'])).toEqual([])
})
