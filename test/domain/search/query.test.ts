import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearchQuery, type QueryPart } from '../../../src/contract/browser/search-query'

/** `-title:"a phrase"`, `wor*` and `{in=general}`, in one way of writing. */
function write(part: QueryPart): string {
  const minus = part.isExcluded ? '-' : ''
  if (part.kind === 'operator') return `${minus}{${part.name}=${part.value}}`
  const text = part.isPhrase ? `"${part.text}"` : part.text
  return `${minus}${part.inTitle ? 'title:' : ''}${text}${part.isPrefix ? '*' : ''}`
}

const read = (q: string) => parseSearchQuery(q).map(write)

describe('the query', () => {
  test.each([
    ['two words', ['two', 'words']],
    [' wide\u3000and\u00a0odd\u2028spaces\t', ['wide', 'and', 'odd', 'spaces']],
    ['"exact phrase" word', ['"exact phrase"', 'word']],
    [
      '“curly quotes” „German ones“ «French ones» ＂wide＂',
      ['"curly quotes"', '"German ones"', '"French ones"', '"wide"'],
    ],
    ['«a "quotation" within» x', ['"a "quotation" within"', 'x']],
    ['"never closed -x in:y', ['"never closed -x in:y"']],
    ['"" -"" title:"" " " «»', []],
    ['-excluded -"excluded phrase"', ['-excluded', '-"excluded phrase"']],
    ['－wide −minus', ['-wide', '-minus']],
    ['a - b well-known --verbose -', ['a', '-', 'b', 'well-known', '--verbose', '-']],
    ['"a"-b', ['"a"', '-b']],
    ['wor* w＊ * wor** wo*d', ['wor*', 'w*', '*', 'wor*', 'wo*d']],
    [
      'title:word title:"a phrase" -title:word title:pre*',
      ['title:word', 'title:"a phrase"', '-title:word', 'title:pre*'],
    ],
    [
      'in:general from:ada is:open before:2026-01-31',
      ['{in=general}', '{from=ada}', '{is=open}', '{before=2026-01-31}'],
    ],
    [
      'in:#general from:@ada in:"#my channel" from:“Ada L”',
      ['{in=general}', '{from=ada}', '{in=my channel}', '{from=Ada L}'],
    ],
    [
      'IN:General From:Ada IS:Open TITLE:x in：wide',
      ['{in=General}', '{from=Ada}', '{is=open}', 'title:x', '{in=wide}'],
    ],
    ['-in:general -from:ada -is:open', ['-{in=general}', '-{from=ada}', '-{is=open}']],
    ['in: title: general', ['in:', 'title:', 'general']],
    ['in:# in:""', ['in:#', 'in:""']],
    ['foo:bar http://example.com 10:30', ['foo:bar', 'http://example.com', '10:30']],
    ['is:urgent', ['{is=urgent}']],
    ['ıs:open iſ:open', ['ıs:open', 'iſ:open']],
    ['', []],
  ])('%j', (q, parts) => expect(read(q)).toEqual(parts))

  test.each(['-before:2026-01-31', '-after:2026-01-31'])('%s is words: times are not excluded', (q) => {
    expect(parseSearchQuery(q)).toMatchObject([{ kind: 'words', text: q, isExcluded: false }])
  })

  test('every part says where it is', () => {
    const q = ' -title:"a b"  in:x wor*'
    expect(parseSearchQuery(q).map(({ start, end }) => q.slice(start, end))).toEqual(['-title:"a b"', 'in:x', 'wor*'])
  })

  test('any text is a query, and nothing but spaces and empty quotes is left out of its parts', () => {
    const pieces = ['"', '“', '«', '»', '-', '*', ' ', 'title:', 'in:', 'is:', 'a', '東', '\ud800', '#', ':']
    const unit = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 2 }))
    fc.assert(
      fc.property(fc.string({ unit }), (q) => {
        const leftOut: string[] = []
        let done = 0
        for (const { start, end } of parseSearchQuery(q)) {
          leftOut.push(q.slice(done, start))
          expect(end).toBeGreaterThan(start)
          done = end
        }
        leftOut.push(q.slice(done))
        for (const text of leftOut) expect(text).toMatch(/^(?:[\p{White_Space}\ufeff]|-?(?:title:)?["“”„‟＂«»])*$/u)
      }),
      { numRuns: 500 },
    )
  })
})
