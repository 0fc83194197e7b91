import { expect, test } from 'bun:test'
import { parseSearchQuery } from '../../../src/contract/browser/search-query'
import { matchesTitle, mayHaveAll, querySignature, titleSignature, toTerms } from '../../../src/domain/search/terms'
import { tokensOf } from '../../../src/domain/search/tokens'

const titles = [
  'Plan for the week',
  'STRASSE und Café',
  '東京都の天気',
  '🎉 party',
  '',
  'a b c d e f g h i j k l m n o p',
]
const queries = [
  'plan',
  'wee*',
  '"the week"',
  'straße',
  'cafe und',
  '東京',
  '京',
  '🎉',
  'c -x',
  'a p',
  'plan zebra',
  'title:plan',
]

test('no title that has all words of a query is passed over', () => {
  const found = titles.flatMap((title) =>
    queries.filter((query) => {
      const terms = toTerms(parseSearchQuery(query))
      const isMatch = matchesTitle(terms, tokensOf(title))
      if (isMatch) expect(mayHaveAll(titleSignature(tokensOf(title)), querySignature(terms))).toBe(true)
      return isMatch
    }),
  )
  expect(found).toEqual([
    ...['plan', 'wee*', '"the week"', 'title:plan'],
    ...['straße', 'cafe und', '東京', '京', '🎉', 'c -x', 'a p'],
  ])
})

test('most titles without the words are passed over', () => {
  const query = querySignature(toTerms(parseSearchQuery('budget review')))
  const others = Array.from({ length: 1000 }, (_, at) => titleSignature([`word${at}`, `other${at}`, `third${at}`]))
  expect(others.filter((title) => mayHaveAll(title, query)).length).toBeLessThan(50)
})

test('a signature stays what it is, since it is stored', () => {
  expect(titleSignature(['parley', '東京'])).toBe(20)
})
