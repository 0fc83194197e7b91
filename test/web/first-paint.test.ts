import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import { joinedWorld, openPage, test, waitForValue, waitForVisible } from './browser'

/** A page of this server that has no scripts. */
const PLAIN = '/docs/errors'

/** Opens a page whose scripts arrive only when told to, and notes which API requests are sent. */
async function openWithoutScripts(page: Page, url: string) {
  // What the page before still asks for is not of interest.
  await page.goto('about:blank')
  const requests: string[] = []
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await isReleased
    await route.continue()
  })
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (/^\/(v2|session)\//.test(pathname)) requests.push(pathname + search)
  })
  await page.goto(url, { waitUntil: 'commit' })
  return { requests, release }
}

describe('first paint', () => {
  test('a member sees the shell in the right theme, and the data is requested, before the scripts arrive', async () => {
    const cast = await joinedWorld()
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, title: 'Lunch?', content_markdown: 'Yes.' })
    const page = await openPage(cast, cast.ada, PLAIN)
    await page.evaluate(() => localStorage.setItem('parley:theme', '"dark"'))
    // What happens meanwhile is not of interest.
    await page.route('**/v2/events*', () => {})
    const feed = '/v2/posts?sort=published_at&limit=15'
    for (const [path, shown, ...urls] of [
      ['/posts', 'Lunch?', feed],
      [
        `/channels/${cast.general.id}`,
        'Lunch?',
        feed.replace('?', `?channel_id=${cast.general.id}&`),
        `/v2/channels/${cast.general.id}/pins`,
      ],
      [`/posts/${post.id}`, 'Yes.', `/v2/posts/${post.id}`, `/v2/posts/${post.id}/comments`],
    ] as const) {
      const { requests, release } = await openWithoutScripts(page, cast.baseUrl + path)
      const sidebar = page.getByRole('navigation', { name: 'Sidebar' })
      await waitForVisible(sidebar.getByRole('link', { name: 'Inbox' }))
      expect(await page.evaluate(() => getComputedStyle(document.body).colorScheme)).toBe('dark')
      const expected = [
        '/session/token',
        '/v2/me',
        '/v2/channels?sort=name&direction=asc&joined=true',
        '/v2/sidebar',
        ...urls,
      ]
      await waitForValue(() => requests.toSorted(), expected.toSorted())

      release()
      await waitForVisible(page.getByRole('main').getByText(shown))
      await waitForVisible(sidebar.getByRole('link', { name: 'general' }))
      await waitForValue(() => page.locator('#skeleton').count(), 0)
      const repeated = requests.filter((url, at) => expected.includes(url) && requests.indexOf(url) !== at)
      expect(repeated).toEqual([])
      await page.unroute('**/assets/*.js')
      page.removeAllListeners('request')
    }
  })

  test('the code of posts and threads is loaded before they are opened', async () => {
    const cast = await world()
    await cast.ada.posts.create({ channel_id: cast.general.id, title: 'Lunch?', content_markdown: 'At **noon**.' })
    await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    const page = await openPage(cast, cast.ada, PLAIN)
    const scripts: string[] = []
    page.on('requestfinished', (request) => scripts.push(request.url()))
    await page.goto(`${cast.baseUrl}/posts`)
    const findScript = () => scripts.find((url) => url.includes('/assets/pages-'))
    await waitForValue(() => findScript() !== undefined, true)
    // With all that it imports.
    await page.evaluate(async (url) => void (await import(url)), findScript()!)

    await page.route('**/assets/*.js', (route) => route.abort())
    await page.getByRole('main').getByRole('link', { name: 'Lunch?' }).click()
    await waitForVisible(page.getByRole('article').getByText('noon'))
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Threads' }).click()
    await waitForVisible(page.getByRole('link', { name: /Plans/ }).first())
  })

  test('a visitor sees the sign-in page, and only what it offers is requested', async () => {
    const cast = await world()
    const page = await openPage(cast, undefined, PLAIN)
    const { requests, release } = await openWithoutScripts(page, `${cast.baseUrl}/sign-in`)
    const heading = page.getByRole('heading', { level: 1, name: /^Sign in to / })
    await waitForVisible(heading)
    release()
    await waitForVisible(page.getByLabel('Password'))
    await waitForValue(() => heading.count(), 1)
    await waitForValue(() => requests, ['/session/options'])
  })
})
