import { describe, expect, test } from 'bun:test'
import { excerptOf } from '../../src/contract/browser/excerpt'
import { describeFile, fileKind, formatSize } from '../../src/contract/browser/file-facts'
import { readMarkdown, toHtml } from '../../src/domain/markdown'
import { plainText } from '../../src/domain/search/document'
import { findFaults } from './html-check'

const idOf = (letter: string) => `file_${letter.repeat(26)}`
const [PNG, MP4, MP3, PDF, HEIC, GONE] = ['0', '1', '2', '3', '4', '5'].map(idOf) as [string, ...string[]] as string[]

const file = (name: string, content_type: string, width: number | null = null, height: number | null = null) => ({
  ...{ name, content_type, size: 1_234_567, width, height },
})
const files = new Map([
  [PNG!, file('IMG_1.png', 'image/png', 40, 30)],
  [MP4!, file('clip.mp4', 'video/mp4', 640, 360)],
  [MP3!, file('song.mp3', 'audio/mpeg')],
  [PDF!, file('report.pdf', 'application/pdf')],
  [HEIC!, file('photo.heic', 'image/heic', 40, 30)],
])
const render = (markdown: string) => {
  const html = toHtml(markdown, undefined, files)
  expect(findFaults(html)).toEqual([])
  return html
}

const REL = 'rel="nofollow noopener noreferrer"'
const image = (alt: string, more = '') =>
  `<img src="/files/${PNG}/large" alt="${alt}" width="40" height="30"${more} loading="lazy" />`
const figure = (alt: string, more = '') =>
  `<figure class="file-image" data-file="${PNG}"><a href="/files/${PNG}" ${REL}>${image(alt, more)}</a></figure>`
const NAMED = ' data-name="IMG_1.png"'
const card = (id: string, label: string, facts: string, named = '') =>
  `<p class="file-card" data-file="${id}"><a href="/files/${id}/download" ${REL}${named}><span class="file-name">${label}</span> <span class="file-facts">${facts}</span></a></p>`
const report = (label: string, named = ' data-name="report.pdf"') => card(PDF!, label, 'PDF · 1.2 MB', named)

