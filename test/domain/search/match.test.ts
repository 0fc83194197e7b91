import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearchQuery } from '../../../src/contract/browser/search-query'
import { documentTokens } from '../../../src/domain/search/document'
import { isContradiction, matches, matchesTitle, toTerms } from '../../../src/domain/search/terms'
import { tokensOf } from '../../../src/domain/search/tokens'

const termsOf = (q: string) => toTerms(parseSearchQuery(q))
const finds = (q: string, title: string, ...content: string[]) =>
  matches(termsOf(q), documentTokens({ title, content }))

describe('a search finds', () => {
  test.each([
    ['cafe', 'Café'],
    ['STRASSE', 'Straße'],
    ['strasse', 'die Straße'],
    ['ガス', 'ｶﾞｽ'],
    ['京都', '東京都'],
    ['東京', '東京'],
    ['都', '東京都'],
    ['東京都', '東京都に行く'],
    ['국어', '한국어를'],
    ['ข้าว', 'กินข้าวแล้ว'],
    ['wor*', 'hello world'],
    ['"hello wor" world', 'hello wor world'],
    ["don't", 'don’t'],
    ['👍', '👍🏽'],
    ['word -other', 'word'],
    ['2.10', 'v 2.10'],
    ['', 'anything'],
  ])('%j in %j', (q, text) => {
    expect(finds(q, '', text)).toBe(true)
    expect(finds(q, text)).toBe(true)
  })

  test.each([
    ['か', 'が'],
    ['京東', '東京都'],
    ['wor', 'world'],
    ['"a c"', 'a b c'],
    ['"b a"', 'a b'],
    ['a b', 'a'],
    ['word -other', 'word and other'],
    ['-oth*', 'other'],
    ['กา', 'กิน'],
  ])('%j not in %j', (q, text) => expect(finds(q, '', text)).toBe(false))

  test('each word in the title or in the text, a phrase in one of them', () => {
    expect(finds('a b', 'a', 'b')).toBe(true)
    expect(finds('"a b"', 'a', 'b')).toBe(false)
  })

  test('no phrase across two texts', () => {
    expect(finds('"b c"', '', 'a b', 'c d')).toBe(false)
    expect(finds('b c', '', 'a b', 'c d')).toBe(true)
  })

  test('in the title alone what must be there', () => {
    expect(finds('title:a', 'a', 'b')).toBe(true)
    expect(finds('title:b', 'a', 'b')).toBe(false)
    expect(finds('b -title:b', 'a', 'b')).toBe(true)
  })

  test('a title that has all of it', () => {
    expect(matchesTitle(termsOf('a title:b'), tokensOf('b a'))).toBe(true)
    expect(matchesTitle(termsOf('a c'), tokensOf('b a'))).toBe(false)
  })

  test('every text by a phrase from it', () => {
    const words = fc.constantFrom(
      'a',
      'Über',
      "don't",
      '東',
      '京都',
      'กิน',
      '한국어',
      '👩🏽‍💻',
      '🇩🇪',
      ' ',
      '. ',
      'か\u3099',
      '1',
    )
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 12 }), fc.nat(), fc.nat(), (pieces, from, length) => {
        const at = from % pieces.length
        const phrase = pieces.slice(at, at + 1 + (length % 5)).join('')
        // A phrase that begins or ends within a word is not one of its words.
        const isCut =
          /[a1tr]$/.test(pieces.slice(0, at).join('')) || /^[aÜd1]/.test(pieces.slice(at + 1 + (length % 5)).join(''))
        fc.pre(!isCut)
        expect(finds(`"${phrase}"`, '', pieces.join(''))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})

const isImpossible = (q: string) => isContradiction(termsOf(q))

test('a query that excludes what it asks for finds nothing', () => {
  const impossible = [
    ...['then -then', 'then -th*', 'then* -th*', 'then* -then*', '"now then" -then', '"now then" -"now then"'],
    ...['"now and then" -"and then"', 'title:then -then', 'title:then -title:th*'],
    ...['東京都 -東京', '東京 -東', 'café -CAFE'],
  ]
  for (const q of impossible) expect({ q, isImpossible: isImpossible(q) }).toEqual({ q, isImpossible: true })
})

test('what may still be found is looked for', () => {
  const possible = [
    ...[
      'then',
      'then -them',
      'th* -then',
      'th* -the*',
      'th* -th',
      'then -"now then"',
      '"now then" -"then now"',
      '-then',
    ],
    ...['then -title:then', 'then -title:th*', '東 -東京', 'then -thenx*'],
  ]
  for (const q of possible) expect({ q, isImpossible: isImpossible(q) }).toEqual({ q, isImpossible: false })
})
