import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { render, toHtml } from '../../src/domain/markdown'
import { isPlain, sanitized } from '../../src/domain/safe-html'

/** What people write, and what begins something in Markdown or in HTML. */
const pieces = [
  ...[
    'word',
    'snake_case',
    'Zoë',
    '日本語',
    '🙂',
    ' ',
    ' ',
    '  \n',
    '\n',
    '\n\n',
    '\t',
    '    ',
    '\u00a0',
    '\f',
    '\r\n',
  ],
  ...[
    '*',
    '**',
    '_',
    '__',
    '~',
    '~~',
    '`',
    '``',
    '```\n',
    '# ',
    '### ',
    '- ',
    '* ',
    '1. ',
    '7) ',
    '> ',
    '---\n',
    '===\n',
  ],
  ...['"', "'", '<', '>', '&', '&amp;', '&copy;', '&#39;', '\\', '|', '|-|-|\n', '[x] ', '[a](b)', '![a](b)', '['],
  ...['<b>', '</p>', '<br>', '<!--', 'https://a.example/?b="c"', 'a@b.example', '[a]: /b\n', '\u2028', '\u200b'],
]
const markdown = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 25 })
  .map((all) => all.join(''))

describe('HTML that needs no sanitizer', () => {
  test('is what the sanitizer makes of it', () => {
    let plain = 0
    fc.assert(
      fc.property(markdown, (text) => {
        if (!/[<&]/.test(text) && isPlain(render(text))) plain += 1
        expect(toHtml(text)).toBe(sanitized(render(text)).trim())
      }),
      { numRuns: 5_000 },
    )
    expect(plain).toBeGreaterThan(500)
  })

  test.each(['<p onclick="x">', '<script>', '<a>', '<P>', '<p/>', '</p >', '< p>', '<', '&copy;', '&', '&lt', '<!--'])(
    'has no %s in it',
    (piece) => expect(isPlain(`<p>a ${piece} b</p>`)).toBe(false),
  )
})
