import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type World, world } from '../world'
import {
  openPage,
  type PageOptions,
  richText,
  test,
  waitForHidden,
  waitForRest,
  waitForValue,
  waitForVisible,
} from './browser'
import { waitUntilKept } from './kept-data'

/** What browsers say when there is no connection; behind a proxy, pictures have the address of the server. */
const LOST = /ERR_|Failed to fetch|status of 50|response: 50|404|\/avatars\//
const options = { serviceWorkers: 'allow', expectedErrors: LOST } as const

const main = (page: Page) => page.getByRole('main')
const area = (page: Page) => page.getByRole('textbox', { name: 'Comment', exact: true })

/** The caches of the service worker, with the paths of what is in them. */
const readCaches = (page: Page) =>
  page.evaluate(async () => {
    const kept: Record<string, string[]> = {}
    for (const name of await caches.keys())
      kept[name] = (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)
    return kept
  })

/** Waits until the app can be opened without a connection. */
async function waitUntilInstalled(page: Page, builds = 1) {
  await waitForValue(() => page.evaluate(() => navigator.serviceWorker.controller?.state), 'activated')
  await waitForValue(
    async () => Object.values(await readCaches(page)).filter((paths) => paths.includes('/posts')).length,
    builds,
  )
}

/** What stands between the browsers and the server. */
interface Proxy {
  url: string
  /** `silent` never answers. */
  state: 'up' | 'bad gateway' | 'silent'
  /** How often the server has been upgraded: the scripts then have other names, and those of before are gone. */
  build: number
  /** Of which build the service worker is, if an upgrade has not reached all nodes. */
  workerBuild?: number
}

const SCRIPT = /(assets\/[\w]+-\w+)\.js/g
const suffixOf = (build: number) => (build === 0 ? '.js' : `-build${build}.js`)

function startProxy({ baseUrl }: World): Proxy & AsyncDisposable {
  const proxy: Proxy = { url: '', state: 'up', build: 0 }
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      if (proxy.state === 'silent') return new Promise<Response>(() => undefined)
      if (proxy.state === 'bad gateway') return new Response('Bad gateway', { status: 502 })
      const { pathname, search } = new URL(request.url)
      const isScript = pathname.endsWith('.js') && pathname.startsWith('/assets/')
      const build = Number(pathname.match(/-build(\d)/)?.[1] ?? 0)
      if (isScript && build !== proxy.build) return new Response(null, { status: 404 })
      const headers = new Headers(request.headers)
      headers.set('accept-encoding', 'identity')
      if (headers.has('origin')) headers.set('origin', baseUrl)
      headers.set('host', new URL(baseUrl).host)
      const response = await fetch(baseUrl + pathname.replace(suffixOf(build), '.js') + search, {
        method: request.method,
        headers,
        ...(request.body && { body: await request.bytes() }),
        signal: request.signal,
      })
      const shownBuild = pathname === '/sw.js' ? (proxy.workerBuild ?? proxy.build) : proxy.build
      const isText = /html|javascript/.test(response.headers.get('content-type') ?? '')
      if (shownBuild === 0 || !isText) return new Response(response.body, response)
      const text = await response.text()
      const renamed = text.replace(SCRIPT, `$1${suffixOf(shownBuild)}`)
      return new Response(renamed.replace('"version":"', `"version":"build${shownBuild}-`), response)
    },
  })
  proxy.url = server.url.origin
  return Object.assign(proxy, { [Symbol.asyncDispose]: () => server.stop(true) })
}

/** Ada opens a post with a comment, in a browser that keeps both and the app. */
async function openInstalled(given: World, baseUrl = given.baseUrl, more: PageOptions = {}) {
  const cast = { ...given, baseUrl }
  const post = await cast.bob.posts.create({ channel_id: cast.general.id, title: 'Lunch?', content_markdown: 'Noon?' })
  await cast.bob.comments.create({ post_id: post.id, content_markdown: 'Or at one.' })
  const page = await openPage(cast, cast.ada, `/posts/${post.id}`, { ...options, ...more })
  await waitForVisible(main(page).getByText('Or at one.'))
  await waitUntilInstalled(page)
  await waitUntilKept(page, 'Or at one.')
  return { page, post }
}

