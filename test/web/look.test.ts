import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { signedIn } from '../session/browser'
import { world } from '../world'
import { openPage, PHONE, test, waitForValue, waitForVisible } from './browser'
import { startBrowser } from './chromium'

const row = (page: Page, title: string) =>
  page
    .locator('ol[aria-label=Posts] > li')
    .filter({ has: page.locator('[data-row]').getByText(title, { exact: true }) })

/** How far the text of an element is from its right edge. */
const gapAtRight = (locator: Locator) =>
  locator.evaluate((element) => {
    const text = document.createRange()
    text.selectNodeContents(element)
    return Math.round(element.getBoundingClientRect().right - text.getBoundingClientRect().right)
  })

describe('a text', () => {
  test('has bullets, numbers, check boxes, quote bars and columns on the side where it begins, block by block', async () => {
    const cast = await world()
    const { ada, general } = cast
    const content_markdown = [
      '- שלום עולם',
      '- Hello world',
      '- 2026: مرحبا',
      '  - nested',
      '  - ילד',
      '',
      '1. ראשון',
      '',
      '   ```',
      '   code()',
      '   ```',
      '',
      '- [ ] לעשות',
      '- [ ] to do',
      '',
      '> ציטוט',
      '> > פנימי',
      '',
      '> - פריט',
      '',
      '> quote',
      '',
      '|אחד|two|',
      '|-|-|',
      '|1|2|',
      '',
      '#### כותרת',
    ].join('\n')
    const post = await ada.posts.create({ channel_id: general.id, title: 'Sides', content_markdown })
    const page = await openPage(cast, ada, `/posts/${post.id}`)
    const article = page.getByRole('article', { name: 'Post' })
    await waitForVisible(article.getByText('Hello world'))
    /** On which side of an element its own space, bar or check box is. */
    const sides = (selector: string) =>
      article.locator(selector).evaluateAll((all) =>
        all.map((element) => {
          const { direction, marginLeft, marginRight, borderLeftWidth, borderRightWidth } = getComputedStyle(element)
          const box = element.querySelector(':scope > input')?.getBoundingClientRect()
          const atLeft = [marginLeft, borderLeftWidth].some((width) => Number.parseFloat(width) > 0)
          const atRight = [marginRight, borderRightWidth].some((width) => Number.parseFloat(width) > 0)
          const { left, right } = element.getBoundingClientRect()
          const isOfBox = !box || (direction === 'rtl' ? box.left >= right && box.left < right + 24 : box.right <= left)
          return atRight === (direction === 'rtl') && atLeft !== atRight && isOfBox ? direction : 'mixed up'
        }),
      )
    expect(await sides('.content > ul:first-child li')).toEqual(['rtl', 'ltr', 'rtl', 'ltr', 'rtl'])
    expect(await sides('ol > li')).toEqual(['rtl'])
    expect(await sides('li:has(> input)')).toEqual(['rtl', 'ltr'])
    expect(await sides('blockquote')).toEqual(['rtl', 'rtl', 'rtl', 'ltr'])
    expect(await article.locator('pre').evaluate((pre) => getComputedStyle(pre).direction)).toBe('ltr')
    const [first, second] = await article
      .locator('th')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left))
    expect(first).toBeGreaterThan(second!)
    expect(await gapAtRight(article.locator('h4'))).toBeLessThanOrEqual(1)
    await page.setViewportSize(PHONE)
    await waitForValue(
      async () => (await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width,
      true,
    )
  })
})

