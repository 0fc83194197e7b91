import { describe, expect, test } from 'bun:test'
import { excerptOf, toLine } from '../../src/contract/browser/excerpt'
import { toHtml } from '../../src/domain/markdown'

describe('rendered Markdown as one line', () => {
  test.each([
    ['# Plan\n\nTea & *cake*\nat four', 'Plan Tea & cake at four'],
    ['Bring:\n\n- tea\n- cake\n  - with cream\n\nThanks', 'Bring: tea · cake · with cream · Thanks'],
    ['1. Buy milk.\n2. Call Bob!\n3. Rest', 'Buy milk. Call Bob! Rest'],
    ['- loose\n\n- items\n\n  in paragraphs', 'loose · items in paragraphs'],
    ['- [x] done\n- [ ] open', 'done · open'],
    ['- \n- \n', ''],
    ['|who|what|\n|-|-|\n|Ada||\n|Bob|cake|', 'who · what · Ada · Bob · cake'],
    ['Run\n\n```sh\nnpm ci\n\n  npm start\n```\n\nthen wait', 'Run · npm ci · npm start · then wait'],
    ['```\nif (a) {\n  b(1,\n    2)\n}\n```', 'if (a) { b(1, 2) · }'],
    ['with `inline code` in it', 'with inline code in it'],
    ['> quoted\n> more\n\nanswer', 'quoted more answer'],
    ['- שלום\n- عالم', 'שלום · عالم'],
    ['a &lt;li&gt; b', 'a <li> b'],
    ['- a · b\n- c', 'a · b · c'],
  ])('%j', (markdown, line) => expect(toLine(toHtml(markdown))).toBe(line))

  test('does not depend on white space between tags', () => {
    const html = toHtml('a\n\n- b\n- c\n\n|d|e|\n|-|-|\n|f|g|')
    expect(toLine(html.replaceAll('\n', ''))).toBe(toLine(html))
  })
})

describe('an excerpt', () => {
  test('is cut between words, and not after a separator', () => {
    expect(excerptOf(toHtml('- tea\n- cake\n- soup'), 14)).toBe('tea · cake…')
    expect(excerptOf(toHtml('word '.repeat(100)), 20)).toBe('word word word…')
    expect(excerptOf(`<p>${'😀'.repeat(100)}</p>`, 20)).toBe(`${'😀'.repeat(9)}…`)
  })

  test('is of the beginning of long HTML, also if that ends in a tag, an entity or code', () => {
    const cut = (html: string) => excerptOf(html + '</p><p>'.repeat(1_000))
    expect(cut(`<p>a</p>${' '.repeat(3_990)}<p class="x">`)).toBe('a')
    expect(cut(`<p>a</p>${' '.repeat(3_990)}&amp;`)).toBe('a')
    expect(excerptOf(`<pre><code>one\ntwo\n${'\n'.repeat(5_000)}</code></pre>`)).toBe('one · two')
  })

  test('is not shorter for long addresses', () => {
    const address = `https://example.com/?q=${'a'.repeat(5_000)}`
    expect(excerptOf(toHtml(`[The report](${address}), ![a chart](${address}) and more`))).toBe(
      'The report, a chart and more',
    )
    const links = Array.from({ length: 60 }, (_, at) => `[link ${at}](${address.slice(0, 200)})`).join(' ')
    expect(excerptOf(toHtml(links))).toMatch(/^link 0 link 1 .{150,190}…$/)
    const text = 'Write href="x" and src="y". '.repeat(200)
    expect(excerptOf(toHtml(text))).toMatch(/^Write href="x" and src="y"\. Write /)
  })
})
