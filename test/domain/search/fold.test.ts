import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { endOf, foldText, foldWithOffsets, startOf } from '../../../src/domain/search/fold'
import { assignedCharacters } from './characters'

describe('folding', () => {
  test.each([
    ['Ada', 'ada'],
    ['ÉMILE', 'emile'],
    ['E\u0301mile', 'emile'],
    ['Straße STRASSE GROẞ', 'strasse strasse gross'],
    ['ΟΔΟΣ οδος Ωμέγα', 'οδοσ οδοσ ωμεγα'],
    ['İstanbul ISTANBUL ısı', 'istanbul istanbul isi'],
    ['ﬁne Æther Łódź Søren', 'fine aether lodz soren'],
    ['Ｐａｒｌｅｙ　２', 'parley 2'],
    ['Ёлка Київ', 'елка киів'],
    ['ﾊﾞﾅﾅ', 'バナナ'],
    ['か\u3099 が か', 'が が か'],
    ['ㅎㅏ', '하'],
    ['한국어'.normalize('NFD'), '한국어'],
    ['שָׁלוֹם', 'שלום'],
    ['مَرْحَبًا مرحـــبا أحمد', 'مرحبا مرحبا احمد'],
    ['กิน เก่ง', 'กิน เก่ง'],
    ['हिन्दी', 'हिन्दी'],
    ['co\u00adoperate', 'cooperate'],
    ['می\u200cخواهم', 'میخواهم'],
    ['\ufeffa\u200bb\u2060c', 'abc'],
    ['❤️ 👍🏽 👩🏽‍💻 ☎\ufe0e', '❤ 👍 👩 ☎'],
    ['Parley™!', 'parley !'],
    ['ⓂⓁ', 'ml'],
    ['a\ud800b', 'a b'],
  ])('%j becomes %j', (text, folded) => {
    expect(foldText(text)).toBe(folded)
    expect(foldWithOffsets(text).text).toBe(folded)
  })

  test('folding twice changes nothing more, for every character', () => {
    const changing = assignedCharacters().filter((character) => foldText(foldText(character)) !== foldText(character))
    expect(changing).toEqual([])
  })

  test('every character is folded to what its capital, its small letter and its normal forms are', () => {
    const different = assignedCharacters().filter((character) => {
      const forms = [
        ...[character.toUpperCase(), character.toLowerCase()],
        ...[character.normalize('NFD'), character.normalize('NFC')],
      ]
      return forms.some((form) => foldText(form) !== foldText(character))
    })
    // The capital of a Greek letter with an iota below is two letters. The iota is ignored as accents are.
    expect(different.filter((character) => !character.normalize('NFD').includes('\u0345'))).toEqual([])
  })
})

describe('the places of a folded text', () => {
  test.each([
    ['Grüße', 'ss', 'ß'],
    ['e\u0301te\u0301', 'te', 'te\u0301'],
    ['ｶﾞｽ', 'ガ', 'ｶﾞ'],
    ['한'.normalize('NFD') + '!', '한', '한'.normalize('NFD')],
    ['a👩🏽‍💻b', '👩', '👩🏽‍💻'],
    ['co\u00adop', 'coop', 'co\u00adop'],
    ['…x', 'x', 'x'],
  ])('in %j, %j stands for %j', (text, part, original) => {
    const folded = foldWithOffsets(text)
    const at = folded.text.indexOf(part)
    expect(text.slice(startOf(folded, at), endOf(folded, at + part.length - 1))).toBe(original)
  })

  test('are in order and within the original, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const folded = foldWithOffsets(text)
        expect(folded.text).toBe(foldText(text))
        let last = 0
        for (let unit = 0; unit < folded.text.length; unit++) {
          expect(startOf(folded, unit)).toBeGreaterThanOrEqual(last)
          expect(endOf(folded, unit)).toBeGreaterThan(startOf(folded, unit))
          expect(endOf(folded, unit)).toBeLessThanOrEqual(text.length)
          last = startOf(folded, unit)
        }
      }),
    )
  })
})
