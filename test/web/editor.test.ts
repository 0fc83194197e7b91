import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Person, type World, world } from '../world'
import { holdTimers, openPage, test, waitForValue, waitForVisible } from './browser'

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

  test('takes nothing from what is pasted that no text can have', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`, { isFormatted: true })
    const text = await openEditor(page)
    await text.click()
    const around = [
      ['heading', { level: -1 }],
      ['heading', { level: 1e9 }],
      ['heading', { level: 'x y' }],
    ]
    for (const context of around)
      await text.evaluate(
        (element, slice) => {
          const span = document.createElement('span')
          span.dataset.pmSlice = slice
          span.textContent = 'pasted '
          const clipboardData = new DataTransfer()
          clipboardData.setData('text/html', span.outerHTML)
          element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
        },
        `0 0 ${JSON.stringify(context)}`,
      )
    await page.keyboard.type('end')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    expect(await sourceOf(cast, cast.ada, `/v2${new URL(page.url()).pathname}`)).toMatch(
      /^pasted *\n*pasted *\n*pasted *\n*end$/,
    )
  })

  test('sends what is typed while its mentions are looked up', async () => {
    const cast = await world()
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Lunch?' })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`, { isFormatted: true })
    const text = await openEditor(page, 'Comment')
    // What is looked up is waited for.
    await holdTimers(page, 2_000)
    const answer = Promise.withResolvers<void>()
    await page.route('**/v2/audience?**', async (route) => {
      await answer.promise
      await route.continue()
    })
    await text.click()
    await page.keyboard.type('@bob')
    await page.getByRole('option', { name: 'Bob Moore' }).click()
    await page.keyboard.press('Control+Enter')
    await page.keyboard.type('now')
    answer.resolve()
    const list = async () => (await cast.ada.comments.list({ post_id: post.id })).data
    await waitForValue(async () => (await list()).length, 1)
    const [comment] = await list()
    expect(await sourceOf(cast, cast.ada, `/v2/comments/${comment!.id}`)).toBe(`<@${cast.bob.id}> now`)
  })

  test('leaves a text that was only opened as it was written', async () => {
    const cast = await world()
    const { ada, general } = cast
    const content_markdown = 'One\n\n\n\n```js\nx\n```\n'
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown })
    const page = await openPage(cast, ada, `/posts/${id}`, { isFormatted: true })
    await page.getByRole('button', { name: 'Post actions' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter')
    const text = await openEditor(page)
    await text.locator('pre').click()
    // A line to write in follows the code.
    await waitForVisible(text.locator(':scope > p:last-child'))
    expect(await page.evaluate(() => localStorage.getItem('parley:drafts') ?? '{}')).toBe('{}')
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByRole('article', { name: 'Post' }))
    expect(await sourceOf(cast, ada, `/v2/posts/${id}`)).toBe(content_markdown.trim())
  })
})
