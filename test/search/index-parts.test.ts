import { expect, test } from 'bun:test'
import { type IndexEntry, textsInParts } from '../../src/store/search/texts'

const entryOf = (key: number, length: number): IndexEntry => ({
  key,
  record: {
    ...{ type: 'message', key, workspace_key: 1, place_key: 1, post_key: 0, author_key: 1, created_at: 0 },
    ...{ id: `msg_${key}`, title: '', content: 'a '.repeat(length / 2), note: null },
  },
})

const keysOf = (entries: IndexEntry[]) => [...textsInParts(entries)].map((texts) => texts.map(({ key }) => key))

test('texts of the largest size are indexed one by one, so that nobody waits for many of them', () => {
  expect(keysOf([1, 2, 3].map((key) => entryOf(key, 100_000)))).toEqual([[1], [2], [3]])
})

test('short texts are indexed together', () => {
  expect(keysOf([1, 2, 3].map((key) => entryOf(key, 100)))).toEqual([[1, 2, 3]])
})

test('nothing is lost where a long text follows short ones', () => {
  const keys = keysOf([entryOf(1, 100), entryOf(2, 100_000), entryOf(3, 100), entryOf(4, 100)])
  expect(keys).toEqual([
    [1, 2],
    [3, 4],
  ])
})
