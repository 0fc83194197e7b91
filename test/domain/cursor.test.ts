import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Cursor, decodeCursor, encodeCursor } from '../../src/domain/lists/cursor'

const cursor: Cursor = {
  way: 'next',
  sort: 'created_at',
  direction: 'asc',
  at: 1_700_000_000_000,
  id: 'post_1',
  inclusive: false,
}

const hasNoNul = (text: string) => !text.includes('\0')

describe('a cursor', () => {
  test('is decoded to what was encoded', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.record({
          way: fc.constantFrom('next' as const, 'prev' as const),
          direction: fc.constantFrom('asc' as const, 'desc' as const),
          id: fc.string().filter(hasNoNul),
          inclusive: fc.boolean(),
        }),
        fc.oneof(
          fc.record({ sort: fc.constant('created_at'), at: fc.maxSafeNat() }),
          fc.record({ sort: fc.constant('name'), at: fc.string({ unit: 'grapheme' }).filter(hasNoNul) }),
        ),
        (list, way, key) => {
          expect(decodeCursor(list, encodeCursor(list, { ...way, ...key }))).toEqual({ ...way, ...key })
        },
      ),
    )
  })

  test('needs no URL encoding', () => {
    const text = encodeCursor('a', { ...cursor, sort: 'name', at: 'Ünïcode & more?' })
    expect(encodeURIComponent(text)).toBe(text)
  })

  test('is not decoded for another list', () => {
    expect(decodeCursor('b', encodeCursor('a', cursor))).toBeUndefined()
  })

  test('is not decoded if any character is changed, removed or added', () => {
    const text = encodeCursor('a', cursor)
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === 'A' ? 'B' : 'A'
      expect(decodeCursor('a', text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined()
      expect(decodeCursor('a', text.slice(0, at))).toBeUndefined()
    }
    for (const more of ['A', '=', ' ', '%', '\0', 'é']) expect(decodeCursor('a', text + more)).toBeUndefined()
  })

  test.each(['no JSON', '5', 'null', '{}', '[]', '"text"', '['.repeat(10_000), '[1,"created_at",1,"x","post_1",0]'])(
    'is not decoded from %j, though its checksum is right',
    (payload) => {
      const checksum = Bun.hash.xxHash32(`a\0${payload}`).toString(16).padStart(8, '0')
      expect(decodeCursor('a', Buffer.from(checksum + payload).toString('base64url'))).toBeUndefined()
    },
  )

  test('is not decoded from anything else', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(decodeCursor('a', text)).toBeUndefined()))
  })

  test('with a valid checksum but invalid content is not decoded', () => {
    for (const wrong of [
      { sort: 5 },
      { at: null },
      { at: {} },
      { id: 7 },
      { id: null },
      { at: [1] },
      { at: '5' },
      { at: 1.5 },
      { sort: 'name' },
    ])
      expect(decodeCursor('a', encodeCursor('a', { ...cursor, ...wrong } as unknown as Cursor))).toBeUndefined()
  })
})
