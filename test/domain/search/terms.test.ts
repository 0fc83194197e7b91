import { describe, expect, test } from 'bun:test'
import { parseSearchQuery } from '../../../src/contract/browser/search-query'
import { MAX_PREFIXES, MAX_TOKENS, type Term, toTerms } from '../../../src/domain/search/terms'

const termsOf = (q: string) => toTerms(parseSearchQuery(q))
const write = ({ tokens, isPrefix, inTitle }: Term) =>
  `${inTitle ? 'title:' : ''}${tokens.join('+')}${isPrefix ? '*' : ''}`

describe('the terms of a query', () => {
  test.each([
    ['Two Words', ['two', 'words']],
    ["don't", ['don+t']],
    ['"Exact Phrase" here', ['exact+phrase', 'here']],
    ['wor* "wor*"', ['wor*', 'wor']],
    ['wor-* don’*', ['wor', 'don']],
    ['foo-ba*', ['foo+ba*']],
    ['v2.1* local/b* title:v2.1*', ['v2+1*', 'local+b*', 'title:v2+1*']],
    ['b* 1* é* a.b*', ['b', '1', 'e', 'a+b*']],
    ['title:word title:"a b" title:pre*', ['title:word', 'title:a+b', 'title:pre*']],
    ['東京', ['東京']],
    ['東京都', ['東京+京都']],
    ['東', ['東*']],
    ['東京* 東*', ['東京', '東*']],
    ['東京tower', ['東京+京+tower']],
    ['tower東京', ['tower+東京']],
    ['"東京 都"', ['東京+京+都*']],
    ['𠮷', ['𠮷*']],
    ['กิน', ['กิ+ิน']],
    ['한국', ['한국']],
    ['👍🏽 🇩🇪 👍*', ['👍', '🇩🇪', '👍*']],
    ['½ ﷺ', ['1+2', 'صلى+الله+عليه+وسلم']],
    ['- ... ++ * "!?"', []],
    ['in:general is:open', []],
    ['word WORD wörd "word"', ['word']],
  ])('%j', (q, all) => expect(termsOf(q).all.map(write)).toEqual(all))

  test('what is excluded is apart from what is looked for', () => {
    const { all, none } = termsOf('a -b -"c d" -title:ee* -f* -- in:f')
    expect(all.map(write)).toEqual(['a'])
    expect(none.map(write)).toEqual(['b', 'c+d', 'title:ee*', 'f'])
  })
})

describe('a long query', () => {
  const words = Array.from({ length: 2 * MAX_TOKENS }, (_, at) => `w${at}`)

  test('has as many words as the limit', () => {
    expect(termsOf(words.join(' ')).all.map(write)).toEqual(words.slice(0, MAX_TOKENS))
    expect(termsOf(words.map((word) => `-${word}`).join(' ')).none.map(write)).toEqual(words.slice(0, MAX_TOKENS))
  })

  test('a phrase that is too long is looked for by its beginning', () => {
    expect(termsOf(`a "${words.join(' ')}"`).all.map(write)).toEqual(['a', words.slice(0, MAX_TOKENS - 1).join('+')])
  })

  test('a phrase that is too long excludes nothing: its beginning would exclude more than it', () => {
    expect(termsOf(`-"${words.join(' ')}" -a`).none.map(write)).toEqual(['a'])
  })

  test('has as many prefixes as the limit, and all of its other words', () => {
    const prefixes = words.slice(0, 2 * MAX_PREFIXES).map((word) => `${word}*`)
    expect(termsOf(`${prefixes.join(' ')} whole -${prefixes.join(' -')} -other`)).toEqual({
      all: [...prefixes.slice(0, MAX_PREFIXES), 'whole'].map(term),
      none: ['other'].map(term),
    })
  })
})

const term = (text: string): Term => ({ tokens: [text.replace('*', '')], isPrefix: text.endsWith('*'), inTitle: false })
