import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearchQuery } from '../../../src/contract/browser/search-query'
import type { Excerpt } from '../../../src/contract/search'
import { documentTokens } from '../../../src/domain/search/document'
import { makeExcerpts } from '../../../src/domain/search/excerpts'
import { matches, toTerms } from '../../../src/domain/search/terms'

const excerptsOf = (q: string, texts: { title?: string; content?: string; resolution?: string }) =>
  makeExcerpts(
    toTerms(parseSearchQuery(q)),
    (['title', 'content', 'resolution'] as const)
      .filter((field) => texts[field] !== undefined)
      .map((field) => ({ field, text: texts[field]! })),
  )

/** The text with brackets around what is highlighted. */
function mark({ text, highlights }: Excerpt): string {
  let marked = ''
  let done = 0
  for (const { start, end } of highlights) {
    marked += `${text.slice(done, start)}[${text.slice(start, end)}]`
    done = end
  }
  return marked + text.slice(done)
}
const marked = (q: string, content: string) => excerptsOf(q, { content }).map(mark)

const filler = (words: number) => 'filler '.repeat(words)

describe('highlights', () => {
  test.each([
    ['fox', 'The Fox, a fox.', 'The [Fox], a [fox].'],
    ['cafe', 'Cafe\u0301 CAFÉ', '[Cafe\u0301] [CAFÉ]'],
    ['strasse', 'Straße', '[Straße]'],
    ['wor*', 'worn words', '[worn] [words]'],
    ['"a b" c', 'a b. b c', '[a b]. b [c]'],
    ["don't", 'Don’t do', '[Don’t] do'],
    ['foo bar', 'foobar foo-bar', 'foobar [foo]-[bar]'],
    ['京', '東京都', '東[京]都'],
    ['都', '東京都', '東京[都]'],
    ['東京 京都', '東京都に', '[東京都]に'],
    ['東京都', '東京都に', '[東京都]に'],
    ['ガ', 'ｶﾞｽ', '[ｶﾞ]ｽ'],
    ['국', '한국어', '한[국]어'],
    ['한', '한국어'.normalize('NFD'), '[한]국어'.normalize('NFD')],
    ['ก', 'กินข้าว', '[กิ]นข้าว'],
    ['👩', 'a 👩🏽‍💻 b', 'a [👩🏽‍💻] b'],
    ['🇩🇪', '🇫🇷🇩🇪🇩🇪', '🇫🇷[🇩🇪🇩🇪]'],
    ['fox -dog', 'fox', '[fox]'],
    ['title:fox', 'fox', 'fox'],
    ['"fox dog"', 'fox fox dog', 'fox [fox dog]'],
  ])('%j in %j', (q, content, expected) => expect(marked(q, content)).toEqual([expected]))

  test('are of what is looked for in the title too', () => {
    expect(excerptsOf('fox title:dog', { title: 'A dog and a fox', content: 'A dog.' }).map(mark)).toEqual([
      'A [dog] and a [fox]',
      'A dog.',
    ])
  })
})

