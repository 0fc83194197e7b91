import { describe, expect, test } from 'bun:test'
import { parseSearchQuery } from '../../../src/contract/browser/search-query'
import { MAX_CANDIDATES, replaceTokens, spellingCandidates } from '../../../src/domain/search/spelling'

describe('the words that may have been meant', () => {
  test.each([
    ['teh', 'the'],
    ['comittee', 'committee'],
    ['helllo', 'hello'],
    ['wprld', 'world'],
    ['wrld', 'world'],
    ['worldx', 'world'],
    ['xworld', 'world'],
    ['orld', 'world'],
    ['worl', 'world'],
    ['првиет', 'привет'],
    ['καλημρα', 'καλημερα'],
  ])('%s: %s', (word, meant) => expect(spellingCandidates(word)).toContain(meant))

  test.each(['ab', 'a'.repeat(21), 'v2', '東京都', 'foоbar', 'नमस्ते', ''])('there are none for %j', (word) => {
    expect(spellingCandidates(word)).toEqual([])
  })

  test('swapped letters come first, then doubled and left-out, changed, and inserted ones', () => {
    const candidates = spellingCandidates('form')
    const places = ['from', 'foorm', 'frm', 'farm', 'forum'].map((word) => candidates.indexOf(word))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThanOrEqual(0)
  })

  test('there are not too many, each once, and never the word itself', () => {
    for (const word of ['the', 'aaa', 'abcdefghijklmnopqrst', 'абвгдежзиклмнопрстуф']) {
      const candidates = spellingCandidates(word)
      expect(candidates.length).toBeLessThanOrEqual(MAX_CANDIDATES)
      expect(new Set(candidates).size).toBe(candidates.length)
      expect(candidates).not.toContain(word)
    }
  })
})

describe('the suggested query', () => {
  test.each([
    ['teh fox', 'the fox'],
    ['  in:teh Teh -teh "Teh fox" ', '  in:teh the -teh "the fox" '],
    ['title:teh teh*', 'title:the the*'],
    ['teh-teh', 'the-the'],
    ['title:title', 'title:tittle'],
  ])('%j: %j', (q, suggested) => {
    const words = new Map([
      ['teh', 'the'],
      ['title', 'tittle'],
    ])
    expect(replaceTokens(q, parseSearchQuery(q), words)).toBe(suggested)
  })
})
