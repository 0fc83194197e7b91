import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { safeUrl } from '../../src/contract/browser/bare-addresses'
import { type Files, mentionsIn, readMarkdown, toHtml } from '../../src/domain/markdown'
import type { ReferencedFile } from '../../src/domain/markdown/files'
import { findFaults } from './html-check'

describe('rendered Markdown', () => {
  test.each([
    ['**bold** and *slanted*', '<p><strong>bold</strong> and <em>slanted</em></p>'],
    ['~~gone~~', '<p><del>gone</del></p>'],
    ['`a < b`', '<p><code>a &lt; b</code></p>'],
    ['# Title', '<h1>Title</h1>'],
    ['Title\n===', '<h1>Title</h1>'],
    ['> Two\n> lines\n> ---', '<blockquote>\n<h2>Two<br />\nlines</h2>\n</blockquote>'],
    ['one\ntwo  \nthree', '<p>one<br />\ntwo<br />\nthree</p>'],
    ['- one\n  two\n- three', '<ul>\n<li>one<br />\ntwo</li>\n<li>three</li>\n</ul>'],
    ['- a\n  - b', '<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>'],
    ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['a\n***\nb', '<p>a</p>\n<hr />\n<p>b</p>'],
    ['`a\nb`', '<p><code>a b</code></p>'],
    ['AT&amp;T &copy; "x"', '<p>AT&amp;T © "x"</p>'],
    ['\\*no\\* \\<b>', '<p>*no* &lt;b&gt;</p>'],
    ['```ts\nlet a\n```', '<pre><code class="language-ts">let a\n</code></pre>'],
    ['a snake_case_word', '<p>a snake_case_word</p>'],
    ['', ''],
  ])('%j', (markdown, html) => expect(toHtml(markdown)).toBe(html))

  test('a table keeps its alignment', () => {
    expect(toHtml('|a|b|\n|:-|-:|\n|1|2|')).toContain('<td align="right">2</td>')
  })

  test('a task list has disabled check boxes', () => {
    expect(toHtml('- [x] done\n- [ ] open')).toBe(
      '<ul>\n<li><input type="checkbox" disabled checked /> done</li>\n<li><input type="checkbox" disabled /> open</li>\n</ul>',
    )
    expect(toHtml('1. [ ] a\n\n2. b')).toContain('<li>\n<p><input type="checkbox" disabled /> a</p>\n</li>')
  })

  test('bare URLs and e-mail addresses become links', () => {
    const html = toHtml('See https://example.com/a and ada@example.com')
    expect(html).toContain('href="https://example.com/a"')
    expect(html).toContain('href="mailto:ada@example.com"')
  })

  test.each([
    ['https://example.com/__init__.py', 'https://example.com/__init__.py'],
    ['https://example.com/_a_/*b*/~c~/d', 'https://example.com/_a_/*b*/~c~/d'],
    ['**https://example.com**', 'https://example.com'],
    ['(https://example.com/a_(b))', 'https://example.com/a_(b)'],
    ['https://example.com/a, and', 'https://example.com/a'],
    ['https://example.com/?a=1&amp;b=2', 'https://example.com/?a=1&amp;b=2'],
    ['<https://example.com/a_b>', 'https://example.com/a_b'],
    ['[x](https://example.com/a_b_?c=1&d=2)', 'https://example.com/a_b_?c=1&amp;d=2'],
    ['[x](<https://example.com/a b>)', 'https://example.com/a%20b'],
    ['[x](https://example.com/日本)', 'https://example.com/%E6%97%A5%E6%9C%AC'],
    ['www.example.com', 'http://www.example.com'],
    ['<ada@example.com>', 'mailto:ada@example.com'],
    ['ada.l+x@mail.example.com.', 'mailto:ada.l+x@mail.example.com'],
    ['[x](/posts/1?a#b)', '/posts/1?a#b'],
    ['[x]\n\n[x]: https://example.com', 'https://example.com'],
  ])('the link in %j points to %j', (markdown, href) => {
    expect([...toHtml(markdown).matchAll(/href="([^"]*)"/g)].map(([, each]) => each)).toEqual([href])
  })

  test.each(['xhttps://example.com', 'https://', 'a@b', '@example.com', '`https://example.com`', 'ftp://example.com'])(
    'there is no link in %j',
    (markdown) => expect(toHtml(markdown)).not.toContain('<a '),
  )

  test('an image is loaded lazily, without a referrer', () => {
    expect(toHtml('![A cat](https://example.com/cat.png "Tom")')).toBe(
      '<p><img src="https://example.com/cat.png" alt="A cat" title="Tom" loading="lazy" referrerpolicy="no-referrer" /></p>',
    )
  })

  test('syntax of other dialects is text', () => {
    expect(toHtml('[[a]] $b$ a[^1]')).toBe('<p>[[a]] $b$ a[^1]</p>')
    expect(toHtml('__a__')).toBe('<p><strong>a</strong></p>')
    expect(toHtml('# A heading')).not.toContain('id=')
  })

  test('links anywhere in a long text are found', () => {
    const text = `${'word '.repeat(500)}https://example.com/x ${'word '.repeat(500)}`
    expect(toHtml(text)).toContain('<a href="https://example.com/x"')
  })

  test('quotes and lists can be nested', () => {
    expect(toHtml('> > > > > deep').match(/<blockquote>/g)).toHaveLength(5)
    const list = Array.from({ length: 8 }, (_, level) => `${'  '.repeat(level)}- ${level}`).join('\n')
    expect(toHtml(list).match(/<ul>/g)).toHaveLength(8)
  })

  test('a link sends no referrer', () => {
    expect(toHtml('[x](https://example.com)')).toContain('rel="nofollow noopener noreferrer"')
  })

  test('raw HTML is shown as text', () => {
    expect(toHtml('a<br>b <kbd>x</kbd>')).toBe('<p>a&lt;br&gt;b &lt;kbd&gt;x&lt;/kbd&gt;</p>')
    expect(toHtml('<details>\n\n**x**\n\n</details>')).toBe(
      '<p>&lt;details&gt;</p>\n<p><strong>x</strong></p>\n<p>&lt;/details&gt;</p>',
    )
    expect(toHtml('<a class="mention" href="https://evil.example">@Admin</a>')).not.toContain('<a ')
  })
})

describe('unsafe HTML is never rendered', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<img src=x onerror=alert(1)>',
    '<img/src="x"/onerror=alert(1)>',
    '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
    '![x](javascript:alert(1))',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java&#115;cript:alert(1))',
    '[x](\u0001javascript:alert(1))',
    '[x](vbscript:msgbox)',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '<a href="java\tscript:alert(1)">x</a>',
    '<a href=" javascript:alert(1)">x</a>',
    '<javascript:alert(1)>',
    '<style>body{display:none}</style>',
    '<p style="position:fixed;inset:0">x</p>',
    '<iframe src="https://evil.example"></iframe>',
    '<iframe srcdoc="<script>alert(1)</script>">',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
    '<object data="x"></object><embed src="x"><base href="//evil.example">',
    '<form action="//evil.example"><button>x</button></form>',
    '<input type="text" onfocus=alert(1) autofocus>',
    '<details open ontoggle=alert(1)>x</details>',
    '<a href="x" onclick="alert(1)"',
    '<!--><img src=x onerror=alert(1)>-->',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    '<textarea><img src=x onerror=alert(1)></textarea>',
    '<xmp><img src=x onerror=alert(1)></xmp>',
    '`<img src=x onerror=alert(1)>`',
    '```<b onclick=x>\n<img src=x onerror=alert(1)>\n```',
    '[<img src=x onerror=alert(1)>](https://example.com)',
    '[x](https://example.com "\\" onmouseover=alert(1) x=\\"")',
    '![" onerror="alert(1)](x)',
    '<meta http-equiv=refresh content="0;url=//evil.example"><link rel=stylesheet href=//evil.example>',
    '<img src="//evil.example/pixel.gif">',
    '[<https://a.b>\\[a](b)',
  ]

  test.each(hostile)('%s', (markdown) => expect(findFaults(toHtml(markdown))).toEqual([]))

  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java&#115;cript:alert(1))',
    '[x](&#x6a;avascript&#58;alert(1))',
    '[x](javascript\\:alert(1))',
    '<javascript:alert(1)>',
    '[x]\n\n[x]: javascript:alert(1)',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:msgbox)',
    '[x](//evil.example)',
    '[x](file:///etc/passwd)',
    '![x](mailto:a@b.c)',
    '![x](//evil.example/pixel.gif)',
    '![x](blob:https://example.com/1)',
  ])('%s is neither a link nor an image', (markdown) => {
    expect(toHtml(markdown)).not.toMatch(/<(?:a|img)/)
  })

  test.each([
    ['[x](javascript&colon;alert(1))', 'javascript&amp;colon;alert(1)'],
    ['[x](java&Tab;script:alert(1))', 'java&amp;Tab;script:alert(1)'],
    ['[x](<java\tscript:alert(1)>)', 'java%09script:alert(1)'],
    ['[x](<\u0001javascript:alert(1)>)', '%EF%BF%BDjavascript:alert(1)'],
    ['[x](/\\\\evil.example)', '/%5Cevil.example'],
    ['[x](< //evil.example>)', '%20//evil.example'],
  ])('%j is rendered as a relative link', (markdown, href) => {
    expect(toHtml(markdown).match(/href="([^"]*)"/)?.[1]).toBe(href)
  })

  test('a browser takes no safe address for one of another scheme, whatever is in it', () => {
    const parts = [
      ...'\0\t\n\r \v\u00a0\u200b\ud800\\/:;&%#?.@aA',
      'javascript:',
      'java',
      'script:',
      'data:',
      'vbscript:',
      'https:',
    ]
    const urls = fc
      .array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary' })))
      .map((some) => some.join(''))
    fc.assert(
      fc.property(urls, (url) => {
        const safe = safeUrl(url, ['https', 'mailto'])
        if (safe === undefined || !URL.canParse(safe, 'https://parley.test/posts/1')) return
        const { protocol, host } = new URL(safe, 'https://parley.test/posts/1')
        expect(['https:', 'mailto:']).toContain(protocol)
        if (!/^https:/i.test(safe) && protocol !== 'mailto:') expect(host).toBe('parley.test')
      }),
      { numRuns: 20_000 },
    )
  })

  test('random Markdown renders to allowed HTML only', () => {
    fc.assert(
      fc.property(texts, (markdown) => {
        const html = toHtml(markdown, known, knownFiles)
        expect({ markdown, faults: findFaults(html) }).toEqual({ markdown, faults: [] })
        expect(html.isWellFormed()).toBe(true)
      }),
      { numRuns: 10_000 },
    )
  })

  test('in random Markdown, nothing but mentions is rendered as a mention', () => {
    fc.assert(
      fc.property(texts, (markdown) => {
        const html = toHtml(markdown, known)
        const linked = [...html.matchAll(/<a class="mention" href="https:\/\/parley.test\/([^"]*)"/g)].map(
          ([, id]) => id!,
        )
        const mentions = mentionsIn(markdown)
        expect(linked.filter((id) => !mentions.includes(id))).toEqual([])
        expect(html.match(/<a [^>]*class=/g) ?? []).toHaveLength(linked.length)
        for (const id of mentions) expect(html).toContain(`@${known.get(id)!.name}`)
      }),
      { numRuns: 3_000 },
    )
  })
})

