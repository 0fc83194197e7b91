import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { freePort } from '../postgres'
import { newMigratedDatabase, startTestServer } from '../server'
import { type Person, type World, world } from '../world'
import {
  holdNotices,
  joinedWorld,
  openPage,
  PHONE,
  pressSequence,
  test,
  waitForActive,
  waitForHidden,
  waitForRest,
  waitForValue,
  waitForVisible,
} from './browser'
import { createSeededWorld } from './seeded-world'

/** A page of this server that has no scripts. */
const PLAIN = '/docs/errors'

const rows = (page: Page) => page.locator('ol[aria-label=Posts] > li')
const row = (page: Page, title: string) =>
  rows(page).filter({ has: page.locator('[data-row]').getByText(title, { exact: true }) })
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const index = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })
const hasFocus = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)
const write = ({ general }: World, who: Person, title: string, content_markdown = `About ${title}.`) =>
  who.posts.create({ channel_id: general.id, title, content_markdown })

describe('connection loss', () => {
  test('offline, a bar is shown; back online, it disappears and missed posts arrive', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts', {
      expectedErrors: /ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED/,
    })
    await waitForVisible(page.getByText('No posts yet'))
    await page.context().setOffline(true)
    const bar = page.getByText('You are offline. You can keep reading and writing')
    await waitForVisible(bar)
    const { id } = await write(cast, cast.bob, 'Deleted meanwhile')
    await write(cast, cast.bob, 'Missed')
    await cast.bob.posts.delete({ id })
    await page.context().setOffline(false)
    await waitForHidden(bar)
    await waitForVisible(row(page, 'Missed'))
    await write(cast, cast.bob, 'Live again')
    await waitForVisible(row(page, 'Live again'))
    await waitForValue(() => rows(page).count(), 2)
  })

  test('after a server restart, missed posts arrive, and what was done meanwhile is sent', async () => {
    const database = await newMigratedDatabase()
    const env = { PORT: String(await freePort()), DATABASE_URL: database.url }
    let server = await startTestServer(env)
    const cast = await world(server)
    await write(cast, cast.ada, 'Before')
    const page = await openPage(cast, cast.ada, '/posts', { expectedErrors: /ERR_|status of 503|response: 503/ })
    await waitForVisible(row(page, 'Before'))
    // The actions of a row are loaded soon after what is shown first.
    await waitForValue(
      () =>
        page.evaluate(() =>
          performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/pages-')),
        ),
      true,
    )
    await server.stop()
    await waitForVisible(page.getByText("Can't reach the server. You can keep reading and writing"))
    await row(page, 'Before').hover()
    await row(page, 'Before').getByRole('button', { name: 'Resolve' }).click()
    await waitForVisible(row(page, 'Before').getByText('Resolved'))

    server = await startTestServer(env)
    await write(cast, cast.bob, 'Meanwhile')
    await waitForHidden(page.getByText("Can't reach the server. You can keep reading and writing"))
    await waitForVisible(row(page, 'Meanwhile'))
    await waitForValue(async () => (await cast.ada.posts.list({ resolved: true })).data.length, 1)
    await page.context().close()
    await server.stop()
    await database.drop()
  })
})

