import { expect, test } from 'bun:test'
import { type ShownHit, toResults } from '../../src/actions/search-results'
import { parseSearchQuery } from '../../src/contract/browser/search-query'
import { linksFrom } from '../../src/domain/links'
import { kindNumbers } from '../../src/domain/references'
import { findOccurrences } from '../../src/domain/search/spelling'
import { toTerms } from '../../src/domain/search/terms'

const hitOf = (key: number, content: string): ShownHit => ({
  hit: { key, type: kindNumbers.message, record_key: key, title_signature: 0, isInTitle: false },
  found: {
    ...{ key, id: `msg_${key}`, created_at: 0, record: JSON.stringify({ id: `msg_${key}`, content }) },
    ...{ subject_id: 'thr_1', post_title: null, channel_id: null, channel_name: null, thread_title: 'Talk' },
  },
})

/** How often others had their turn while a page of these texts was made. */
async function countTurns(contents: readonly string[]): Promise<number> {
  let turns = 0
  let isDone = false
  const next = () => {
    if (isDone) return
    turns += 1
    setImmediate(next)
  }
  setImmediate(next)
  const terms = toTerms(parseSearchQuery('zebra'))
  const results = await toResults(
    linksFrom('https://parley.example.com'),
    terms,
    contents.map((content, at) => hitOf(at, content)),
  )
  isDone = true
  expect(results.map((json) => JSON.parse(String(json)).excerpts.length)).toEqual(contents.map(() => 1))
  return turns
}

test('others are answered while a page of long texts is searched for excerpts', async () => {
  const long = `${'horse '.repeat(17_000)}zebra`
  expect(await countTurns(Array(5).fill(long))).toBeGreaterThanOrEqual(4)
})

test('a page of short texts is made at once', async () => {
  expect(await countTurns(Array(50).fill('A zebra.'))).toBe(0)
})

test('phrases that overlap are looked for in so many places only, and rare words wherever they are', () => {
  const overlapping = 'a a* a/a* a/a/a* "a a" "a a a" "a a a a" "a a a a a" "a a a a a a" zebra'
  const { all } = toTerms(parseSearchQuery(overlapping))
  const text = `${'a '.repeat(49_000)}zebra`
  const found = findOccurrences(all, text)
  expect(all).toHaveLength(9)
  expect(found.length).toBeLessThanOrEqual(text.length / 2)
  expect(text.slice(found.at(-1)!.start, found.at(-1)!.end)).toBe('zebra')
})
