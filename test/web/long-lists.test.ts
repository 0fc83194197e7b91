import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type World, world } from '../world'
import { openPage, test, waitForFocus, waitForRest, waitForValue, waitForVisible } from './browser'
import { createSeededWorld } from './seeded-world'

const rows = (page: Page) => page.locator('ol[aria-label=Posts] > li')
const area = (page: Page) => page.getByRole('textbox', { name: 'Comment', exact: true })
const topOf = (locator: Locator) => locator.evaluate((element) => Math.round(element.getBoundingClientRect().top))
const isInWindow = (locator: Locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  })

const COMMENTS = 300

async function createLongPost({ bob, general }: World) {
  const post = await bob.posts.create({ channel_id: general.id, title: 'The plan', content_markdown: 'Does it hold?' })
  const ids: string[] = []
  for (let at = 0; at < COMMENTS; at++)
    ids.push((await bob.comments.create({ post_id: post.id, content_markdown: `Comment ${at}.\n\nBecause.` })).id)
  return { post, ids }
}

/** Scrolls down until that many rows are loaded. */
async function loadRows(page: Page, count: number) {
  await waitForVisible(rows(page).first())
  await waitForValue(async () => {
    await rows(page)
      .last()
      .evaluate((row) => row.scrollIntoView())
    return (await rows(page).count()) >= count
  }, true)
}

describe('a post with 300 comments', () => {
  test('keeps its composer in view while pages load around it', async () => {
    const cast = await world()
    const { post } = await createLongPost(cast)
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`)
    await waitForVisible(page.getByText('Comment 0.'))
    for (const key of ['r', 'c']) {
      await page.keyboard.press(key)
      await waitForFocus(area(page))
      await area(page).pressSequentially('It does. ')
      await waitForRest(() => page.locator('.comment').count())
      expect(await isInWindow(area(page))).toBe(true)
      await area(page).evaluate((element) => (element as HTMLElement).blur())
    }
    await area(page).press('Control+Enter')
    const own = page.locator('.comments').getByText('It does. It does.')
    await waitForVisible(own)
    await waitForValue(() => isInWindow(own), true)
  })

  test('opens a linked comment, stays there while it loads, and is found again by Back, also after a reload', async () => {
    const cast = await world()
    const { post, ids } = await createLongPost(cast)
    const linked = (on: Page) => on.locator(`#${ids[150]}`)
    const page = await openPage(cast, cast.ada, `/posts/${post.id}#${ids[150]}`)
    await waitForVisible(linked(page))
    const top = await waitForRest(() => topOf(linked(page)))
    expect(await isInWindow(linked(page))).toBe(true)
    await cast.bob.comments.create({ post_id: post.id, parent_id: ids[149], content_markdown: 'Above it.' })
    await waitForVisible(page.getByText('Above it.'))
    await waitForValue(async () => Math.abs((await topOf(linked(page))) - top) < 3, true)

    // What is kept on the device by now does not begin in the middle, either.
    await Bun.sleep(1_000)
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await waitForVisible(page.getByText('Comment 0.'))
    await waitForValue(async () => {
      await page.evaluate(() => scrollBy(0, 4_000))
      return page.locator(`#${ids[120]}`).count()
    }, 1)
    await page.locator(`#${ids[120]}`).evaluate((element) => element.scrollIntoView())
    const before = await waitForRest(() => topOf(page.locator(`#${ids[120]}`)))
    const isThere = async () => Math.abs((await topOf(page.locator(`#${ids[120]}`))) - before) < 3
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Inbox' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Inbox' }))
    await page.goBack()
    await waitForVisible(page.locator(`#${ids[120]}`))
    await waitForValue(isThere, true)
    await page.reload()
    await waitForVisible(page.locator(`#${ids[120]}`))
    await waitForValue(isThere, true)
  })
})

describe('a long feed', () => {
  test('has few elements for each row, and lays out only those near the window', async () => {
    const cast = await createSeededWorld({ posts: 300 })
    const page = await openPage(cast, cast.ada, '/posts')
    await loadRows(page, 200)
    const { all, each, skipped } = await page.evaluate(() => {
      const found = [...document.querySelectorAll('ol[aria-label=Posts] > li')]
      return {
        all: found.length,
        each: found.reduce((sum, row) => sum + row.querySelectorAll('*').length, 0) / found.length,
        skipped: found.filter((row) => !row.querySelector('h2')!.checkVisibility({ contentVisibilityAuto: true }))
          .length,
      }
    })
    expect(each).toBeLessThan(30)
    expect(skipped).toBeGreaterThan(all / 2)
  })

  test('finds every row that is loaded, by the search of the browser', async () => {
    const cast = await createSeededWorld({ posts: 300 })
    const page = await openPage(cast, cast.ada, '/posts')
    await loadRows(page, 100)
    const title = (await rows(page).nth(10).locator('h2').textContent())!
    expect(await isInWindow(rows(page).nth(10))).toBe(false)
    const isFound = await page.evaluate((text) => {
      getSelection()!.removeAllRanges()
      const { find } = window as unknown as {
        find(text: string, isCase: boolean, isBack: boolean, wraps: boolean): boolean
      }
      return find(text, true, true, true)
    }, title)
    expect(isFound).toBe(true)
    await waitForValue(() => isInWindow(rows(page).nth(10)), true)
  })

  test('keeps the focus on its row while others are added and removed above', async () => {
    const cast = await createSeededWorld({ posts: 60 })
    const { bob, general } = cast
    const first = await bob.posts.create({ channel_id: general.id, title: 'First', content_markdown: 'Soon.' })
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(page.locator(`#${first.id}`))
    for (let at = 0; at < 6; at++) await page.keyboard.press('j')
    const focused = page.locator('a[data-row]:focus')
    const title = await focused.innerText()
    await bob.posts.create({ channel_id: general.id, title: 'Second', content_markdown: 'Now.' })
    await waitForVisible(page.getByRole('link', { name: 'Second' }))
    await bob.posts.delete({ id: first.id })
    await waitForValue(() => page.locator(`#${first.id}`).count(), 0)
    expect(await focused.innerText()).toBe(title)
    expect(await isInWindow(focused)).toBe(true)
  })
})
