import { describe, expect, test } from 'bun:test'
import { toHtml } from '../../../src/domain/markdown'
import { readPayload } from '../../../src/domain/payloads/payload'
import { cpuTime } from '../../cpu-time'
import { payloads } from './payloads'

const read = (payload: unknown, headers: Record<string, string> = {}) =>
  readPayload(payload, (name) => headers[name] ?? null)

describe('what other systems send', () => {
  test.each(Object.keys(payloads))('%s', (name) => {
    const { payload, headers, title, markdown } = payloads[name]!
    const text = read(payload, headers)!
    expect(text.markdown).toBe(markdown)
    expect(text.title).toBe(title)
    expect(toHtml(text.markdown)).not.toMatch(/\*\*|\\/)
  })

  test('events of GitHub that would only be noise are not posted', () => {
    const header = (event: string) => ({ 'x-github-event': event })
    expect(read({ action: 'labeled', pull_request: {} }, header('pull_request'))).toBeUndefined()
    expect(
      read({ action: 'completed', workflow_run: { conclusion: 'success' } }, header('workflow_run')),
    ).toBeUndefined()
    expect(read({ action: 'created' }, header('watch'))).toBeUndefined()
    expect(read({ ref: 'refs/heads/x', commits: [] }, header('push'))).toBeUndefined()
    expect(read({}, header('constructor'))).toBeUndefined()
  })
})

describe('blocks', () => {
  test('each kind is Markdown', () => {
    const style = (name: string) => ({ [name]: true })
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy :rocket:' } },
      { type: 'section', text: { type: 'mrkdwn', text: '*Done* in 3 min' } },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*Env*\nprod' },
          { type: 'plain_text', text: '*raw*' },
        ],
      },
      { type: 'divider' },
      { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'graph' },
      {
        type: 'context',
        elements: [
          { type: 'image', image_url: 'https://example.com/i.png', alt_text: 'icon' },
          { type: 'mrkdwn', text: 'by <https://example.com|CI>' },
          { type: 'plain_text', text: 'now' },
        ],
      },
      {
        type: 'actions',
        elements: [
          { type: 'button', text: { type: 'plain_text', text: 'Logs' }, url: 'https://example.com/logs' },
          { type: 'button', text: { type: 'plain_text', text: 'Only in Slack' }, action_id: 'x' },
        ],
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'bold ', style: style('bold') },
              { type: 'text', text: 'a*b', style: style('italic') },
              { type: 'text', text: ' ' },
              { type: 'text', text: 'x', style: style('code') },
              { type: 'link', url: 'https://example.com', text: 'link' },
              { type: 'emoji', name: 'fire' },
              { type: 'broadcast', range: 'here' },
            ],
          },
          {
            type: 'rich_text_list',
            style: 'ordered',
            elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }],
          },
          {
            type: 'rich_text_list',
            style: 'bullet',
            indent: 1,
            elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'two' }] }],
          },
          { type: 'rich_text_quote', elements: [{ type: 'text', text: 'said' }] },
          { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a\n```\nb' }] },
        ],
      },
      {
        type: 'table',
        rows: [
          [
            { type: 'raw_text', text: 'A|' },
            { type: 'raw_text', text: 'B' },
          ],
          [{ type: 'raw_text', text: '1' }],
        ],
      },
      { type: 'markdown', text: '**as it is**' },
      { type: 'input', label: { type: 'plain_text', text: 'No' } },
    ]
    expect(read({ text: 'Shown in notifications only', blocks })).toEqual({
      title: 'Deploy 🚀',
      markdown: `**Done** in 3 min

**Env**
prod

\\*raw\\*

---

![graph](https://example.com/a.png)

by [CI](https://example.com) · now

[Logs](https://example.com/logs)

**bold** *a\\*b* \`x\`[link](https://example.com)🔥@here

1. one
    - two

> said

\`\`\`\`
a
\`\`\`
b
\`\`\`\`

| A\\| | B |
| --- | --- |
| 1 |

**as it is**`,
    })
  })

  test('attachments beside a text, or several, are quotations', () => {
    const attachments = [
      { color: 'good', title: 'web_1', title_link: 'https://example.com', fields: [{ title: 'CPU', value: '3 %' }] },
      { color: 'danger', text: '• full', fallback: 'Full' },
      { fallback: 'only *this*' },
    ]
    expect(read({ text: 'Servers', attachments })!.markdown).toBe(`Servers

> 🟢 **[web\\_1](https://example.com)**
>
> **CPU:** 3 %

> 🔴
>
> - full

only \\*this\\*`)
  })

  test('colours are dots', () => {
    const dots = (...colors: string[]) =>
      colors.map((color) => read({ attachments: [{ color, text: 'x' }] })!.markdown.replace(/^> | ?x$/g, ''))
    expect(dots('good', 'warning', 'danger')).toEqual(['🟢', '🟡', '🔴'])
    expect(
      dots('#D63232', '#ff9900', '#ffcc00', '#36a64f', '#2eb', '#439FE0', '#764FA5', '#cccccc', '#111', '', 'red;'),
    ).toEqual(['🔴', '🟠', '🟡', '🟢', '🟢', '🔵', '🟣', '⚪', '⚫', '', ''])
  })
})

