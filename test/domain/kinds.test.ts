import { describe, expect, test } from 'bun:test'
import { idPrefixes, kindOf } from '../../src/contract/browser/kinds'
import { attentionNumbers, fileHolderNumbers, kindNumbers } from '../../src/domain/references'

describe('the kind of a record', () => {
  test('is found by the prefix of its id', () => {
    for (const [kind, prefix] of Object.entries(idPrefixes)) expect<unknown>(kindOf(`${prefix}_01m7hsf0t0`)).toBe(kind)
  })

  test('is unknown for other ids, and for what is not an id', () => {
    for (const text of ['file_01m7hsf0t0', 'post', 'posts', 'posts_1', '_', '', 'new', ' post_1', 'constructor_1'])
      expect(kindOf(text)).toBeUndefined()
  })

  test('has the number that databases store for it', () => {
    expect(kindNumbers).toEqual({ post: 1, comment: 2, message: 3 })
    expect(fileHolderNumbers).toEqual({ post: 1, comment: 2, message: 3, resolution: 4, draft: 5 })
    expect(attentionNumbers).toEqual({ post: 1, thread: 2, channel: 3 })
  })
})
