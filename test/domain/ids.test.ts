import { expect, test } from 'bun:test'
import { newId, timeOfId, typeId } from '../../src/domain/ids'

const bytes = (hex: string) => Uint8Array.fromHex(hex.replaceAll('-', ''))

// From the TypeID specification's own list of valid examples.
test.each([
  ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
  ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
  ['00000000-0000-0000-0000-00000000000a', '0000000000000000000000000a'],
  ['00000000-0000-0000-0000-000000000010', '0000000000000000000000000g'],
  ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['0110c853-1d09-52d8-d73e-1194e95b5f19', '0123456789abcdefghjkmnpqrs'],
  ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
])('%s is post_%s', (uuid, text) => expect(typeId('post', bytes(uuid))).toBe(`post_${text}`))

test('ids sort by creation time, and are unique', () => {
  const ids = Array.from({ length: 2_000 }, (_, at) => newId('post', 1_700_000_000_000 + at))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(Array.from({ length: 10_000 }, () => newId('post', 1_700_000_000_000))).size).toBe(10_000)
})

test('an id starts with its type', () => expect(newId('cmt', Date.now())).toMatch(/^cmt_0[0-9a-hjkmnp-tv-z]{25}$/))

test('an id says when it was made', () => {
  for (const now of [0, 1_700_000_000_123, 2 ** 48 - 1]) expect(timeOfId(newId('mem', now))).toBe(now)
  expect(timeOfId('operator')).toBe(0)
})