describe('files in Markdown', () => {
  test.each([
    [`![A cat](${PNG})`, figure('A cat', NAMED)],
    [`![IMG_1.png](${PNG})`, figure('IMG_1.png')],
    [`![a](${PNG})\n![b](${PNG})`, `${figure('a', NAMED)}\n${figure('b', NAMED)}`],
    [`Hi\n\n![a](${PNG})\n\nthere`, `<p>Hi</p>\n${figure('a', NAMED)}\n<p>there</p>`],
    [`See ![a](${PNG}) here`, `<p>See ${image('a', NAMED)} here</p>`],
    [`- ![a](${PNG})`, `<ul>\n<li>${image('a', NAMED)}</li>\n</ul>`],
    [`> ![a](${PNG})`, `<blockquote>\n${figure('a', NAMED)}\n</blockquote>`],
    [`[![a](${PNG})](https://a.example)`, `<p><a href="https://a.example" ${REL}>${image('a', NAMED)}</a></p>`],
    [
      `![Demo](${MP4})`,
      `<figure class="file-video" data-file="${MP4}"><video controls preload="metadata" src="/files/${MP4}" width="640" height="360" aria-label="Demo" data-name="clip.mp4"></video></figure>`,
    ],
    [
      `![](${MP3})`,
      `<figure class="file-audio" data-file="${MP3}"><audio controls preload="none" src="/files/${MP3}" aria-label="song.mp3"></audio></figure>`,
    ],
    [`See ![Demo](${MP4})`, `<p>See <a href="/files/${MP4}/download" ${REL} data-name="clip.mp4">Demo</a></p>`],
    [`![Q3](${PDF})`, report('Q3')],
    [`[**Q3** report](${PDF})`, report('Q3 report')],
    [`[](${PDF})`, report('report.pdf', '')],
    [`[a](${PDF})\n[b](${PDF})`, `${report('a')}\n${report('b')}`],
    [`[a](${PNG})`, card(PNG!, 'a', 'PNG image · 1.2 MB', NAMED)],
    [`![a](${HEIC})`, card(HEIC!, 'a', 'HEIC image · 1.2 MB', ' data-name="photo.heic"')],
    [
      `Read [*it*](${PDF}).`,
      `<p>Read <a href="/files/${PDF}/download" ${REL} data-name="report.pdf"><em>it</em></a>.</p>`,
    ],
    [`Read [](${PDF}).`, `<p>Read <a href="/files/${PDF}/download" ${REL}>report.pdf</a>.</p>`],
    [`![A cat](${GONE})`, '<p><span class="file-missing">A cat</span></p>'],
    [
      `Read [it](${GONE}) and ![](${GONE})`,
      '<p>Read <span class="file-missing">it</span> and <span class="file-missing">File not available</span></p>',
    ],
    [`\`![a](${PNG})\``, `<p><code>![a](${PNG})</code></p>`],
  ])('%j', (markdown, html) => expect(render(markdown)).toBe(html))

  test.each([`![a](/${PNG})`, `![a](${PNG}0)`, `![a](${PNG}#x)`, `![a](x${PNG})`, `![a](file_${'u'.repeat(26)})`])(
    '%j references no file',
    (markdown) => {
      expect(readMarkdown(markdown).fileIds()).toEqual([])
      expect(render(markdown)).not.toMatch(/file-|\/large/)
    },
  )

  test('the ids are listed once, and no more than 50 of them', () => {
    const markdown = `[a](${PDF}) ![b](${PNG}) \n\n![c](${PNG})\n\n# [d](${MP3}) \`[e](${MP4})\``
    expect(readMarkdown(markdown).fileIds()).toEqual([PDF!, PNG!, MP3!])
    const many = Array.from({ length: 200 }, (_, at) => `file_${String(at).padStart(26, '0')}`)
    expect(readMarkdown(many.map((id) => `![](${id})`).join('\n\n')).fileIds()).toEqual(many.slice(0, 50))
  })

  test('labels and names cannot add tags or attributes', () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)> \' & &quot; \u202e'
    const known = new Map([...files].map(([id, each]) => [id, { ...each, name: hostile }]))
    for (const id of files.keys())
      for (const markdown of [
        `![${hostile}](${id})`,
        `[${hostile}](${id})`,
        `a ![](${id}) [](${id})`,
        `![](${id})`,
        `[](${id})`,
      ]) {
        const html = toHtml(markdown, undefined, known)
        expect(findFaults(html)).toEqual([])
        expect(html).not.toMatch(/<script|<img src=x/)
      }
    expect(render(`![${'long '.repeat(2_000)}](${PNG})`).length).toBeLessThan(10_500)
  })

  test('a text that consists only of files has the name of the first as its title', () => {
    const titleOf = (markdown: string) => readMarkdown(markdown).toTitle(undefined, files)
    expect(titleOf(`![A cat](${PNG})`)).toBe('A cat')
    expect(titleOf(`![](${PNG})\n\n![b](${MP4})`)).toBe('IMG_1.png')
    expect(titleOf(`# ![](${PNG})`)).toBe('IMG_1.png')
    expect(titleOf(`[Report](${PDF})\n\nPlease read.`)).toBe('Please read.')
    expect(titleOf(`![](${GONE})`)).toBe('Untitled')
  })

  test('as plain text they are their labels and names, without types and sizes', () => {
    expect(plainText(render(`Hi\n\n![A cat](${PNG})\n\n[Q3](${PDF})`))).toBe('Hi\nA cat IMG_1.png \n report.pdf Q3')
    expect(excerptOf(render(`![](${MP3}) ![Demo](${MP4})\n\n[report.pdf](${PDF})`))).toBe(
      'song.mp3 Demo clip.mp4 report.pdf',
    )
  })
})

describe('facts about files', () => {
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_000, '1 KB'],
    [9_960, '10 KB'],
    [999_499, '999 KB'],
    [999_500, '1 MB'],
    [1_234_567, '1.2 MB'],
    [5e9, '5 GB'],
    [5e15, '5000 TB'],
  ])('%d bytes are shown as %s', (bytes, shown) => expect(formatSize(bytes)).toBe(shown))

  test('types have the names that people use', () => {
    const facts = (content_type: string, name: string) => describeFile({ content_type, name, size: 2_000 })
    expect(facts('application/zip', 'a')).toBe('ZIP archive · 2 KB')
    expect(facts('application/octet-stream', 'a.blend')).toBe('BLEND file · 2 KB')
    expect(facts('application/octet-stream', 'a')).toBe('File · 2 KB')
    expect(facts('video/x-unknown', 'a')).toBe('Video · 2 KB')
  })

  test('a picture of unknown size is not shown', () => {
    expect(fileKind({ content_type: 'image/png', width: null, height: null })).toBe('other')
    expect(fileKind({ content_type: 'image/svg+xml', width: 1, height: 1 })).toBe('other')
  })
})
