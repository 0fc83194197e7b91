import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Person, type World, world } from '../world'
import { openPage, test, waitForVisible } from './browser'

const sourceOf = async ({ raw }: World, who: Person, path: string) =>
  (await raw(who, path, { headers: { Accept: 'text/markdown' } })).text()

/** The editor of a page, when it shows formatted text. */
async function openEditor(page: Page, name = 'Text') {
  const text = page.locator('.rich').and(page.getByRole('textbox', { name, exact: true }))
  await waitForVisible(text)
  return text
}

describe('the editor', () => {
  test('formats Markdown while it is typed, and sends it as Markdown', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`, { isFormatted: true })
    const text = await openEditor(page)
    await text.click()
    await page.keyboard.type('# Lunch\nWith **bold**, _slanted_, ~~gone~~ and `code`. @bob')
    await page.getByRole('option', { name: 'Bob Moore' }).click()
    await page.keyboard.type('\n- one\ntwo\n\n[ ] open\n\n```sql select 1\n\n\n> quoted\n\n| | |a')
    for (const _ of [1, 2, 3]) await page.keyboard.press('Tab')
    await page.keyboard.type('b')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    expect(await sourceOf(cast, cast.ada, `/v2${new URL(page.url()).pathname}`)).toBe(
      [
        `# Lunch\n\nWith **bold**, _slanted_, ~~gone~~ and \`code\`. <@${cast.bob.id}>`,
        '- one\n- two\n\n* [ ] open',
        '```sql\nselect 1\n```\n\n> quoted',
        '| a |  |\n| --- | --- |\n|  | b |',
      ].join('\n\n'),
    )
  })
})
