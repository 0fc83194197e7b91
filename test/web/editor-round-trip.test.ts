import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, type Mentioned, toHtml } from '../../src/domain/markdown'
import { openPosts } from '../../src/seed/posts'
import { newRandom } from '../../src/seed/random'
import { type Area, areas } from '../../src/seed/texts'
import { openThreads } from '../../src/seed/threads'
import { readMarkdown } from '../../src/web/editor/read'
import { toDocument } from '../../src/web/editor/round-trip'
import { rewriteMarkdown, writeMarkdown } from '../../src/web/editor/write'
import { cpuTime } from '../cpu-time'
import { createRandomTexts, FILE, MEMBER } from './random-markdown'

const files: Files = new Map([[FILE, { name: 'n.png', content_type: 'image/png', size: 5, width: 1, height: 1 }]])
const mentioned: Mentioned = new Map([[MEMBER, { name: 'Ada', href: '/members/1' }]])

/** What readers see. Neither spaces at the end of a line nor one empty line in empty code are seen. */
const render = (markdown: string) =>
  toHtml(markdown, mentioned, files)
    .replace(/[ \t]+(?=<br \/>)/g, '')
    .replaceAll('>\n</code>', '></code>')

/** Whether the editor shows a text formatted. Fails if what it then writes looks different, in any of its ways. */
function isFormatted(markdown: string): boolean {
  const doc = toDocument(markdown)
  if (!doc) return false
  const rewritten = rewriteMarkdown(doc)
  expect({ markdown, rewritten, html: render(rewritten) }).toEqual({ markdown, rewritten, html: render(markdown) })
  expect({ markdown, html: render(writeMarkdown(doc)) }).toEqual({ markdown, html: render(markdown) })
  return true
}

const countPlain = (texts: readonly string[]) => texts.filter((text) => !isFormatted(text)).length

const constructs = [
  ...[
    '',
    'one',
    'one\ntwo',
    'one  \ntwo\\\nthree',
    'one\n\ntwo',
    '# One',
    '## Two #',
    '###### Six',
    'One\n===',
    'Two\nlines\n---',
  ],
  ...['**bold**', '__bold__', '*slanted*', '_slanted_', '***both***', '**_both_**', '_**both**_', '~~gone~~', '~gone~'],
  ...[
    '**bold *and* more**',
    '*a **b** c*',
    'in**side**word',
    '**"quoted"** text',
    '**[link](https://e.com)**',
    '[**link**](https://e.com)',
  ],
  ...['`code`', '`` a ` b ``', '` `', '**`code`**', '[`code`](https://e.com)', '~~**all _of_ them**~~'],
  ...[
    '[link](https://e.com)',
    '[link](<a b> "title")',
    '[a](https://e.com/x_y_(z))',
    '<https://e.com/a_b>',
    '<ada@example.com>',
  ],
  ...['https://example.com/__init__.py', 'See www.example.com/a_b, and ada@example.com.', '[x](/posts/1?a#b)'],
  ...[
    '- a\n- b',
    '* a\n* b',
    '- a\n\n- b',
    '- a\n  - b\n    - c',
    '1. a\n2. b',
    '3) a\n4) b',
    '- a\n\n  b\n\n- c',
    '- a\n\n* b',
    '1. a\n\n1) b',
  ],
  ...[
    '- [ ] open\n- [x] done',
    '1. [ ] open',
    '- [ ] a\n  - [x] b',
    '- [x]',
    '-',
    '- a\n-',
    '- # Heading',
    '- > quoted',
    '- ```\n  code\n  ```',
  ],
  ...['> quoted', '> a\nb', '> a\n>\n> b', '> > a', '> - a\n> - b', '> a\n\n> b', '> # Title'],
  ...[
    '```\ncode\n```',
    '```sql\nselect 1\n```',
    '```js title="x"\na\n```',
    '~~~\n```\n~~~',
    '    indented',
    '````\n```\n````',
    '```c++\n\n\na\n\n```',
  ],
  ...[
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '|a|b|c|\n|:-|:-:|-:|\n|1|2|3|',
    '| a |\n|---|',
    '| `a\\|b` | c \\| d |\n|---|---|\n| **x** | [y](https://e.com) |',
  ],
  ...[
    'a | b\n--|--\n1 | 2',
    '| a |\n|---|\n|  |',
    '| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |',
    '- a\n\n  | b |\n  |---|',
  ],
  ...[
    '---',
    'a\n\n***\n\nb',
    '- ***',
    `![Chart](${FILE})`,
    `[Report](${FILE})`,
    `![](${FILE})`,
    `Look: ![Chart](${FILE}) and [file](${FILE}).`,
  ],
  ...[
    `![A](${FILE} "Title")`,
    `![A](${FILE})\n![B](${FILE})`,
    `- ![A](${FILE})`,
    '![x](https://e.com/i.png)',
    '[![x](https://e.com/i.png)](https://e.com)',
  ],
  ...[
    `<@${MEMBER}>`,
    `Ask <@${MEMBER}>, please`,
    `**<@${MEMBER}>**`,
    `[<@${MEMBER}>](https://e.com)`,
    `\`<@${MEMBER}>\``,
    `\\<@${MEMBER}>`,
  ],
  ...['<@group_01h455vb4pex5vsknk084sn02q>, <@channel> and <@here>', '🎉 :tada: :custom_emoji:', ':)'],
  ...[
    '<b>**bold**</b>',
    '<script>alert(1)</script>',
    '<!-- hidden -->',
    'a < b > c',
    '&copy; &amp; &#35; &nbsp;x',
    'AT&T &lt;b&gt;',
  ],
  ...[
    '\\*no\\* \\# \\[x\\]',
    '5 * 3 * 2',
    'snake_case_word',
    '2. July',
    '1986\\. A year',
    '+ plus',
    '\\- no list',
    '#hashtag',
    '\\# no heading',
  ],
  ...[
    'C:\\Temp\\*.txt',
    '[x] no box',
    '[a] [b]: c',
    '!\\[no\\](image)',
    '~5 minutes',
    'a\\\nb',
    'https://e.com/a?b=1&c=2&copy=3',
    '日本語**強調**です。',
  ],
  ...[
    'مرحبا **عالم**',
    '> [!NOTE]\n> Read this.',
    '\ttab',
    'a\tb',
    'end  ',
    '*a*b*c*',
    '1. a\n   1. b\n      - c',
    '10. a\n11. b',
  ],
]