describe('excerpts', () => {
  test('the title is whole, and only there if it matches', () => {
    const title = `${filler(50)}fox ${filler(50)}`.trim()
    expect(excerptsOf('fox', { title, content: '' })).toEqual([
      { field: 'title', text: title, highlights: [{ start: 350, end: 353 }] },
    ])
    expect(excerptsOf('fox', { title: 'Dog', content: 'fox' }).map(({ field }) => field)).toEqual(['content'])
  })

  test('a long text is cut between words, with an ellipsis', () => {
    const [excerpt, ...others] = excerptsOf('fox', { content: `${filler(50)}fox ${filler(50)}` })
    expect(others).toEqual([])
    expect(mark(excerpt!)).toMatch(/^…(filler )+\[fox\]( filler)+…$/)
    expect(excerpt!.text.length).toBeGreaterThan(130)
    expect(excerpt!.text.length).toBeLessThanOrEqual(162)
  })

  test('where there are no spaces, it is cut between characters', () => {
    const [excerpt] = excerptsOf('東京', { content: `${'👩🏽‍💻'.repeat(100)}東京${'กิ'.repeat(200)}` })
    expect(mark(excerpt!)).toMatch(/^…(👩🏽‍💻)+\[東京\](กิ)+…$/u)
  })

  test('the end of a text is shown with what is before it', () => {
    const [excerpt] = excerptsOf('fox', { content: `${filler(50)}fox` })
    expect(mark(excerpt!)).toMatch(/^…(filler ){15,}\[fox\]$/)
  })

  test('white space is one space', () => {
    expect(marked('fox', ' a\n\n\tfox\u00a0\u3000b\r\n')).toEqual(['a [fox] b'])
  })

  test('there are up to three passages, in order', () => {
    const content = ['one', 'two', 'three', 'four'].map((word) => `fox ${word} ${filler(40)}`).join('')
    const texts = marked('fox', content)
    expect(texts.map((text) => /\[fox\] (\w+)/.exec(text)![1])).toEqual(['one', 'two', 'three'])
  })

  test('passages with more different words are preferred, then passages with other words', () => {
    const alone = Array.from({ length: 5 }, (_, at) => `fox ${at} ${filler(40)}`).join('')
    const texts = marked('fox dog cat', `${alone} cat ${filler(40)} fox and dog ${filler(40)}`)
    expect(texts).toHaveLength(3)
    expect(texts[0]).toContain('[fox] 0')
    expect(texts[1]).toContain('[cat]')
    expect(texts[2]).toContain('[fox] and [dog]')
  })

  test('passages do not repeat text', () => {
    const content = Array.from({ length: 100 }, (_, at) => `w${at} fox`).join(' ')
    const words = excerptsOf('fox', { content }).flatMap(({ text }) => text.match(/w\d+/g)!)
    expect(new Set(words).size).toBe(words.length)
  })

  test('the text and the note of the resolution share the three passages', () => {
    const found = excerptsOf('fox dog', { title: 'x', content: `fox ${filler(40)}`, resolution: 'a dog' })
    expect(found.map(({ field, ...excerpt }) => [field, mark({ field, ...excerpt }).slice(0, 8)])).toEqual([
      ['content', '[fox] fi'],
      ['resolution', 'a [dog]'],
    ])
  })

  test('without a match in the text, its beginning is shown', () => {
    const content = 'beginning! '.repeat(50)
    const beginning = `${'beginning! '.repeat(14).trim()}…`
    expect(excerptsOf('in:general', { title: 'Title', content }).map(mark)).toEqual([beginning])
    expect(excerptsOf('fox', { title: 'Fox', content }).map(mark)).toEqual(['[Fox]', beginning])
    expect(excerptsOf('fox', { title: 'Fox', content: '', resolution: 'Done' }).map(mark)).toEqual(['[Fox]', 'Done'])
    expect(excerptsOf('fox', { content: '' })).toEqual([])
  })

  test('a match that is longer than a passage is highlighted as far as it is shown', () => {
    const words = Array.from({ length: 30 }, (_, at) => `extraordinary${at}`).join(' ')
    const [text] = marked(`"${words}"`, `${filler(20)}(${words})`)
    expect(text).toMatch(/^…\[extraordinary0 .+\]…$/)
  })

  test('a pile of accents is cut', () => {
    const [excerpt] = excerptsOf('x', { content: `e${'\u0301'.repeat(10_000)} x` })
    expect(excerpt!.text.length).toBeLessThan(200)
  })

  test('something is highlighted in a text exactly if it is found', () => {
    const unit = fc.constantFrom(...'ab c東京กิé🇩🇪👍 '.match(/./gsu)!, 'filler ')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), fc.string({ unit, maxLength: 6 }), (content, q) => {
        const terms = toTerms(parseSearchQuery(q))
        const isFound = terms.all.length > 0 && matches(terms, documentTokens({ title: '', content: [content] }))
        const highlighted = makeExcerpts(terms, [{ field: 'content', text: content }]).some(
          ({ highlights }) => highlights.length > 0,
        )
        if (isFound) expect(highlighted).toBe(true)
        if (terms.all.length === 1) expect(highlighted).toBe(isFound)
      }),
      { numRuns: 1_000 },
    )
  })

  test('highlights are in order and whole characters, whatever is looked for', () => {
    const unit = fc.constantFrom(...'ab c東京กิ👩🏽‍💻🇩🇪e\u0301 \n'.match(/./gsu)!, 'filler ')
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), fc.string({ unit, maxLength: 8 }), (content, q) => {
        const excerpts = excerptsOf(q, { title: content.slice(0, 50), content })
        expect(excerpts.length).toBeLessThanOrEqual(4)
        for (const { text, highlights } of excerpts) {
          const boundaries = new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length))
          let last = -1
          for (const { start, end } of highlights) {
            expect(start).toBeGreaterThan(last)
            expect(end).toBeGreaterThan(start)
            expect(boundaries.has(start) && boundaries.has(end)).toBe(true)
            last = end
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})
