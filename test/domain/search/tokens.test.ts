import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { documentTokens, MAX_TOKENS_BYTES, TEXT_SEPARATOR } from '../../../src/domain/search/document'
import { MAX_TOKEN_LENGTH, tokenize, tokensOf } from '../../../src/domain/search/tokens'
import { everyCharacter } from './characters'

describe('the tokens of a text', () => {
  test.each([
    ["Don't panic!", 'don t panic'],
    ['foo_bar-1 v2.10', 'foo bar 1 v2 10'],
    ['Grüße, Straße', 'grusse strasse'],
    ['Привет, мир', 'привет мир'],
    ['Γειά σου', 'γεια σου'],
    ['नमस्ते दुनिया', 'नमस्ते दुनिया'],
    ['שלום עולם', 'שלום עולם'],
    ['東京都', '東京 京都 都'],
    ['東京tower', '東京 京 tower'],
    ['カタカナ・ひらがな', 'カタ タカ カナ ナ ひら らが がな な'],
    ['ラーメン', 'ラー ーメ メン ン'],
    ['한국어', '한국 국어 어'],
    ['กิน', 'กิ ิน น'],
    ['ສະບາຍ', 'ສະ ະບ ບາ າຍ ຍ'],
    ['မြန်', 'မြ ြန န် ်'],
    ['ភាសា', 'ភា ាស សា ា'],
    ['བོད་ཡིག', 'བོ ོད ད ཡི ིག ག'],
    ['𠮷野家', '𠮷野 野家 家'],
    ['👍🏽 👩🏽‍💻❤️', '👍 👩 ❤'],
    ['🇩🇪🇫🇷 🇩', '🇩🇪 🇫🇷 🇩'],
    ['1️⃣ m² ½', '1 m2 1 2'],
    ['Parley™ rocks', 'parley rocks'],
    ['C++ → €', 'c'],
    ['\ue000 \uf8ff \0', ''],
    ['', ''],
  ])('%j', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens === '' ? [] : tokens.split(' '))
    expect(tokenize(text).map((token) => token.text)).toEqual(tokensOf(text))
  })

  test('say where they are', () => {
    const text = '“Grüße” ｶﾞｽ E\u0301t'
    expect(tokenize(text).map(({ start, end }) => text.slice(start, end))).toEqual(['Grüße', 'ｶﾞｽ', 'ｽ', 'E\u0301t'])
  })

  test('are cut if they are long', () => {
    expect(tokensOf('a'.repeat(100))).toEqual(['a'.repeat(MAX_TOKEN_LENGTH)])
    expect(tokensOf('𐓘'.repeat(100))).toEqual(['𐓘'.repeat(MAX_TOKEN_LENGTH)])
  })

  test('of all characters are given back by an index that splits at ASCII characters other than 0–9 and a–z', () => {
    const all = everyCharacter()
    for (const text of [all.join(''), all.join(' ')]) {
      const tokens = tokensOf(text)
      expect(tokens.length).toBeGreaterThan(100_000)
      expect(tokens.join(' ').split(/[^0-9a-z\x80-\u{10ffff}]/u)).toEqual(tokens)
      expect(tokens.join(' ').isWellFormed()).toBe(true)
      expect(tokens).not.toContain(TEXT_SEPARATOR)
    }
  })

  test('are the same however the text is normalized', () => {
    const letters = fc.constantFrom(...'éñüÅがガ하한กิ้เน้ำहिन्दी\u0301\u0323\u3099한 가ﬁ'.match(/./gu)!)
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(letters, fc.string({ unit: 'binary', maxLength: 1 })) }), (text) => {
        expect(tokensOf(text.normalize('NFD'))).toEqual(tokensOf(text))
        expect(tokensOf(text.normalize('NFC'))).toEqual(tokensOf(text))
      }),
      { numRuns: 500 },
    )
  })
})

describe('the tokens of a document', () => {
  test('no phrase crosses from a text into the next', () => {
    expect(documentTokens({ title: 'A title', content: ['one text', 'another'] })).toEqual({
      title: ['a', 'title'],
      content: ['one', 'text', TEXT_SEPARATOR, 'another'],
    })
    expect(documentTokens({ title: '', content: ['text'] })).toEqual({ title: [], content: ['text'] })
  })

  test('different tokens beyond the limit are left out, with all that follows', () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `${at}`.padEnd(MAX_TOKEN_LENGTH, 'x'))
    const { title, content } = documentTokens({ title: 'title', content: [words.join(' '), 'title'] })
    expect(title).toEqual(['title'])
    expect(content).toEqual(words.slice(0, Math.floor((MAX_TOKENS_BYTES - 5) / MAX_TOKEN_LENGTH)))
  })

  test('repetitions do not count', () => {
    const text = 'repeated '.repeat(200_000)
    expect(documentTokens({ title: '', content: [text] }).content).toHaveLength(200_000)
  })
})
