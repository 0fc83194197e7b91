import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Files, type Mentioned, readMarkdown } from '../../src/domain/markdown'
import type { ReferencedFile } from '../../src/domain/markdown/files'
import { cpuTime } from '../cpu-time'
import { findFaults } from '../domain/html-check'
import { FILE_ID, hostileTexts, MAX_LENGTH, pieces, plainText, SHORT_LENGTH, SOUND_ID } from './hostile-texts'

const id = `mem_${'0'.repeat(26)}`
const mentioned: Mentioned = new Map([
  [id, { name: 'Ada & the <others> 漢字'.repeat(4), href: 'https://parley.test/members/1' }],
])
const file: ReferencedFile = {
  name: `${'&"漢'.repeat(60)}.jpg`,
  content_type: 'image/jpeg',
  size: 1,
  width: 1200,
  height: 800,
}
const files: Files = new Map([
  [FILE_ID, file],
  [SOUND_ID, { ...file, content_type: 'audio/mpeg', width: null, height: null }],
])
const sizeOf = (text: string) => Buffer.byteLength(text)
const bound = (markdown: string) => 4 * sizeOf(markdown) + 4 * 1024

/** Everything that is computed from a text when it is posted. */
function render(markdown: string): string {
  const text = readMarkdown(markdown)
  text.mentions()
  text.toTitle(mentioned, files)
  return text.toHtml(mentioned, files)
}

/** Compared to plain text of the same size. The worst measured was 130. */
const MAX_RATIO = 500
/** If the time of a text grew with the cube of its length, up to MAX_RATIO, its short form would take this many times as long as plain text. */
const SUSPECT_RATIO = MAX_RATIO * (SHORT_LENGTH / MAX_LENGTH) ** 2

describe('a hostile text', () => {
  test('comes in hundreds of variants, each of the maximum length', () => {
    expect(hostileTexts.length).toBeGreaterThanOrEqual(300)
    for (const { text } of hostileTexts) expect(text.length <= MAX_LENGTH || [...text].length <= MAX_LENGTH).toBe(true)
  })

  test('takes bounded time, compared to plain text', () => {
    for (const { text } of hostileTexts.slice(0, 50)) render(text)
    const plain = cpuTime(() => render(plainText), 20)
    const shortPlain = cpuTime(() => render(plainText.slice(0, SHORT_LENGTH)), 20)

    const slow: string[] = []
    const long: string[] = []
    let worst = { name: '', time: 0 }
    let measured = 0
    for (const { name, text, short } of hostileTexts) {
      const take = (markdown: string) =>
        cpuTime(() => {
          const size = sizeOf(render(markdown))
          if (size > bound(markdown)) long.push(`${name}: ${size} of ${sizeOf(markdown)}`)
        })
      if (short && take(short) <= SUSPECT_RATIO * shortPlain) continue
      measured += 1
      let time = take(text)
      for (let again = 0; again < 4 && time > MAX_RATIO * plain; again++) time = Math.min(time, take(text))
      if (time > worst.time) worst = { name, time }
      if (time > MAX_RATIO * plain) slow.push(`${name}: ${time.toFixed(1)} ms`)
    }
    console.log(
      `  plain text ${plain.toFixed(2)} ms, at most ${worst.time.toFixed(1)} ms (${Math.round(worst.time / plain)} times): ${worst.name}; ${measured} of ${hostileTexts.length} at full length`,
    )
    expect({ slow, long }).toEqual({ slow: [], long: [] })
  }, 600_000)

  test('renders to safe HTML that is at most 4 times as long, and 4 KB', () => {
    for (const { name, text } of hostileTexts) {
      const part = text.slice(0, 4_000)
      const html = render(part)
      const isLong = sizeOf(html) > bound(part)
      expect({ name, isLong, faults: findFaults(html) }).toEqual({ name, isLong: false, faults: [] })
    }
  }, 600_000)

  test('is bounded where some of what it links is shorter as a link than as text', () => {
    const text = `${'http://a)'.repeat(5_556)}${`![a](${SOUND_ID})\n\n`.repeat(1_300)}`.slice(0, MAX_LENGTH)
    const html = readMarkdown(text).toHtml()
    expect(sizeOf(html)).toBeLessThanOrEqual(bound(text))
    expect(findFaults(html)).toEqual([])
  })

  test('is bounded and safe whatever it is made of', () => {
    const anyPiece = fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 400 }))
    fc.assert(
      fc.property(fc.array(anyPiece, { minLength: 1, maxLength: 8 }), (parts) => {
        const text = parts.map(([piece, times]) => piece.repeat(times)).join('')
        const html = render(text)
        expect(sizeOf(html)).toBeLessThanOrEqual(bound(text))
        expect(findFaults(html)).toEqual([])
      }),
      { numRuns: 300 },
    )
  }, 600_000)

  test('loses no characters when shown as plain text', () => {
    for (const text of [
      '\\``a'.repeat(20_000),
      `${'- '.repeat(20_000)}b${'\n'.repeat(40_000)}c`,
      '*a'.repeat(40_000),
    ]) {
      const html = render(text)
      expect(html).not.toMatch(/<(?!\/?p>|br \/>)/)
      expect(html.replace(/<[^>]*>|\s/g, '')).toBe(text.replace(/\s/g, ''))
    }
  })
})
