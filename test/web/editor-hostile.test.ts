import { expect, test } from 'bun:test'
import { Fragment } from 'prosemirror-model'
import { disarm, isTooDeep, readText } from '../../src/web/editor/pasted-text'
import { readMarkdown } from '../../src/web/editor/read'
import { toDocument } from '../../src/web/editor/round-trip'
import { writeMarkdown } from '../../src/web/editor/write'
import { cpuTime } from '../cpu-time'

const SLOW_MS = 60_000

/**
 * Fails if much takes much longer than as many times little. Work that grows with the square of its size takes
 * longer than this allows; that memory is collected now and then does not. Little is tried often enough to be compiled.
 */
function expectLinear(work: (times: number) => unknown, most: number) {
  const little = Math.max(
    1,
    cpuTime(() => work(100), 30),
  )
  for (let times = most / 64; times <= most; times *= 4)
    expect(cpuTime(() => work(times), 2)).toBeLessThan((5 * little * times) / 100 + 500)
}

test.each([
  ['tags that nothing ends', '<a'],
  ['attributes that nothing ends', '<a b'],
  ['ends of tags that nothing ends', '</a/'],
  ['tags', '<a style="a" onclick = "b">'],
])(
  'the time to disarm HTML grows as its length does, for %s',
  (_, part) => {
    expectLinear((times) => disarm(part.repeat(times)), 64_000)
  },
  SLOW_MS,
)

test('HTML loses what browsers act upon, up to a tag that nothing ends', () => {
  expect(disarm('<p style="a" onclick=b>c</p><script>d</script><base href=e><style')).toBe(
    '<p data-style="a" data-onclick=b>c</p><x-script>d</x-script><x-style',
  )
})

test(
  'the time to read pasted lines grows as their number does, however many are empty',
  () => {
    expectLinear((times) => readText(`a${'\n'.repeat(times)}b`), 64_000)
  },
  SLOW_MS,
)

test.each([
  ['lists of two kinds', '- a\n1. b\n'],
  ['lists with two markers', '- a\n* b\n'],
  ['lists with two kinds of numbers', '1. a\n1) b\n'],
  ['lists in lists', '- - - - - a\n'],
  ['items with an underlined line', '- a\n  ===\n'],
  ['items with a table', '- | a |\n  |---|\n'],
])(
  'the time to open a text grows as its length does, for %s',
  (_, part) => {
    expectLinear((times) => {
      const doc = toDocument(part.repeat((times * 10) / part.length))!
      writeMarkdown(doc)
    }, 4_000)
  },
  SLOW_MS,
)

test.each([
  ['- a\n\nb\n\n- c', '- a\n\n* c'],
  [' - a\n\nb\n\n- c', ' - a\n\n* c'],
  ['* a\n\nb\n\n* c', '* a\n\n- c'],
  ['- a\n\n  * b\n\nb\n\n- c', '- a\n\n  * b\n\n* c'],
  ['- 1. a\n\nb\n\n- c', '- 1. a\n\n* c'],
  ['2) a\n   - b\n\nb\n\n1) c', '2) a\n   - b\n\n1. c'],
])('two lists that come to stand side by side stay two: %j', (markdown, expected) => {
  const doc = toDocument(markdown)!
  const [first, , last] = doc.children
  expect(writeMarkdown(doc.copy(Fragment.from([first!, last!])))).toBe(expected)
})

test.each([
  ['[x](java&Tab;script:alert(1))', 'java%09script:alert(1)'],
  ['[x](&#10;javascript:alert(1))', '%0Ajavascript:alert(1)'],
  ['[x](< javascript:alert(1)>)', '%20javascript:alert(1)'],
  ['[x](&#1;javascript:alert(1))', '&#1;javascript:alert(1)'],
  ['[x](<&#92;&#92;evil.example>)', '%5C%5Cevil.example'],
  ['[x](java&#9;script&#58;alert(1))', 'java%09script:alert(1)'],
  ['[x](javascript:alert(1))', undefined],
  ['[x](JavaScript&#58;alert(1))', undefined],
  ['[x](data:text/html,x)', undefined],
  ['[x](//evil.example)', undefined],
  ['[x](https://example.com/a%20b?c#d)', 'https://example.com/a%20b?c#d'],
  ['<ada@example.com>', 'mailto:ada@example.com'],
])('the address of %s is encoded in the editor, and none of a script', (markdown, href) => {
  const mark = readMarkdown(markdown).doc.firstChild!.firstChild!.marks[0]!
  const [, attributes] = mark.type.spec.toDOM!(mark, true) as unknown as [string, { href?: string }]
  expect(attributes.href).toBe(href!)
})

test('a text as deep as one can be is not too deep to be pasted, and a deeper one is', () => {
  const lists = (depth: number) => Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')
  const isPasted = (text: string) => !isTooDeep(readMarkdown(text).doc.content)
  expect(isPasted(`${lists(12)}\n\n${' '.repeat(24)}| a |\n${' '.repeat(24)}| - |`)).toBe(true)
  expect(isPasted(lists(30))).toBe(false)
})