describe('without a connection', () => {
  test('the app opens with what was read, and what is written is kept by reloads and sent later', async () => {
    const cast = await world()
    const { page, post } = await openInstalled(cast)
    await page.context().setOffline(true)
    await page.reload()
    await waitForVisible(main(page).getByText('Or at one.'))
    await waitForVisible(page.getByText('You are offline.'))
    await area(page).fill('One is fine.')
    await area(page).press('Control+Enter')
    await waitForVisible(page.locator('.comments').getByText('One is fine.'))
    await page.reload()
    await waitForVisible(page.locator('.comments').getByText('One is fine.'))
    await waitForVisible(page.getByText('Will be sent when you are back online'))

    // Pages that were not open before, in a tab of their own, with all of their code.
    const other = await page.context().newPage()
    for (const path of ['/drafts', '/settings/appearance', '/members', '/posts/new', '/search']) {
      await other.goto(cast.baseUrl + path)
      await waitForVisible(main(other).getByRole('heading', { level: 1 }))
    }
    await page.context().setOffline(false)
    await waitForHidden(page.getByText('Will be sent when you are back online'))
    const { data } = await cast.bob.comments.list({ post_id: post.id })
    expect(data.map(({ content }) => content)).toEqual(['<p>Or at one.</p>', '<p>One is fine.</p>'])
  })

  test('text is formatted while it is written, as its drafts are', async () => {
    const cast = await world()
    const { page, post } = await openInstalled(cast, cast.baseUrl, { isFormatted: true })
    const text = richText(page, 'Comment')
    await waitForVisible(text)
    await page.context().setOffline(true)
    await page.reload()
    await waitForVisible(page.getByText('You are offline.'))
    await text.click()
    await page.keyboard.type('At **one**')
    await waitForVisible(text.locator('strong').getByText('one', { exact: true }))
    await page.reload()
    await waitForVisible(text.locator('strong').getByText('one', { exact: true }))
    await text.press('Control+Enter')
    await waitForVisible(page.locator('.comments strong').getByText('one', { exact: true }))
    await page.context().setOffline(false)
    await waitForHidden(page.getByText('Will be sent when you are back online'))
    const { data } = await cast.bob.comments.list({ post_id: post.id })
    expect(data.at(-1)!.content).toBe('<p>At <strong>one</strong></p>')
    expect(data).toHaveLength(2)
  })

  test('the editor is kept for who writes, not for who reads', async () => {
    const cast = await world()
    const readEditor = async (page: Page) =>
      Object.values(await readCaches(page)).flatMap((all) => all.filter((path) => path.includes('/editor-')))
    const { page, post } = await openInstalled(cast, cast.baseUrl, { isFormatted: true })
    await page.goto(`${cast.baseUrl}/posts/new`)
    await waitForVisible(richText(page))
    await waitForValue(async () => (await readEditor(page)).length, 1)

    await cast.vic.me.updatePreferences({ writes_markdown: false })
    const reader = await openPage(cast, cast.vic, `/posts/${post.id}`, { ...options, isFormatted: true })
    await waitForVisible(main(reader).getByText('Or at one.'))
    await waitUntilInstalled(reader)
    expect(await readEditor(reader)).toEqual([])
  })

  test('it opens also where a proxy says that the server is gone, and where nothing answers', async () => {
    const cast = await world()
    await using proxy = startProxy(cast)
    const { page, post } = await openInstalled(cast, proxy.url)
    for (const state of ['bad gateway', 'silent', 'up'] as const) {
      proxy.state = state
      await page.goto(`${proxy.url}/posts/${post.id}`)
      await waitForVisible(main(page).getByText('Or at one.'))
    }
    await waitForHidden(page.locator('.connection-bar').getByRole('button'))
  })

  test('nothing else is answered: neither the API nor pages for visitors', async () => {
    const cast = await world()
    const { page } = await openInstalled(cast)
    const kept = Object.values(await readCaches(page)).flat()
    expect(kept.filter((path) => !path.startsWith('/assets/'))).toEqual(['/posts'])
    await page.context().setOffline(true)
    const isAnswered = (path: string) =>
      page.evaluate(
        (url) =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        path,
      )
    for (const path of ['/v2/me', '/v2/posts', '/session/token', '/posts', '/files/file_x'])
      expect([path, await isAnswered(path)]).toEqual([path, false])
    for (const path of ['/docs', '/sign-in', '/reset-password', '/healthz'])
      await expect(page.goto(cast.baseUrl + path)).rejects.toThrow('ERR_')
  })

  test('who has signed out is shown nothing of what was read', async () => {
    const cast = await world()
    const { page, post } = await openInstalled(cast)
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('button').first().click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.context().setOffline(true)
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await waitForVisible(page.getByText('You are offline'))
    expect(await page.content()).not.toContain('Lunch?')
  })
})

