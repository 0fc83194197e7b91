import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type World, world } from '../world'
import { openPage, test, waitForActive, waitForFocus, waitForHidden, waitForValue, waitForVisible } from './browser'

const field = (page: Page) => page.getByRole('combobox', { name: 'Search' })
const group = (page: Page, name: string) => page.getByRole('listbox', { name: 'Results' }).getByRole('group', { name })
const options = (page: Page, name: string) => group(page, name).getByRole('option')
const marked = (page: Page, name: string) => group(page, name).locator('mark').allTextContents()
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const address = (page: Page) => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

/** The words that are highlighted on the page. */
const highlighted = (page: Page) =>
  page.evaluate(() => [...(CSS.highlights.get('search') ?? [])].map((range) => String(range)))

async function openPalette(cast: World, path = '/posts') {
  const page = await openPage(cast, cast.ada, path)
  await waitForVisible(heading(page))
  // What was loaded is shown after the app listens to the keyboard.
  await waitForVisible(page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: /^general/ }))
  await page.keyboard.press('Control+k')
  await waitForVisible(field(page))
  return page
}

const write = ({ ada, general }: World, title: string, content_markdown = 'Text.') =>
  ada.posts.create({ channel_id: general.id, title, content_markdown })

describe('the palette', () => {
  test('it finds posts, comments and messages while typing, and marks the words', async () => {
    const cast = await world()
    const post = await write(cast, 'Shall we keep the survey?', 'The survey costs two days.')
    const comment = await cast.bob.comments.create({ post_id: post.id, content_markdown: 'The Survey stays.' })
    const thread = await cast.bob.threads.create({ title: 'Plans', member_ids: [cast.ada.id] })
    await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'No surveys in spring.' })

    const page = await openPalette(cast)
    await field(page).pressSequentially('surv')
    await waitForValue(() => marked(page, 'Posts'), ['survey', 'survey'])
    await waitForValue(() => marked(page, 'Comments'), ['Survey'])
    await waitForValue(() => marked(page, 'Messages'), ['surveys'])
    await options(page, 'Comments').click()
    await page.waitForURL(`**/posts/${post.id}#${comment.id}`)
    await waitForValue(() => highlighted(page), ['survey', 'survey', 'Survey'])

    await page.keyboard.press('Escape')
    await waitForValue(() => highlighted(page), [])
  })

  test('Enter opens the selected result, and the words are highlighted until the page is left', async () => {
    const cast = await world()
    const thread = await cast.bob.threads.create({ title: 'Plans', member_ids: [cast.ada.id] })
    const message = await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'No *survey* in spring.' })
    const page = await openPalette(cast)
    await field(page).fill('survey')
    await waitForVisible(options(page, 'Messages'))
    const id = await options(page, 'Messages').getAttribute('id')
    await waitForValue(() => field(page).getAttribute('aria-activedescendant'), id)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/threads/${thread.id}#${message.id}`)
    await waitForValue(() => highlighted(page), ['survey'])
    await page.reload()
    await waitForValue(() => highlighted(page), ['survey'])
    await page.getByRole('link', { name: 'Posts', exact: true }).click()
    await waitForValue(() => highlighted(page), [])
  })

  test('a request is aborted by the next one, and the previous results stay until then', async () => {
    const cast = await world()
    await write(cast, 'Apple pie')
    await write(cast, 'Apple tree')
    const page = await openPalette(cast)
    const aborted: (string | null)[] = []
    page.on('requestfailed', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/v2/search') aborted.push(searchParams.get('q'))
    })
    const isSlow = (url: URL) => url.pathname === '/v2/search' && url.searchParams.get('q') === 'apple tre*'
    await page.route(isSlow, () => {})

    await field(page).fill('apple')
    await waitForValue(() => options(page, 'Posts').count(), 2)
    const slow = page.waitForRequest((request) => isSlow(new URL(request.url())))
    await field(page).fill('apple tre')
    await slow
    expect(await options(page, 'Posts').count()).toBe(2)
    await field(page).fill('apple tree')
    await waitForValue(() => options(page, 'Posts').count(), 1)
    // Others may be aborted and sent again, when the stream of events begins.
    await waitForValue(() => aborted.includes('apple tre*'), true)
  })

  test('the last entry leads to all results', async () => {
    const cast = await world()
    await write(cast, 'Survey')
    const page = await openPalette(cast)
    await field(page).fill('survey is:open')
    await waitForActive(field(page), options(page, 'Posts'))
    await page.keyboard.press('ArrowUp')
    await waitForActive(field(page), page.getByRole('option', { name: 'See all results' }))
    await page.keyboard.press('Enter')
    await waitForValue(() => address(page), '/search?q=survey+is%3Aopen')
    await waitForVisible(page.getByText('1 result', { exact: true }))
  })

  test('a wrong operator is explained, and nothing is found in silence', async () => {
    const cast = await world()
    const page = await openPalette(cast)
    await field(page).fill('from:nobodyatall')
    await waitForVisible(page.getByText('is unknown. There is nobody of this name'))
    await field(page).fill('nothing')
    await waitForVisible(page.getByText('No results for “nothing”'))
  })
})

describe('recent searches', () => {
  test('they are kept on the device until they are removed or cleared', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/search')
    const box = page.getByRole('searchbox', { name: 'Search' })
    const recents = page.getByRole('list', { name: 'Recent searches' })
    for (const q of ['first', 'second', 'third', 'first']) {
      await box.fill(q)
      await box.press('Enter')
      await waitForVisible(page.getByText(`No results for “${q}”`))
    }
    await box.fill('')
    await waitForValue(() => recents.getByRole('listitem').allTextContents(), ['first', 'third', 'second'])
    await recents.getByRole('button', { name: 'Remove “third”' }).click()
    await waitForValue(() => recents.getByRole('listitem').allTextContents(), ['first', 'second'])

    await page.keyboard.press('Control+k')
    await waitForFocus(field(page))
    await waitForActive(field(page), options(page, 'Recent searches').filter({ hasText: 'first' }))
    await page.keyboard.press('ArrowDown')
    await waitForActive(field(page), options(page, 'Recent searches').filter({ hasText: 'second' }))
    await page.keyboard.press('Delete')
    await waitForValue(() => options(page, 'Recent searches').allTextContents(), ['first', 'Clear recent searches'])
    await options(page, 'Recent searches').filter({ hasText: 'first' }).click()
    await waitForValue(() => field(page).inputValue(), 'first')
    await page.keyboard.press('Escape')
    await waitForHidden(field(page))

    await page.reload()
    await recents.getByRole('button', { name: 'first', exact: true }).click()
    await waitForValue(() => address(page), '/search?q=first')
    await page.goBack()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await waitForHidden(recents)
    await page.reload()
    await waitForVisible(page.getByText('Search tips'))
    expect(await recents.count()).toBe(0)
  })

  test('they are removed on sign-out', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/search?q=salary')
    await page.getByRole('searchbox', { name: 'Search' }).press('Enter')
    const stored = () => page.evaluate(() => localStorage.getItem('parley:searches'))
    await waitForValue(stored, '["salary"]')
    await page.goto(`${cast.baseUrl}/settings/security`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/sign-in')
    await waitForValue(stored, null)
  })
})
