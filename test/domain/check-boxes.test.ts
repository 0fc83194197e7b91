import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toHtml } from '../../src/domain/markdown'
import { findCheckBox, toggleCheckBox, toggleRenderedCheckBox } from '../../src/domain/markdown/check-boxes'

const count = (markdown: string) => toHtml(markdown).split('<input ').length - 1

describe('a check box', () => {
  test.each([
    ['- [ ] a\n- [ ] b', 1, '- [ ] a\n- [x] b'],
    ['- [ ] a\r\n- [ ] b\r\n', 0, '- [x] a\r\n- [ ] b\r\n'],
    ['1. [ ] a\n   - [ ] b\n     1) [ ] c', 2, '1. [ ] a\n   - [ ] b\n     1) [x] c'],
    ['> - [ ] a\n> - [ ] b', 1, '> - [ ] a\n> - [x] b'],
    ['-\t[ ] a\n\t-\t[ ] b', 1, '-\t[ ] a\n\t-\t[x] b'],
    ['```\n- [ ] no\n```\n- [ ] `[ ]` [ ] a', 0, '```\n- [ ] no\n```\n- [x] `[ ]` [ ] a'],
    ['[ ] no\n\n    - [ ] no\n\n* [ ] a\n\n* [ ] b', 1, '[ ] no\n\n    - [ ] no\n\n* [ ] a\n\n* [x] b'],
  ])('of %j, number %d, is checked where it is', (markdown, item, checked) => {
    expect(toggleCheckBox(markdown, item, true)).toBe(checked)
    expect(toggleCheckBox(checked, item, false)).toBe(markdown)
  })

  test('is not changed if it does not exist', () => {
    expect(toggleCheckBox('- [ ] a', 1, true)).toBeUndefined()
    expect(toggleCheckBox('[ ] a', 0, true)).toBeUndefined()
    expect(findCheckBox('<p>a</p>', 0)).toBeUndefined()
  })

  test('is found among a thousand', () => {
    const lines = Array.from({ length: 1_000 }, (_, at) => `- [${at % 3 ? ' ' : 'X'}] item ${at}`)
    const changed = toggleCheckBox(lines.join('\n'), 700, true)!
    expect(changed.split('\n').filter((line, at) => line !== lines[at])).toEqual(['- [x] item 700'])
  })

  test('is found in a long list without parsing it many times', () => {
    const markdown = '- [ ] a\n'.repeat(12_500)
    const cpuTime = (work: () => unknown) => {
      const before = process.cpuUsage()
      work()
      return process.cpuUsage(before).user
    }
    const rendering = cpuTime(() => toHtml(markdown))
    expect(cpuTime(() => toggleCheckBox(markdown, 9_000, true))).toBeLessThan(5 * rendering)
  })

  test('has the text of its item as a label, without the items below', () => {
    const html = toHtml('- [ ] **Buy** a &\n  b\n  - [x] milk\n\n    more')
    expect(findCheckBox(html, 0)).toEqual({ isChecked: false, label: 'Buy a & b' })
    expect(findCheckBox(html, 1)).toEqual({ isChecked: true, label: 'milk' })
  })

  test('in random Markdown, only that one changes, and the HTML as if it was rendered again', () => {
    const part = fc.constantFrom(
      '- [ ] ',
      '- [x] ',
      '1. [X] ',
      '  ',
      '    ',
      '> ',
      'a',
      '[ ]',
      '[x] ',
      '`',
      '```\n',
      '\n',
      '\n\n',
      '\r\n',
      '\t',
      '* ',
      '|a|\n|-|\n',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.nat(), fc.boolean(), (parts, at, isChecked) => {
        const markdown = parts.join('')
        const boxes = count(markdown)
        if (boxes === 0) return
        const item = at % boxes
        const changed = toggleCheckBox(markdown, item, isChecked)!
        expect(changed).toHaveLength(markdown.length)
        expect([...changed].filter((letter, place) => letter !== markdown[place]).length).toBeLessThanOrEqual(1)
        expect(toHtml(changed)).toBe(toggleRenderedCheckBox(toHtml(markdown), item, isChecked)!)
      }),
      { numRuns: 2_000 },
    )
  })
})