describe('an upgrade of the server', () => {
  const listScripts = (page: Page) =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name).pathname)
        .filter((path) => path.endsWith('.js') && path.startsWith('/assets/')),
    )
  /** Of which builds the scripts of a page are. */
  const buildsOf = async (page: Page) =>
    new Set((await listScripts(page)).map((path) => Number(path.match(/-build(\d)/)?.[1] ?? 0)))

  test('is shown at once; without a connection, a page and its scripts are always of one build', async () => {
    const cast = await world()
    await using proxy = startProxy(cast)
    const { page, post } = await openInstalled(cast, proxy.url)
    // A tab that is open meanwhile goes on with the code that it has begun with.
    const open = await page.context().newPage()
    await open.goto(`${proxy.url}/posts`)
    await waitForVisible(main(open).getByText('Lunch?'))
    for (const build of [1, 2, 3]) {
      proxy.build = build
      await page.reload()
      await waitForVisible(main(page).getByText('Or at one.'))
      expect(await buildsOf(page)).toEqual(new Set([build]))
      await waitForValue(
        async () =>
          Object.keys(await readCaches(page))
            .at(-1)!
            .includes(`build${build}`),
        true,
      )
      await waitUntilInstalled(page, 2)
      if (build > 1) continue
      await open.getByRole('link', { name: 'Members' }).first().click()
      await waitForVisible(main(open).getByText('Bob Moore'))
    }
    await waitUntilKept(page, 'Or at one.')
    await page.context().setOffline(true)
    await page.goto(`${proxy.url}/posts/${post.id}`)
    await waitForVisible(main(page).getByText('Or at one.'))
    expect(await buildsOf(page)).toEqual(new Set([3]))
  })

  const pagesOf = (kept: Record<string, string[]>) => Object.keys(kept).filter((name) => kept[name]!.includes('/posts'))

  test('is not kept while one server sends the new service worker and another the old page', async () => {
    const cast = await world()
    await using proxy = startProxy(cast)
    const { page } = await openInstalled(cast, proxy.url)
    const before = await readCaches(page)
    proxy.workerBuild = 1
    await page.evaluate(async () => {
      const changed = new Promise((resolve) =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
      )
      await (await navigator.serviceWorker.ready).update()
      await changed
    })
    const isOfBefore = async () => {
      await page.context().setOffline(true)
      await page.reload()
      await waitForVisible(main(page).getByText('Or at one.'))
      expect(await buildsOf(page)).toEqual(new Set([0]))
      await page.context().setOffline(false)
    }
    await isOfBefore()
    // Nor if not all files can be kept.
    await page.reload()
    await waitForRest(async () => Object.keys(await readCaches(page)))
    expect(pagesOf(await readCaches(page))).toEqual(pagesOf(before))
    await isOfBefore()

    proxy.build = 1
    await page.reload()
    await waitForVisible(main(page).getByText('Or at one.'))
    await waitUntilInstalled(page, 2)
  })
})

test('a visitor who has not signed in keeps nothing', async () => {
  const cast = await world()
  const page = await openPage(cast, undefined, '/sign-in', options)
  await waitForVisible(page.getByRole('button', { name: /Sign in|Send/ }).first())
  await Bun.sleep(1_000)
  expect(await readCaches(page)).toEqual({})
})
