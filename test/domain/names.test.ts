import { describe, expect, test } from 'bun:test'
import { balanceBidi, withoutBidi } from '../../src/contract/browser/fold'
import { findNameProblem, toName, toTitle } from '../../src/domain/names'

describe('a name', () => {
  test.each([
    'Ada',
    "Zoë O'Brien-Łukasz, Jr.",
    'Владимир',
    'محمد',
    'سارا می‌خواهد',
    'דנה',
    'प्रिया क्‍ष',
    'ශ්‍රී ලංකා',
    '渡邉󠄂 太郎',
    '田中花子',
    'มานี',
    'nguyễn',
    'e\u0301\u0323',
    '👩‍💻 Dev',
    '🧑🏽‍🚀',
    '👨‍👩‍👧‍👦',
    '🏳️‍🌈 ❤️ 1️⃣',
    '🇩🇪',
    '42',
    '?',
    'a\tb\nc',
    'deploy-bot (v2)',
  ])('can be %j', (name) => expect(findNameProblem(name)).toBeUndefined())

  test.each([
    ['a right-to-left override', 'Ada\u202enimdA'],
    ['a left-to-right override', '\u202dAda'],
    ['embeddings', 'A\u202ad\u202ba\u202c'],
    ['isolates', 'A\u2066d\u2067a\u2068b\u2069'],
    ['direction marks', 'A\u200ed\u200fa\u061c'],
    ['a zero-width space', 'Ad\u200bmin'],
    ['a joiner between Latin letters', 'Ad\u200dmin'],
    ['a non-joiner between Latin letters', 'Ad\u200cmin'],
    ['a joiner at the end', 'علی\u200d'],
    ['two joiners in a row', 'می\u200c\u200cخواهد'],
    ['a joiner beside one emoji', '👩\u200dAda'],
    ['a word joiner', 'Ad\u2060min'],
    ['an invisible separator', 'Ad\u2063min'],
    ['a byte order mark', 'Ad\ufeffmin'],
    ['a soft hyphen', 'Ad\u00admin'],
    ['a grapheme joiner', 'Ad\u034fmin'],
    ['a variation selector after a letter', 'A\ufe0fdmin'],
    ['a filler that is a letter', 'Ad\u3164min'],
    ['only a filler', '\u3164'],
    ['Hangul fillers', '\u115f\u1160'],
    ['a Braille blank', '\u2800'],
    ['a note without a head', 'Ada\u{1d159}'],
    ['blank hieroglyphs', '\u{13441}\u{13442}'],
    ['the place of an object', 'Ada\ufffc'],
    ['what is no character', 'Ada\ufdd0\uffff'],
    ['a pile of accents', `Ada${'\u0300\u0336'.repeat(5)}`],
    ['tags', 'Ada\u{e0041}\u{e0064}\u{e007f}'],
    ['a language tag', '\u{e0001}Ada'],
    ['a supplementary variation selector', 'Ada\u{e0100}'],
    ['control characters', 'A\u0007d\u001ba\u0085'],
    ['a deleted character', 'Ada\u007f'],
    ['an interlinear annotation', '\ufff9Ada\ufffb'],
    ['only spaces', ' \u00a0\u3000'],
    ['only accents', '\u0301\u0302'],
  ])('must not contain %s', (_, name) => {
    expect(findNameProblem(name)).toBeString()
    expect(() => toName('display_name', name)).toThrow('display_name: Must not')
  })

  test('is trimmed, with single spaces inside', () =>
    expect(toName('name', '  Ada\t\u00a0 Lovelace\n')).toBe('Ada Lovelace'))
})

describe('a title', () => {
  test.each([
    ['Plain', 'Plain'],
    ['Open \u202e override', 'Open \u202e override\u202c'],
    ['Two \u202a\u2067 deep', 'Two \u202a\u2067 deep\u2069\u202c'],
    ['Closes \u202c\u2069 nothing', 'Closes  nothing'],
    ['\u2067all\u2069 \u202bright\u202c', '\u2067all\u2069 \u202bright\u202c'],
    ['\u2066an \u202e end\u2069 of all within', '\u2066an \u202e end\u2069 of all within'],
    ['\u202e wrong \u2069 end', '\u202e wrong  end\u202c'],
    ['\u2066 wrong \u202c end', '\u2066 wrong  end\u2069'],
    ['\u200b\u3164 \u2800', ''],
    ['👩‍👧', '👩‍👧'],
  ])('%j is kept as %j', (title, kept) => {
    expect(toTitle(title).replaceAll(/\s+/g, ' ')).toBe(kept.replaceAll(/\s+/g, ' '))
    expect(balanceBidi(balanceBidi(title))).toBe(balanceBidi(title))
  })

  test('is shown beside other text without characters that change its direction', () => {
    expect(withoutBidi('a\u202eb\u2066c\u2069d\u200ee\u061c')).toBe('abcde')
  })
})