describe('errors', () => {
  test('what failed while the server was away is read again once it is back', async () => {
    const database = await newMigratedDatabase()
    const env = { PORT: String(await freePort()), DATABASE_URL: database.url }
    let server = await startTestServer(env)
    const cast = await world(server)
    await write(cast, cast.ada, 'Before')
    const page = await openPage(cast, cast.ada, '/posts', { expectedErrors: /ERR_|status of 503|response: 503/ })
    await waitForVisible(row(page, 'Before'))
    await server.stop()
    await page.getByRole('main').getByRole('link', { name: 'Open', exact: true }).click()
    await waitForVisible(page.getByRole('alert').getByText("Can't reach the server."))
    server = await startTestServer(env)
    await waitForVisible(row(page, 'Before'))
    await page.context().close()
    await server.stop()
    await database.drop()
  })

  test('in an event ends no other events', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, PLAIN, { expectedErrors: /TypeError/ })
    let isSent = false
    const event = { id: 'evt_1', type: 'post.created', timestamp: new Date().toISOString(), actor: null, data: null }
    await page.route('**/v2/events', (route) => {
      if (isSent) return route.continue()
      isSent = true
      const body = `id: evt_1\nevent: post.created\ndata: ${JSON.stringify(event)}\n\n`
      return route.fulfill({ contentType: 'text/event-stream', body })
    })
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(page.getByText('No posts yet'))
    await waitForValue(() => isSent, true)
    await write(cast, cast.bob, 'Later')
    await waitForVisible(row(page, 'Later'))
  })

  test('while a page is rendered are shown in its place, and other pages still open', async () => {
    const cast = await world()
    await write(cast, cast.ada, 'Here')
    const page = await openPage(cast, cast.ada, '/posts', { expectedErrors: /TypeError/ })
    await waitForVisible(row(page, 'Here'))
    await page.route('**/v2/members?*', (route) =>
      route.fulfill({ json: { data: [null], has_more: false, next_cursor: null, total_count: 1 } }),
    )
    await index(page).getByRole('link', { name: 'Members' }).click()
    const broken = page.getByRole('alert').filter({ hasText: 'Something went wrong' })
    await waitForVisible(broken)
    await index(page).getByRole('link', { name: 'Posts', exact: true }).click()
    await waitForVisible(row(page, 'Here'))

    await page.goBack()
    await waitForVisible(broken)
    await page.unrouteAll()
    await broken.getByRole('button', { name: 'Reload' }).click()
    await waitForVisible(page.getByRole('link', { name: 'Bob Moore' }))
  })

  test('while the frame around the pages is rendered are shown, too', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, PLAIN, { expectedErrors: /TypeError/ })
    await page.route('**/v2/unread', (route) => route.fulfill({ json: {} }))
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(page.getByRole('alert').getByText('Something went wrong'))
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload' }).click()
    await waitForVisible(page.getByText('No posts yet'))
  })

  test('of further pages are not asked for again and again', async () => {
    const cast = await world()
    const post = await write(cast, cast.bob, 'Long')
    for (let at = 0; at < 60; at++)
      await cast.bob.comments.create({ post_id: post.id, content_markdown: `Comment ${at}` })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`)
    await waitForVisible(page.getByText('Comment 0', { exact: true }))
    let requests = 0
    await page.route('**/comments?*after=*', (route) => {
      requests++
      return route.fulfill({ status: 404, contentType: 'application/problem+json', body: '{"code":"not_found"}' })
    })
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await waitForVisible(page.getByRole('main').getByRole('button', { name: 'Try again' }))
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    expect(await waitForRest(async () => requests)).toBe(1)
  })

  test('a post that was deleted just now is not found', async () => {
    const cast = await world()
    await write(cast, cast.bob, 'Kept')
    const gone = await write(cast, cast.bob, 'Gone')
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(row(page, 'Gone'))
    await cast.bob.posts.delete({ id: gone.id })
    await waitForHidden(row(page, 'Gone'))
    await row(page, 'Kept').getByRole('link', { name: 'Kept' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Kept' }))
    await page.evaluate((path) => {
      history.pushState(null, '', path)
    }, `/posts/${gone.id}`)
    await waitForVisible(page.getByRole('heading', { level: 2, name: 'Post not found' }))
  })

  const broken = (status: number) => ({
    status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': 'req_of_the_test' },
    body: JSON.stringify({
      type: 'about:blank',
      title: 'Out of order',
      status,
      code: status === 503 ? 'unavailable' : 'internal',
      detail: 'Something is wrong on our side.',
      request_id: 'req_of_the_test',
    }),
  })

  test('a list that fails to load shows the error, the request id and a retry button', async () => {
    const cast = await world()
    await write(cast, cast.ada, 'Here')
    const page = await openPage(cast, cast.ada, '/members', { expectedErrors: /status of 50|response: 50/ })
    await waitForVisible(heading(page))
    await page.route('**/v2/posts?*', (route) => route.fulfill(broken(503)))
    await index(page).getByRole('link', { name: 'Posts' }).click()
    const problem = page.getByRole('alert')
    await waitForVisible(problem.getByText('Something is wrong on our side.'))
    await waitForVisible(problem.getByText('req_of_the_test'))
    await page.unrouteAll()
    await problem.getByRole('button', { name: 'Try again' }).click()
    await waitForVisible(row(page, 'Here'))
  })

  test('without the preferences, the app opens with those it knows', async () => {
    const cast = await joinedWorld()
    const page = await openPage(cast, cast.ada, PLAIN)
    await page.route('**/v2/me/preferences', (route) => route.fulfill({ status: 404 }))
    const asked = page.waitForResponse('**/v2/me/preferences')
    await page.goto(`${cast.baseUrl}/posts`)
    await asked
    await page.waitForTimeout(500)
    const sidebar = page.getByRole('navigation', { name: 'Sidebar' })
    expect(await sidebar.getByRole('link', { name: 'general' }).isVisible()).toBe(true)
  })

  test('an optimistic change that fails is undone, with a message', async () => {
    const cast = await world()
    const post = await write(cast, cast.ada, 'Here')
    const page = await openPage(cast, cast.ada, '/posts', { expectedErrors: /status of 500|response: 500/ })
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/v2/posts/*/resolution', async (route) => {
      await asked
      await route.fulfill(broken(500))
    })
    await waitForVisible(row(page, 'Here'))
    await holdNotices(page)
    await row(page, 'Here').hover()
    await row(page, 'Here').getByRole('button', { name: 'Resolve' }).click()
    await waitForVisible(row(page, 'Here').getByText('Resolved'))
    answer()
    await waitForHidden(row(page, 'Here').getByText('Resolved'))
    await waitForVisible(
      page.getByText("Couldn't resolve the post. Something is wrong on our side. (request req_of_the_test)"),
    )
    expect((await cast.ada.posts.get({ id: post.id })).resolution).toBeNull()
  })

  test('an unknown address shows “not found”', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts/post_00000000000000000000000000')
    await waitForVisible(page.getByText('Post not found'))
    await waitForValue(() => page.title(), `Not found · ${cast.slug}`)
    await page.goto(`${cast.baseUrl}/settings/nonsense`)
    await waitForVisible(page.getByText('Setting not found'))
  })
})

describe('keyboard', () => {
  test('posts can be read, opened and resolved by keyboard alone', async () => {
    const cast = await world()
    for (const title of ['One', 'Two', 'Three']) await write(cast, cast.ada, title)
    const page = await openPage(cast, cast.bob, '/posts')
    await waitForVisible(row(page, 'Three'))
    const press = (...keys: string[]) =>
      keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve())
    const link = (title: string) => row(page, title).locator('[data-row]')

    await press('Tab')
    await waitForValue(() => hasFocus(page.getByRole('link', { name: 'Skip to content' })), true)
    await press('Enter')
    await page.waitForURL(/#main$/)
    await press('Tab')
    await waitForValue(() => page.evaluate(() => document.activeElement?.closest('main, body')?.tagName), 'MAIN')

    await press('j', 'j')
    await waitForValue(() => hasFocus(link('Two')), true)
    await press('k')
    await waitForValue(() => hasFocus(link('Three')), true)
    await press('j', 'o')
    await waitForValue(() => heading(page).textContent(), 'Two')
    await pressSequence(page, 'g', 'm')
    await waitForValue(() => heading(page).textContent(), 'Members')
    await pressSequence(page, 'g', 'p')
    await waitForValue(() => heading(page).textContent(), 'Posts')
    await pressSequence(page, 'g', 'o')
    await waitForValue(() => heading(page).textContent(), 'Open posts')

    await waitForVisible(link('Three'))
    await press('j')
    await waitForValue(() => hasFocus(link('Three')), true)
    await waitForValue(async () => {
      await press('Tab')
      return hasFocus(row(page, 'Three').getByRole('button', { name: 'Resolve' }))
    }, true)
    await press('Enter')
    await waitForHidden(row(page, 'Three'))
    await waitForValue(
      async () => (await cast.ada.posts.list({ resolved: true })).data.map(({ title }) => title),
      ['Three'],
    )
  })

  test('shortcuts are listed, the palette opens any page, and Escape returns the focus', async () => {
    const cast = await world()
    await write(cast, cast.ada, 'Lunch?')
    const page = await openPage(cast, cast.ada, '/posts')
    const link = row(page, 'Lunch?').locator('[data-row]')
    await waitForVisible(link)
    await page.keyboard.press('j')
    await waitForValue(() => hasFocus(link), true)
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await waitForVisible(keys.getByText('Go to members'))
    await page.keyboard.press('Escape')
    await waitForHidden(keys)
    await waitForValue(() => hasFocus(link), true)

    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search' })
    await waitForValue(() => hasFocus(field), true)
    await page.keyboard.type('bob')
    await waitForVisible(page.getByRole('option', { name: /Bob Moore/ }))
    await page.keyboard.press('Escape')
    await waitForHidden(field)
    await waitForValue(() => hasFocus(link), true)
    for (const [text, title] of [
      ['gene', 'general'],
      ['bob', 'Bob Moore'],
      ['open po', 'Open posts'],
      ['lunch', 'Lunch?'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await waitForValue(() => hasFocus(field), true)
      await page.keyboard.type(text)
      await waitForActive(field, page.getByRole('option', { name: new RegExp(title.replace('?', '\\?')) }).first())
      await page.keyboard.press('Enter')
      await waitForValue(() => heading(page).textContent(), title)
      await waitForHidden(field)
    }
    await page.keyboard.press('Control+k')
    await field.fill('dark th')
    await waitForActive(field, page.getByRole('option', { name: /dark theme/i }).first())
    await page.keyboard.press('Enter')
    await waitForValue(() => page.evaluate(() => document.documentElement.dataset.theme), 'dark')
  })

  test('typing into a field triggers no shortcut', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/members')
    const field = page.getByRole('searchbox', { name: 'Search members' })
    await field.fill('')
    await field.pressSequentially('gp?jc/')
    expect(await field.inputValue()).toBe('gp?jc/')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/members')
  })
})

describe('pages', () => {
  test('every page has a title, a focused heading, one main landmark and a URL that opens it', async () => {
    const cast = await createSeededWorld()
    const page = await openPage(cast, cast.root, '/posts')
    await waitForVisible(rows(page).first())
    const post = (await cast.root.posts.list()).data[0]!
    const thread = await cast.root.threads.create({ title: 'Plans', member_ids: [cast.ada.id] })
    const places: [string, string][] = [
      [`/channels/${cast.general.id}`, 'general'],
      [`/posts/${post.id}`, post.title],
      ['/inbox', 'Inbox'],
      ['/threads', 'Threads'],
      [`/threads/${thread.id}`, 'Plans'],
      ['/members', 'Members'],
      [`/members/${cast.ada.id}`, 'Ada Lovelace'],
      ['/channels', 'Channels'],
      ['/settings/profile', 'Profile'],
      ['/settings/appearance', 'Appearance'],
      ['/settings/security', 'Password and sessions'],
      ['/settings/tokens', 'Access tokens'],
      ['/settings/apps', 'Apps'],
      ['/settings/webhooks', 'Webhooks'],
      ['/settings/about', 'About'],
      ['/posts?resolved=false', 'Open posts'],
    ]
    for (const [path, name] of places) {
      await page.evaluate((to) => history.pushState(null, '', to), path)
      await waitForValue(() => page.title(), `${name} · ${cast.slug}`)
      await waitForValue(() => heading(page).textContent(), name)
      await waitForValue(async () => [path, await hasFocus(heading(page))], [path, true])
      expect([path, await page.getByRole('main').count()]).toEqual([path, 1])
    }
    for (const [path, name] of places.filter(([path]) => /_|profile|members$/.test(path))) {
      await page.goto(cast.baseUrl + path)
      await waitForValue(() => heading(page).textContent(), name)
      await waitForValue(() => page.title(), `${name} · ${cast.slug}`)
    }
  })
})

describe('appearance', () => {
  const ground = (page: Page) =>
    page.evaluate(() => {
      const canvas = document.createElement('canvas').getContext('2d')!
      canvas.fillStyle = getComputedStyle(document.documentElement).backgroundColor
      canvas.fillRect(0, 0, 1, 1)
      return canvas.getImageData(0, 0, 1, 1).data[0]! < 128 ? 'dark' : 'light'
    })

  test('the theme follows the system or the choice, also after a reload', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/settings/appearance', { colorScheme: 'dark' })
    await waitForVisible(page.getByRole('radio', { name: 'System' }))
    await waitForValue(() => ground(page), 'dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await waitForValue(() => ground(page), 'light')
    await page.getByRole('radio', { name: 'Dark', exact: true }).check()
    await waitForValue(() => ground(page), 'dark')
    await page.reload()
    await waitForVisible(heading(page))
    await waitForValue(() => ground(page), 'dark')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByRole('radio', { name: 'Light', exact: true }).check()
    await waitForValue(() => ground(page), 'light')
    await page.getByRole('radio', { name: 'System' }).check()
    await waitForValue(() => ground(page), 'dark')
  })

  test('nothing is animated with reduced motion', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts', { reducedMotion: 'reduce' })
    await waitForVisible(page.getByText('No posts yet'))
    await page.keyboard.press('Control+k')
    await waitForVisible(page.getByRole('combobox', { name: 'Search' }))
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .map((element) => getComputedStyle(element))
        .flatMap((style) => [...style.transitionDuration.split(','), ...style.animationDuration.split(',')])
        .filter((duration) => Number.parseFloat(duration) > 0.01),
    )
    expect(moving).toEqual([])
  })

  test('on a phone, the sidebar opens by a button, targets are 44 pixels high and nothing overflows', async () => {
    const cast = await createSeededWorld()
    await cast.ada.channels.join({ channel_id: cast.general.id })
    const post = (await cast.ada.posts.list()).data[0]!
    const page = await openPage(cast, cast.ada, '/posts', { ...PHONE, reducedMotion: 'no-preference' })
    await waitForVisible(rows(page).first())
    await waitForHidden(index(page))
    await page.getByRole('button', { name: 'Open sidebar' }).click()
    await waitForVisible(index(page).getByRole('link', { name: 'general' }))
    await page.keyboard.press('Escape')
    await waitForHidden(index(page))
    await page.getByRole('button', { name: 'Open sidebar' }).click()
    await index(page).getByRole('link', { name: 'general' }).click()
    await waitForValue(() => heading(page).textContent(), 'general')
    await waitForHidden(index(page))

    const bar = page.getByRole('navigation', { name: 'Main' })
    for (const [name, title] of [
      ['Inbox', 'Inbox'],
      ['Threads', 'Threads'],
      ['Search', 'Search'],
      ['Posts', 'Posts'],
    ] as const) {
      await bar.getByRole('link', { name }).click()
      await waitForValue(() => heading(page).textContent(), title)
      await waitForValue(() => bar.getByRole('link', { name }).getAttribute('aria-current'), 'page')
    }

    for (const path of [
      '/inbox',
      '/posts',
      `/posts/${post.id}`,
      '/threads',
      '/members',
      '/channels',
      `/channels/${cast.general.id}`,
      `/channels/${cast.general.id}/about`,
      '/search?q=in:general',
      '/settings',
      '/posts/new',
    ]) {
      await page.goto(cast.baseUrl + path)
      await waitForVisible(heading(page))
      await waitForValue(() => page.getByText(/^Loading /).count(), 0)
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, PHONE.width])
      expect([path, await page.evaluate(listSmallTargets)]).toEqual([path, []])
    }
  })
})

/** Controls that are too low for a finger. Links within a line of text do not count. */
function listSmallTargets(): string[] {
  return [...document.querySelectorAll<HTMLElement>('button, input:not([type=file]), select, textarea, a[href]')]
    .filter((element) => {
      const { width, height, bottom, right } = element.getBoundingClientRect()
      const isShown = element.checkVisibility({ visibilityProperty: true }) && width > 1 && bottom > 0 && right > 0
      const target = element.closest('label') ?? (element.matches('[data-row]') ? element.closest('li, tr')! : element)
      const isText =
        element.tagName === 'A' && (getComputedStyle(element).display === 'inline' || element.closest('.meta'))
      return isShown && !isText && Math.max(height, target.getBoundingClientRect().height) < 43.5
    })
    .map((element) => `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent}`)
}

/** Words of the interface that are rendered from right to left. Names and titles are in elements of their own. */
function listReversedWords(element: Element): string[] {
  const turned: string[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    if (/[\u202e\u2069]/.test(node.data)) continue
    for (const { index, 0: word } of node.data.matchAll(/[A-Za-z]{2,}/g)) {
      const left = (at: number) => {
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + 1)
        return range.getBoundingClientRect()
      }
      const [first, last] = [left(index), left(index + word.length - 1)]
      if (first.width > 0 && first.top === last.top && first.left > last.left) turned.push(word)
    }
  }
  return turned
}

describe('user content', () => {
  test('content cannot run scripts or change the page', async () => {
    const cast = await world()
    const evil = [
      '<script>window.ran = 1</script>',
      '<img src=x onerror="window.ran = 2"><svg onload="window.ran = 3"></svg>',
      '<iframe src="javascript:parent.ran = 4"></iframe><object data="javascript:1"></object>',
      '[click me](javascript:window.ran=5) <a href="jAvAsCrIpT:window.ran=6">and me</a>',
      '[data](data:text/html,<script>window.ran=7</script>)',
      '<form action="/session"><button formaction="javascript:1">send</button></form>',
      '<style>body { display: none }</style><base href="http://evil.example/"><meta http-equiv="refresh" content="0;url=/x">',
      '<div id="main" class="dialog" style="position:fixed;inset:0" onclick="window.ran=8">over all</div>',
    ].join('\n\n')
    const post = await write(cast, cast.ada, '<img src=x onerror=window.ran=9>', evil)
    await cast.ada.comments.create({ post_id: post.id, content_markdown: evil })
    const page = await openPage(cast, cast.bob, '/posts')
    await waitForVisible(rows(page).first())
    await rows(page).first().locator('[data-row]').click()
    await waitForVisible(page.getByText('click me').first())
    for (const link of await page
      .getByRole('main')
      .getByText(/click me|and me|^data$|over all/)
      .all())
      await link.click()
    expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined()
    expect(
      await page.locator('article :is(script, iframe, object, style, form, base, meta, [onclick], [onerror])').count(),
    ).toBe(0)
    expect(await page.locator('[id=main]').count()).toBe(1)
    expect(new URL(page.url()).pathname).toBe(`/posts/${post.id}`)
  })

  test('bidirectional characters in names and titles do not affect the text around them', async () => {
    const cast = await world()
    const name = 'Bob\u2069\u202eerooM'
    await cast.server.parley.engine.write((db) =>
      db.updateTable('authors').set({ name }).where('id', '=', cast.bob.id).execute(),
    )
    const { id: post_id } = await write(cast, cast.ada, 'Lunch\u202e?tahw')
    await cast.bob.posts.resolve({ post_id })
    const page = await openPage(cast, cast.ada, `/posts/${post_id}`)
    const fact = page.locator('dd').filter({ hasText: 'Resolved' })
    await waitForVisible(fact)
    expect(await fact.evaluate(listReversedWords)).toEqual([])
    // The number of unread notifications may be before it.
    await waitForValue(() => page.title().then((title) => /^(\(\d+\) )?Lunch\?tahw · /.test(title)), true)
    expect(await page.getByRole('main').evaluate(listReversedWords)).toEqual([])
  })

  test('single line breaks are kept, and external images are loaded without referrer', async () => {
    const cast = await world()
    const post = await write(cast, cast.ada, 'Lines', 'one\ntwo\n\n![far](https://example.com/far.png)')
    const page = await openPage(cast, cast.bob, `/posts/${post.id}`, { expectedErrors: /example\.com|ERR_/ })
    const text = page.getByRole('article', { name: 'Post' }).locator('.content p').first()
    expect((await text.innerText()).split('\n')).toEqual(['one', 'two'])
    const image = page.getByRole('img', { name: 'far' })
    expect(await image.getAttribute('referrerpolicy')).toBe('no-referrer')
    expect(await image.getAttribute('loading')).toBe('lazy')
  })
})
