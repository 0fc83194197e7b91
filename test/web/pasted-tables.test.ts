import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type World, world } from '../world'
import { openPage, test, waitForVisible } from './browser'

/** Pastes HTML into a new post, publishes it, and returns its Markdown. */
async function publish(cast: World, page: Page, html: string) {
  await page.goto(`${cast.baseUrl}/posts/new?channel=${cast.general.id}`)
  const text = page.locator('.rich').and(page.getByRole('textbox', { name: 'Text', exact: true }))
  await waitForVisible(text)
  await text.evaluate((element, given) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', given)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, html)
  await text.press('Control+Enter')
  await page.waitForURL(/\/posts\/post_/)
  const response = await cast.raw(cast.ada, `/v2${new URL(page.url()).pathname}`, {
    headers: { Accept: 'text/markdown' },
  })
  return response.text()
}

describe('a pasted table', () => {
  test('keeps the cells that others span', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts', { isFormatted: true })
    const html = '<table><tr><td colspan="2">a</td><td>b</td></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>'
    expect(await publish(cast, page, html)).toBe('| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |')
  })

  test('becomes lines of text where it would have too many cells', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts', { isFormatted: true })
    const wide = `<tr><td>wide</td>${'<td colspan="99"></td>'.repeat(20)}</tr>`
    const markdown = await publish(cast, page, `<table>${wide}${'<tr><td>one</td><td>two</td></tr>'.repeat(9)}</table>`)
    expect(markdown.trim().split(/\s*\n\n/)).toEqual(['wide', ...Array(9).fill('one two')])
  })
})
