import { describe, expect, test } from 'bun:test'
import { toText, withoutTitle } from '../../src/web/parts/html-text'

describe('text of HTML', () => {
  test('is one line without tags', () => {
    expect(toText('<h2>Plan</h2>\n<p>Tea &amp; <em>cake</em><br>at four</p><p unfin')).toBe('Plan Tea & cake at four')
  })
})

describe('the text below a title', () => {
  const below = (title: string, content: string) => withoutTitle({ title, content })

  test('leaves out the first line if it is the title', () => {
    expect(below('Lunch?', '<p>Lunch?</p>')).toBe('')
    expect(below('Lunch & tea', '<h1>Lunch &amp; <em>tea</em></h1>\n<p>At noon.</p>')).toBe('\n<p>At noon.</p>')
    expect(below('Lunch?', '<p>Lunch?<br>\nAt noon.</p><p>Yes.</p>')).toBe('<p>At noon.</p><p>Yes.</p>')
  })

  test('is the whole text otherwise', () => {
    for (const [title, content] of [
      ['Lunch', '<p>Lunch at noon</p>'],
      ['Lunch…', '<p>Lunch at noon</p>'],
      ['Lunch', '<ul><li>Lunch</li></ul>'],
      ['See here', '<p>See <a href="https://example.com">here</a></p>'],
      ['Lunch', ''],
      ['At noon.', '<p>Lunch?</p><p>At noon.</p>'],
    ] as const)
      expect(below(title, content)).toBe(content)
  })
})
