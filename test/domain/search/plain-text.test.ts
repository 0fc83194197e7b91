import { describe, expect, test } from 'bun:test'
import { toHtml } from '../../../src/domain/markdown'
import { plainText } from '../../../src/domain/search/document'

describe('the plain text of rendered Markdown', () => {
  test.each([
    ['**bo**ld and `code` and ~~gone~~', 'bold and code and gone'],
    ['# Title\n\nText', 'Title\nText'],
    ['one  \ntwo', 'one\ntwo'],
    ['- a\n- b\n  1. c', 'a\nb\nc'],
    ['- [x] done', 'done'],
    ['> quoted\n\n---\nafter', 'quoted\nafter'],
    ['|a|b|\n|-|-|\n|1|2|', 'a\nb\n1\n2'],
    ['[text](https://example.com "title")', 'text'],
    ['see https://example.com/?a=1&b=2', 'see https://example.com/?a=1&b=2'],
    ['![a "cat" & <dog>](https://example.com/cat.png)', 'a "cat" & <dog>'],
    ['AT&amp;T a < b > c &amp;lt; "q"', 'AT&T a < b > c &lt; "q"'],
    ['```html\n<b class="x">&amp;</b>\n```', '<b class="x">&amp;</b>'],
    ['', ''],
  ])('%j', (markdown, text) => expect(plainText(toHtml(markdown))).toBe(text))

  test('a mention is the name of the person', () => {
    const id = `mem_${'0'.repeat(26)}`
    const mentioned = new Map([[id, { name: 'Ada <3', href: '/members/ada' }]])
    expect(plainText(toHtml(`Hi <@${id}>!`, mentioned))).toBe('Hi @Ada <3!')
  })
})
