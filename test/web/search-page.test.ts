import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type World, world } from '../world'
import { openPage, PHONE, test, waitForHidden, waitForValue, waitForVisible } from './browser'

const box = (page: Page) => page.getByRole('searchbox', { name: 'Search' })
const entries = (page: Page) => page.locator('ol[aria-label=Results] > li')
const titles = (page: Page) => entries(page).locator('h2').allTextContents()
const control = (page: Page, name: string) => page.getByRole('group', { name: 'Filters' }).getByLabel(name)
const typed = (page: Page) => new URL(page.url()).searchParams.get('q')
const hasFocus = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)
const isInWindow = (locator: Locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  })
const highlighted = (page: Page) =>
  page.evaluate(() => [...(CSS.highlights.get('search') ?? [])].map((range) => String(range)))

/** Whether the scroll position is stored as it is now. */
const hasSavedPosition = (page: Page) =>
  page.evaluate(() => {
    const top = [...document.querySelectorAll('ol[aria-label=Results] > li')].find(
      (entry) => entry.getBoundingClientRect().bottom > 0,
    )
    return sessionStorage.getItem('parley:scroll-positions')?.includes(top!.id) ?? false
  })

const write = ({ ada, general }: World, title: string, content_markdown = 'Text.', channel_id = general.id) =>
  ada.posts.create({ channel_id, title, content_markdown })