describe('plain payloads', () => {
  test('Markdown with or without a title is as it was sent', () => {
    expect(read({ content_markdown: '# Hi\n\n*there*' })).toEqual({ markdown: '# Hi\n\n*there*' })
    for (const payload of [{ title: ' A  title ', content_markdown: '' }, { title: 'A title' }])
      expect(read(payload)).toEqual({ title: 'A title', markdown: '' })
    expect(read({ title: '\u200b', content_markdown: 'Hi' })).toEqual({ markdown: 'Hi' })
  })
})

test.each(['constructor', '__proto__', 'toString'])('%s is a word like others', (word) => {
  const gitHub = (event: string, payload: object) => read({ action: word, ...payload }, { 'x-github-event': event })
  expect(gitHub('issues', { issue: { title: 'x' } })).toBeUndefined()
  expect(gitHub('pull_request_review', { review: { state: word } })).toBeUndefined()
  expect(read({ attachments: [{ color: word, text: 'x' }] })).toEqual({ markdown: '> x' })
  const alert = { action: word, data: { description_title: 'Down' } }
  expect(read(alert, { 'sentry-hook-resource': 'metric_alert' })!.title).toBe('🔴 Down')
})

test('objects in place of numbers are none', () => {
  const no = { toString: 1, valueOf: 1 }
  const section = {
    elements: [
      { type: 'date', timestamp: no },
      { type: 'text', text: 'x' },
    ],
  }
  const list = { type: 'rich_text_list', indent: no, elements: [section] }
  const attachments = [{ text: 'y', ts: no, footer: 'z' }]
  expect(read({ blocks: [{ type: 'rich_text', elements: [list] }], attachments })!.markdown).toBe(
    '- x\n\n> y\n>\n> *z*',
  )
})

describe('what cannot be posted', () => {
  test.each([
    [[], 'Send a JSON object'],
    [null, 'Send a JSON object'],
    ['text', 'Send a JSON object'],
    [{ text: {} }, 'text must be a text'],
    [{ blocks: {} }, 'blocks must be a list'],
    [{ blocks: Array(3_001).fill({}) }, 'blocks must have at most 3000 items'],
    [{ blocks: ['x'] }, 'blocks[0] must be an object'],
    [{ blocks: [{ type: 'section', fields: 3 }] }, 'blocks[0].fields must be a list'],
    [{ attachments: [{ fields: [{ title: [] }] }] }, 'attachments[0].fields[0].title must be a text'],
    [{ content_markdown: [] }, 'content_markdown must be a text'],
    [{ content_markdown: 5 }, 'content_markdown must be a text'],
    [{ content_markdown: 'x', title: true }, 'title must be a text'],
    [{ title: 5 }, 'title must be a text'],
    [{ title: null }, 'There is no text'],
    [{ title: '[FIRING:1]', alerts: [] }, 'There is no text. In Grafana'],
    [{ title: 'Down', message: 'lost' }, 'There is no text'],
    [{ title: '\u200b\u3164', content_markdown: '\u2060' }, 'There is no text'],
    [{}, 'There is no text'],
    [{ text: '' }, 'There is no text'],
    [{ text: '  \n' }, 'There is no text'],
    [{ content_markdown: null }, 'There is no text'],
    [{ blocks: [{ type: 'actions', elements: [] }] }, 'There is no text'],
    [{ blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_list' }] }] }, 'There is no text'],
  ])('case %# is refused', (payload, message) => expect(() => read(payload)).toThrow(message))

  test('a text that is too long is cut, and what no database stores is replaced', () => {
    const { markdown, title } = read({
      title: `${'t'.repeat(299)}😀`,
      content_markdown: `a\0\ud800${'😀'.repeat(60_000)}`,
    })!
    expect(markdown).toStartWith('a\ufffd\ufffd')
    expect(markdown).toEndWith('… (cut)')
    expect([markdown.length, markdown.isWellFormed(), title!.length, title!.isWellFormed()]).toEqual([
      100_000,
      true,
      300,
      true,
    ])
  })

  test('what would be cut is not converted', () => {
    const most = '*_~'.repeat(340_000)
    const convert = () => read({ attachments: [{ title: 'Down', text: most, footer: most }] })!
    expect(cpuTime(convert)).toBeLessThan(1_000)
    const { title, markdown } = convert()
    expect([title, markdown.length, markdown.endsWith('… (cut)')]).toEqual(['Down', 100_000, true])
  })

  test('deep and wide JSON takes a moment', () => {
    let deep: unknown = { text: 'x' }
    for (let level = 0; level < 5_000; level++) deep = { type: 'rich_text_section', elements: [deep] }
    const work = () => {
      read({ text: 'x', blocks: [{ type: 'rich_text', elements: [deep] }] })
      read({ attachments: Array.from({ length: 3_000 }, () => ({ fallback: 'x', color: 'good' })) })
      read({ blocks: Array.from({ length: 3_000 }, () => ({ type: 'section', text: { type: 'mrkdwn', text: '*x' } })) })
    }
    expect(cpuTime(work)).toBeLessThan(2_000)
  })
})