const SLOW_MS = 120_000
const folder = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const documents = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...(readdirSync(join(folder, 'docs'), { recursive: true }) as string[])
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
].map(read)

/** The texts of 1,000 posts and 200 threads of the seed, each once. */
const seeded = {
  posts: () => new Set(openSeededPosts().map(({ text }) => text.markdown)),
  comments: () => new Set(openSeededPosts().flatMap(({ comments }) => comments.map(({ text }) => text.markdown))),
  notes: () => new Set(openSeededPosts().flatMap(({ resolution }) => resolution?.note?.markdown ?? [])),
  messages: () => new Set(openSeededThreads().flatMap(({ messages }) => messages.map(({ text }) => text.markdown))),
}

function openSeededPosts() {
  const author = { key: 1, joined_at: 0 }
  const channels = (Object.keys(areas) as Area[]).map((area) => ({ area, key: 1, writers: [author], apps: [author] }))
  const options = { posts: 1_000, commentsEvery: 1, until: Date.now() }
  const next = openPosts(newRandom('editor'), channels as never, options)
  return Array.from({ length: 1_000 }, next)
}

function openSeededThreads() {
  const people = Array.from({ length: 8 }, (_, key) => ({ key, name: `Member ${key}`, role: 'member', joined_at: 0 }))
  const next = openThreads(newRandom('editor'), people as never, [], { threads: 200, until: Date.now() })
  return Array.from({ length: 200 }, next)
}

describe('Markdown to a document of the editor and back looks the same', () => {
  test('for every construct', () => {
    expect(constructs.filter((text) => !isFormatted(text))).toEqual([])
  })

  test('for every pair of constructs, one after the other', () => {
    const pairs = constructs.flatMap((text, at) =>
      [1, 7, 31].map((step) => `${text}\n\n${constructs[(at + step) % constructs.length]}`),
    )
    expect(countPlain(pairs)).toBeLessThanOrEqual(0.03 * pairs.length)
  })

  test.each(['posts', 'comments', 'notes', 'messages'] as const)(
    'for all %s of the seed',
    (kind) => {
      const texts = [...seeded[kind]()]
      expect(texts.length).toBeGreaterThan(10)
      expect(countPlain(texts)).toBe(0)
    },
    SLOW_MS,
  )

  test(
    'for the documentation, whole and in sections',
    () => {
      const sections = documents.flatMap((text) => text.split(/\n(?=## )/))
      expect(countPlain([...documents.filter((text) => text.length <= 100_000), ...sections])).toBe(0)
    },
    SLOW_MS,
  )

  test.each([
    ['line', 1_500, 0.05],
    ['block', 1_500, 0.08],
    ['text', 1_000, 0.15],
    ['noise', 2_000, 0.05],
  ] as const)(
    'for random texts: %s',
    (kind, count, share) => {
      const random = createRandomTexts(29)
      expect(countPlain(Array.from({ length: count }, random[kind]))).toBeLessThanOrEqual(share * count)
    },
    SLOW_MS,
  )

  test('a change of one block leaves the others as they were written', () => {
    const markdown = 'Title\n===\n\n* one\n* two\n\n__bold__ | `x`\n\n1) a\n2) b'
    const doc = toDocument(markdown)!
    expect(writeMarkdown(doc)).toBe(markdown)
    const changed = doc.replace(1, 6, readMarkdown('Words').doc.slice(1, 6))
    expect(writeMarkdown(changed)).toBe('# Words\n\n* one\n* two\n\n__bold__ | `x`\n\n1) a\n2) b')
  })
})

test.each([
  ['a definition of a link', '[a][b]\n\n[b]: https://e.com'],
  ['emphasis in emphasis of its kind', '*a *b* c*'],
  ['emphasis beside emphasis', '*a*_b_'],
  ['a link without a text', '[](https://e.com)'],
  ['a box before a heading', '- [ ] # Title'],
  ['a very long text', 'a '.repeat(60_000)],
  ['lists in lists, many times', Array.from({ length: 20 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
])('%s opens as Markdown', (_, markdown) => {
  expect(toDocument(markdown)).toBeUndefined()
})

test.each([
  ['lines', 'a\n'],
  ['emphasis', '*a *b'],
  ['empty lines in code', '\n'],
])(
  'the time to read and write a text grows as its length does, for one of %s',
  (_, part) => {
    const take = (length: number) => {
      const text = part.repeat(length / part.length)
      return cpuTime(() => toDocument(text.trim() === '' ? `\`\`\`\n${text}x\n\`\`\`` : text), 2)
    }
    take(5_000)
    expect(take(60_000) / take(10_000)).toBeLessThan(20)
  },
  SLOW_MS,
)