describe('the search page', () => {
  test('controls rewrite the text, and the text sets the controls', async () => {
    const cast = await world()
    await cast.root.channels.create({ name: 'product news' })
    await write(cast, 'Survey')
    const page = await openPage(cast, cast.ada, '/search?q=survey')
    await waitForValue(() => titles(page), ['Survey'])
    await waitForValue(() => page.title(), `survey · Search · ${cast.slug}`)

    await control(page, 'Channel').selectOption('product news')
    await waitForValue(() => box(page).inputValue(), 'survey in:"product news"')
    await control(page, 'Channel').selectOption('general')
    await waitForValue(() => box(page).inputValue(), 'survey in:general')
    await control(page, 'Type').selectOption('Posts')
    await waitForValue(() => box(page).inputValue(), 'survey in:general is:post')
    await control(page, 'State').selectOption('Open')
    await waitForValue(() => box(page).inputValue(), 'survey in:general is:post is:open')
    await control(page, 'Author').fill('lovel')
    await page.getByRole('option', { name: 'Ada Lovelace' }).click()
    await waitForValue(() => typed(page), 'survey in:general is:post is:open from:"Ada Lovelace"')
    await waitForValue(() => titles(page), ['Survey'])
    await control(page, 'Date').selectOption('Custom dates')
    await control(page, 'Before').fill('2020-02-01')
    await waitForVisible(page.getByText(/^No results for/))
    await waitForValue(() => typed(page)?.endsWith('before:2020-02-01'), true)
    await control(page, 'Sort by').selectOption('Newest')
    await waitForValue(() => new URL(page.url()).searchParams.get('sort'), 'newest')

    await box(page).fill('survey from:bob is:resolved in:General is:comment is:message after:2026-01-31')
    await waitForValue(() => control(page, 'Author').inputValue(), 'bob')
    await waitForValue(() => control(page, 'State').inputValue(), 'resolved')
    await waitForValue(() => control(page, 'Channel').inputValue(), 'general')
    await waitForValue(() => control(page, 'Type').inputValue(), 'comment, message')
    await waitForValue(() => control(page, 'After').inputValue(), '2026-01-31')
    await waitForValue(() => control(page, 'Before').inputValue(), '')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await waitForValue(() => box(page).inputValue(), 'survey')
    await waitForValue(() => titles(page), ['Survey'])
    await page.goBack()
    await waitForValue(() => control(page, 'State').inputValue(), 'resolved')
    await page.goForward()
    await waitForValue(() => titles(page), ['Survey'])
  })

  test('a preset date counts today', async () => {
    const cast = await world()
    await write(cast, 'Survey')
    const page = await openPage(cast, cast.ada, '/search?q=survey')
    for (const preset of ['Today', 'Past 7 days', 'Past year']) {
      await control(page, 'Date').selectOption(preset)
      await waitForValue(() => typed(page)?.startsWith('survey after:'), true)
      await waitForValue(() => titles(page), ['Survey'])
    }
    await control(page, 'Date').selectOption('Any time')
    await waitForValue(() => typed(page), 'survey')
  })

  test('results of a post or thread are one entry, and open in their place with the words highlighted', async () => {
    const cast = await world()
    const post = await write(cast, 'Shall we keep it?', 'The survey costs us two days.')
    const first = await cast.bob.comments.create({ post_id: post.id, content_markdown: 'The survey stays.' })
    await cast.ada.comments.create({ post_id: post.id, content_markdown: 'The **Survey** goes.' })
    const thread = await cast.bob.threads.create({ title: 'Plans', member_ids: [cast.ada.id] })
    const message = await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'A survey?' })
    await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'Or no survey?' })

    const page = await openPage(cast, cast.ada, '/search?q=survey')
    await waitForValue(async () => (await titles(page)).sort(), ['Plans', 'Shall we keep it?'])
    await waitForVisible(page.getByText('5 results', { exact: true }))
    const entry = entries(page).filter({ hasText: 'Shall we keep it?' })
    await waitForValue(() => entry.getByRole('list', { name: 'Comments' }).getByRole('listitem').count(), 2)
    await waitForValue(
      async () => (await entry.locator('mark').allTextContents()).sort(),
      ['Survey', 'survey', 'survey'],
    )
    await waitForVisible(entry.getByRole('link', { name: 'general' }))

    await entry.getByRole('link', { name: /The survey stays/ }).click()
    await page.waitForURL(`**/posts/${post.id}#${first.id}`)
    await waitForValue(() => highlighted(page), ['survey', 'survey', 'Survey'])
    await waitForValue(() => isInWindow(page.locator(`#${first.id}`)), true)
    await page.goBack()
    await entries(page)
      .getByRole('link', { name: /A survey\?/ })
      .click()
    await page.waitForURL(`**/threads/${thread.id}#${message.id}`)
    await waitForValue(() => highlighted(page), ['survey', 'survey'])
  })

  test('scrolling loads all results, and Back returns to the result that was opened', async () => {
    const cast = await world()
    for (let batch = 0; batch < 7; batch++)
      await Promise.all(Array.from({ length: 10 }, (_, at) => write(cast, `Survey ${batch * 10 + at}`)))
    const page = await openPage(cast, cast.ada, '/search?q=survey&sort=newest')
    await waitForVisible(page.getByText('70 results', { exact: true }))
    await waitForValue(async () => {
      await entries(page)
        .last()
        .evaluate((entry) => entry.scrollIntoView())
      return entries(page).count()
    }, 70)
    const opened = entries(page).nth(55)
    const id = (await opened.getAttribute('id'))!
    await waitForValue(() => hasSavedPosition(page), true)
    // At once, before the browser reports that it scrolled.
    await opened.evaluate((entry) => {
      entry.scrollIntoView({ block: 'center' })
      entry.querySelector<HTMLElement>('a[data-row]')!.click()
    })
    await page.waitForURL(`**/posts/${id}`)
    await waitForVisible(page.getByRole('heading', { level: 1, name: /^Survey/ }))
    await page.goBack()
    await waitForValue(() => isInWindow(page.locator(`#${id}`)), true)
    await page.reload()
    await waitForValue(() => isInWindow(page.locator(`#${id}`)), true)
  })

  test('more than a thousand results are not counted', async () => {
    const cast = await world()
    const thread = await cast.ada.threads.create({ title: 'Notes', member_ids: [cast.bob.id] })
    const send = () => cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'survey' })
    for (let batch = 0; batch < 21; batch++) await Promise.all(Array.from({ length: 50 }, send))
    const page = await openPage(cast, cast.ada, '/search?q=survey')
    await waitForVisible(page.getByText('1,000+ results', { exact: true }))
  })

  test('nothing found suggests another spelling, and a wrong operator is explained', async () => {
    const cast = await world()
    await write(cast, 'Survey')
    const page = await openPage(cast, cast.ada, '/search?q=survay')
    await waitForVisible(page.getByRole('heading', { name: 'No results for “survay”' }))
    await page.getByRole('link', { name: 'survey' }).click()
    await waitForValue(() => titles(page), ['Survey'])
    await box(page).fill('survey in:nowhere')
    await waitForVisible(page.getByText('is unknown. There is no such channel'))
    await waitForValue(() => box(page).getAttribute('aria-invalid'), 'true')
    await box(page).fill('survey')
    await waitForValue(() => titles(page), ['Survey'])
    await waitForHidden(page.getByText('is unknown'))
  })

  test('j, k and o move through the results and open one, and / returns to the field', async () => {
    const cast = await world()
    const post = await write(cast, 'Survey')
    const comment = await cast.bob.comments.create({ post_id: post.id, content_markdown: 'A survey.' })
    const page = await openPage(cast, cast.ada, '/search?q=survey')
    await waitForValue(() => titles(page), ['Survey'])
    const links = entries(page).locator('a[data-row]')
    await page.keyboard.press('j')
    await waitForValue(() => hasFocus(links.nth(0)), true)
    await page.keyboard.press('/')
    await waitForValue(() => hasFocus(box(page)), true)
    await links.nth(0).focus()
    await page.keyboard.press('j')
    await waitForValue(() => hasFocus(links.nth(1)), true)
    await page.keyboard.press('o')
    await page.waitForURL(`**/posts/${post.id}#${comment.id}`)
    await waitForValue(() => highlighted(page), ['Survey', 'survey'])
  })

  test('markup in what people write is shown as text', async () => {
    const cast = await world()
    const hostile = '<img src=x onerror=alert(1)> survey'
    await write(cast, hostile, `\`${hostile}\``)
    const page = await openPage(cast, cast.ada, '/search?q=survey')
    await waitForValue(() => titles(page), [hostile])
    await waitForValue(() => entries(page).locator('.passage').allTextContents(), [hostile])
    expect(await page.locator('img[onerror]').count()).toBe(0)
  })

  test('on a phone, the filters are behind a button and nothing overflows', async () => {
    const cast = await world()
    await write(cast, `Survey ${'long'.repeat(40)}`)
    const page = await openPage(cast, cast.ada, '/search?q=survey+in:general', PHONE)
    await waitForValue(() => entries(page).count(), 1)
    await waitForHidden(control(page, 'Channel'))
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    await control(page, 'Date').selectOption('Custom dates')
    await waitForVisible(control(page, 'After'))
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await overflow()).toBeLessThanOrEqual(0)
    await control(page, 'Type').selectOption('Comments')
    await waitForVisible(page.getByText(/^No results for/))
    expect(await overflow()).toBeLessThanOrEqual(0)
  })
})
