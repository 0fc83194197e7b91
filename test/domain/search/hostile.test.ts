import { describe, expect, test } from 'bun:test'
import { toLine } from '../../../src/contract/browser/excerpt'
import { parseSearchQuery } from '../../../src/contract/browser/search-query'
import { MAX_QUERY_LENGTH } from '../../../src/contract/search'
import { documentTokens, plainText } from '../../../src/domain/search/document'
import { makeExcerpts } from '../../../src/domain/search/excerpts'
import { MAX_TOKENS, matches, toTerms } from '../../../src/domain/search/terms'
import { cpuTime } from '../../cpu-time'

const LENGTH = 200_000
/** Each takes some ten milliseconds; with time that grows by the square of the length it would be minutes. */
const MAX_MILLISECONDS = 3_000

const fill = (piece: string, length = LENGTH) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
const expectQuick = (work: () => unknown) => expect(cpuTime(work, 2)).toBeLessThan(MAX_MILLISECONDS)

describe('a hostile text takes a time in proportion to its length', () => {
  test.each([
    ['the same word', 'a ', 'a b'],
    ['a phrase that is nearly there at every word', 'a ', `"${'a '.repeat(MAX_TOKENS - 1)}b"`],
    ['one word', 'a', 'a*'],
    ['prefixes', 'abcd ', 'a* ab* abc* abcd*'],
    ['ideographs', '東', '東東東 東'],
    ['vowel signs on one consonant', 'ิ', 'ิ ิ'],
    ['conjuncts', 'क्', 'क*'],
    ['accents on one letter', '\u0301', 'x'],
    ['letters with many accents', `e${'\u0301'.repeat(60)}`, 'e'],
    ['vowels of Hangul', '\u1161', '\u1161'],
    ['joined pictographs', '👩‍', '👩'],
    ['skin colours', '🏽', '👩'],
    ['flags', '🇩🇪', '🇩🇪'],
    ['ligatures of many letters', 'ﷺ', 'صلى'],
    ['white space', ' \n', 'a'],
    ['lone surrogates', '\ud83d', 'a'],
  ])('%s', (_, piece, q) => {
    const text = fill(piece)
    const terms = toTerms(parseSearchQuery(q))
    expectQuick(() => matches(terms, documentTokens({ title: '', content: [text] })))
    expectQuick(() => makeExcerpts(terms, [{ field: 'content', text }]))
  })

  test.each(['<', '<a', '<a href="', '<img alt="', '&', '&amp;', '\n', '</p>', '<li>', '<pre>\n'])(
    'HTML of %j',
    (piece) => {
      expectQuick(() => plainText(fill(piece)))
      expectQuick(() => toLine(fill(piece)))
    },
  )

  test.each(['"', '-', '*', '*a', 'title:', '-title:"', 'in:', '« ', ' ', '-"" ', 'a*', '\u3000-', '＃'])(
    'a query of %j',
    (piece) => {
      const q = fill(piece, 20 * MAX_QUERY_LENGTH)
      expectQuick(() => toTerms(parseSearchQuery(q)))
    },
  )
})