const FILES = ['0', 'z', 'x'].map((letter) => `file_${letter.repeat(26)}`)
const file: ReferencedFile = { name: 'a "b" <c>.png', content_type: 'image/png', size: 1, width: 4, height: 3 }
const knownFiles: Files = new Map([
  [FILES[0]!, file],
  [FILES[1]!, { ...file, content_type: 'video/mp4', width: null, height: null }],
])

const IDS = [`mem_${'0'.repeat(26)}`, `app_${'z'.repeat(26)}`]
const known = new Map(IDS.map((id) => [id, { name: `Called ${id}`, href: `https://parley.test/${id}` }]))

/** Words, and the delimiters of Markdown and HTML. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          'word',
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
          '\u2028',
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
          '- ',
          '* ',
          '1. ',
          '7) ',
          '> ',
          '---\n',
          '===\n',
          '- [x] ',
        ],
        ...[
          '"',
          "'",
          '<',
          '>',
          '&',
          '&amp;',
          '&lt;',
          '&quot;',
          '&#39;',
          '&#0;',
          '&#1;',
          '&#xD800;',
          '\\',
          '|',
          '|-|-|\n',
          '|a|b|\n',
        ],
        ...[
          '[',
          ']',
          '(',
          ')',
          '![',
          '](',
          '[a](b)',
          '![a](b "c")',
          '[a]: b\n',
          '[a]',
          '[[',
          '(<',
          '">',
          '=',
          '/',
          '//',
          ':',
        ],
        ...[
          '<b>',
          '</p>',
          '<br>',
          '<!--',
          '-->',
          '<?',
          '<![CDATA[',
          '<script>',
          '<a class="mention" href="x">',
          '<img src=x onerror=y>',
        ],
        ...[
          'https://a.example/?b="c"',
          'http://',
          'www.',
          'a@b.example',
          '@',
          'javascript:',
          'data:',
          '<https://a.b>',
          '\u0000',
          '\u0001',
        ],
        ...[
          '\ufdd0',
          '\ud800',
          '\udc00',
          '\u202e',
          '\u200b',
          `<@${IDS[0]}>`,
          `<@${IDS[1]}>`,
          `\\<@${IDS[0]}>`,
          '<@mem_',
          '[x](`y)',
        ],
        ...FILES.flatMap((id) => [id, `![a](${id})`, `![](${id} "t")`, `[a](${id})`, `[](${id})`, `](${id})`]),
      ),
      fc.string({ maxLength: 5, unit: 'binary' }),
    ),
    { maxLength: 30 },
  )
  .map((all) => all.join(''))

describe('a title', () => {
  const titleFrom = (markdown: string) => readMarkdown(markdown).toTitle()

  test.each([
    ['# Hello *there*\n\nMore', 'Hello there'],
    ['\n\n   \nSecond line', 'Second line'],
    ['- one\n- two', 'one'],
    ['![](x.png)\nReal', 'Real'],
    ['1 < 2 & "3" > \'0\'', '1 < 2 & "3" > \'0\''],
    ['AT&amp;T', 'AT&T'],
    ['```\ncode', 'code'],
    ['   ', 'Untitled'],
    ['---', 'Untitled'],
    ['\u200b\u2060', 'Untitled'],
    ['\u200b\n\nSecond', 'Second'],
  ])('of %j is %j', (markdown, title) => expect(titleFrom(markdown)).toBe(title))

  test('contains no markup', () => {
    expect(titleFrom('## **Hi** `there`')).toBe('Hi there')
    expect(titleFrom('[Hi](https://example.com) ![a cat](cat.png) there')).toBe('Hi there')
    expect(titleFrom('| a | b |\n|---|---|\n| 1 | 2 |')).toBe('a b')
  })

  test('shows as text what the rendered content shows as text', () => {
    expect(titleFrom('Use <Suspense> here')).toBe('Use <Suspense> here')
    expect(titleFrom('<b>Hi</b>')).toBe('<b>Hi</b>')
  })

  test('is cut between words, never inside a character', () => {
    const title = titleFrom('word '.repeat(100))
    expect(title).toEndWith('word…')
    expect(title.length).toBeLessThanOrEqual(120)
    expect(titleFrom('😀'.repeat(200)).isWellFormed()).toBe(true)
  })
})