describe('the feed', () => {
  test('shows a title once, states and counts only where there are some, and right-to-left titles at the right', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const write = (content_markdown: string, title?: string) =>
      ada.posts.create({ channel_id: general.id, content_markdown, title })
    const lunch = await write('Lunch today?\n\nI would like soup.')
    const done = await write('About it.', 'Done')
    await write('Text.', 'مرحبا بالعالم')
    await write('- tea\n- cake', 'Shopping')
    await ada.posts.resolve({ post_id: done.id })
    await bob.comments.create({ post_id: lunch.id, content_markdown: 'Yes.' })

    const page = await openPage(cast, ada, '/posts', { reducedMotion: 'no-preference' })
    await waitForVisible(row(page, 'Lunch today?'))
    expect((await row(page, 'Lunch today?').textContent())!.match(/Lunch today\?/g)).toHaveLength(1)
    expect(await row(page, 'Lunch today?').textContent()).toContain('I would like soup.')
    await waitForVisible(row(page, 'Lunch today?').getByText('1 comment'))
    await waitForVisible(row(page, 'Shopping').getByText('tea · cake', { exact: true }))
    await waitForVisible(row(page, 'Done').getByText('Resolved'))
    expect(await row(page, 'Done').textContent()).not.toContain('comment')
    const colors = [row(page, 'Done'), row(page, 'Lunch today?')].map((post) =>
      post.locator('[data-row]').evaluate((link) => getComputedStyle(link).color),
    )
    expect(await colors[0]).toBe(await colors[1]!)
    expect(await page.getByRole('button', { name: 'New post' }).count()).toBe(1)
    expect(await gapAtRight(row(page, 'مرحبا بالعالم').getByRole('heading'))).toBeLessThanOrEqual(1)

    // The whole row is a link.
    await row(page, 'Lunch today?').click({ position: { x: 300, y: 60 } })
    await waitForValue(() => page.getByRole('heading', { level: 1 }).textContent(), 'Lunch today?')
    await waitForValue(() => page.getByRole('article', { name: 'Post' }).textContent(), '\nI would like soup.')
    expect((await ada.posts.get({ id: lunch.id })).content).toContain('Lunch today?')
    await page.goBack()
    await row(page, 'مرحبا بالعالم').getByRole('link', { name: 'مرحبا بالعالم' }).click()
    await page.waitForURL(/post_/)
    const title = page.getByRole('heading', { level: 1 })
    await waitForValue(() => title.textContent(), 'مرحبا بالعالم')
    expect(await gapAtRight(title)).toBeLessThanOrEqual(1)
  })
})

describe('the shell', () => {
  test('the sidebar has one scroll area, and lists direct messages; its menu opens pages and signs out', async () => {
    const cast = await world()
    for (let at = 0; at < 30; at++) {
      const { id } = await cast.root.channels.create({ name: `channel-${at}` })
      await cast.ada.channels.join({ channel_id: id })
    }
    const { thread_id } = await cast.bob.messages.createDirect({ member_id: cast.ada.id, content_markdown: 'Hello' })
    const page = await openPage(cast, cast.ada, '/posts', { height: 500, reducedMotion: 'no-preference' })
    const sidebar = page.getByRole('navigation', { name: 'Sidebar' })
    const bob = sidebar.getByRole('link', { name: 'Bob Moore' })
    await waitForVisible(bob)
    await sidebar.getByRole('link', { name: 'channel-29' }).waitFor({ state: 'attached' })
    expect(await sidebar.getByRole('link').first().textContent()).toMatch(/^Inbox/)
    const scrolling = await sidebar.evaluate((nav) =>
      [nav, ...nav.querySelectorAll('*')]
        .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowY))
        .filter((element) => element.scrollHeight > element.clientHeight)
        .map(({ tagName }) => tagName),
    )
    expect(scrolling).toEqual(['DIV'])
    // Stays at the end of the window.
    expect((await sidebar.getByRole('link', { name: 'Members' }).boundingBox())!.y).toBeLessThan(500)
    await bob.click()
    await page.waitForURL(`**/threads/${thread_id}`)

    await sidebar.getByRole('link', { name: 'Browse channels' }).click()
    await page.waitForURL('**/channels')
    await sidebar.getByRole('button', { name: cast.slug }).click()
    await sidebar.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
  })

  test('a backdrop covers the whole window, and the page below keeps its width', async () => {
    const cast = await world()
    const browser = await startBrowser({ hasScrollbars: true })
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const [name, value] = (await signedIn(cast, cast.ada)).cookie.split('=') as [string, string]
    await context.addCookies([{ name, value, url: cast.baseUrl }])
    const page = await context.newPage()
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(page.getByText('No posts yet'))
    const left = () =>
      page.getByRole('heading', { name: 'Posts', level: 1 }).evaluate((h1) => h1.getBoundingClientRect().x)
    const before = await left()
    expect(await page.evaluate(() => innerWidth - document.documentElement.clientWidth)).toBeGreaterThan(5)
    for (const key of ['?', 'Control+k']) {
      await page.keyboard.press(key)
      await waitForVisible(page.getByRole('dialog'))
      const box = await page.locator('.backdrop').evaluate((backdrop) => backdrop.getBoundingClientRect().toJSON())
      expect(box).toMatchObject({ left: 0, right: 1280, top: 0, bottom: 800 })
      expect(await left()).toBe(before)
      await page.keyboard.press('Escape')
      await waitForValue(() => page.getByRole('dialog').count(), 0)
    }
    await browser.close()
  })
})
