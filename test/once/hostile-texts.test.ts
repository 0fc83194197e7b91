import { describe, expect, test } from 'bun:test'
import { type Mentioned, readMarkdown } from '../../src/domain/markdown'
import { findFaults } from '../domain/html-check'
import { cpuTime } from './cpu-time'
import { hostileTexts, MAX_LENGTH, plainText } from './hostile-texts'

const id = `mem_${'0'.repeat(26)}`
const mentioned: Mentioned = new Map([[id, { name: 'Ada', href: 'https://parley.test/members/1' }]])

/** Everything that is computed from a text when it is posted. */
function render(markdown: string): string {
  const text = readMarkdown(markdown)
  text.mentions()
  text.toTitle(mentioned)
  return text.toHtml(mentioned)
}

/** Compared to plain text of the same size. The worst measured was 130. */
const MAX_RATIO = 500

describe('a hostile text', () => {
  test('comes in hundreds of variants, each of the maximum length', () => {
    expect(hostileTexts.length).toBeGreaterThanOrEqual(300)
    for (const { text } of hostileTexts) expect([...text].length).toBeLessThanOrEqual(MAX_LENGTH)
  })

  test('takes bounded time, compared to plain text', () => {
    for (const { text } of hostileTexts.slice(0, 50)) render(text)
    const plain = cpuTime(() => render(plainText), 20)

    const slow: string[] = []
    let worst = { name: '', time: 0 }
    for (const { name, text } of hostileTexts) {
      let time = cpuTime(() => render(text))
      for (let again = 0; again < 4 && time > MAX_RATIO * plain; again++)
        time = Math.min(
          time,
          cpuTime(() => render(text)),
        )
      if (time > worst.time) worst = { name, time }
      if (time > MAX_RATIO * plain) slow.push(`${name}: ${time.toFixed(1)} ms`)
    }
    console.log(
      `  plain text ${plain.toFixed(2)} ms, at most ${worst.time.toFixed(1)} ms (${Math.round(worst.time / plain)} times): ${worst.name}`,
    )
    expect(slow).toEqual([])
  }, 600_000)

  test('renders to safe HTML that is not much longer', () => {
    for (const { name, text } of hostileTexts) {
      const html = render(text.slice(0, 10_000))
      expect({ name, faults: findFaults(html) }).toEqual({ name, faults: [] })
      expect({ name, isShort: html.length <= 50 * 10_000 }).toEqual({ name, isShort: true })
    }
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
