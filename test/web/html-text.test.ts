import { describe, expect, test } from 'bun:test'
import { withoutTitle } from '../../src/web/parts/html-text'

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
