import { describe, expect, test } from 'bun:test'
import { brotliCompressSync } from 'node:zlib'
import { world } from '../world'
import { test as browserTest, openPage, waitForRest, waitForValue, waitForVisible } from './browser'

/** The frame of the app, its pages, events and what they share, also with the editor. */
const MAX_SCRIPTS = 9
/** A page of this server that has no scripts. */
const PLAIN = '/docs/errors'

describe('assets', () => {
  test('the first page loads at most 130 KB of compressed scripts', async () => {
    const { baseUrl } = await world()
    const read = async (path: string) =>
      (await fetch(baseUrl + path, { headers: { Cookie: 'parley_session=x' } })).text()
    const scripts = new Set([...(await read('/posts')).matchAll(/src="([^"]+\.js)"/g)].map((match) => match[1]!))
    expect(scripts.size).toBe(1)
    // With all that they import at once; what is loaded later is imported by a call.
    for (const script of scripts)
      for (const [, path] of (await read(script)).matchAll(/(?:from|import)\s*"(\/assets\/[^"]+)"/g)) scripts.add(path!)
    const sizes = await Promise.all(
      [...scripts].map(async (path) => Bun.gzipSync(await read(path), { level: 9 }).length),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(130_000)
  })

  test('assets are immutable; the page is revalidated and has a strict Content-Security-Policy', async () => {
    const { baseUrl } = await world()
    const page = await fetch(`${baseUrl}/posts`)
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    const assets = [...(await page.text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(assets.length).toBeGreaterThanOrEqual(3)
    for (const path of assets) {
      const { status, headers } = await fetch(baseUrl + path)
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
    }
    expect((await fetch(`${baseUrl}/assets/none.js`)).status).toBe(404)
  })
})

describe('loading a page', () => {
  browserTest('nothing is requested twice, and few scripts', async () => {
    const cast = await world()
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, title: 'Lunch?', content_markdown: 'Yes.' })
    const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    for (const path of ['/posts', `/posts/${post.id}`, `/threads/${thread.id}`, '/inbox']) {
      const page = await openPage(cast, cast.ada, PLAIN)
      const requests: string[] = []
      page.on('request', (request) => requests.push(`${request.method()} ${request.url().replace(cast.baseUrl, '')}`))
      await page.goto(cast.baseUrl + path)
      await waitForValue(() => requests.includes('GET /v2/events'), true)
      await waitForRest(async () => requests.length)
      const scripts = requests.filter((url) => url.endsWith('.js'))
      expect([path, scripts.length <= MAX_SCRIPTS]).toEqual([path, true])
      // What the page then marks as read is counted again.
      const untilRead = requests.slice(0, requests.findIndex((url) => url.startsWith('PUT')) >>> 0)
      expect([path, untilRead.filter((url, at) => untilRead.indexOf(url) !== at)]).toEqual([path, []])
      await page.close()
    }
  })

  browserTest('the code of other pages is not requested before the first post is shown', async () => {
    const cast = await world()
    await cast.ada.posts.create({ channel_id: cast.general.id, title: 'Lunch?', content_markdown: 'Yes.' })
    const page = await openPage(cast, cast.ada, PLAIN)
    const scripts: string[] = []
    const held = Promise.withResolvers<void>()
    page.on('request', (request) => request.url().endsWith('.js') && scripts.push(request.url()))
    await page.route('**/v2/posts?*', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForRest(async () => scripts.length)
    const sizes = await Promise.all(
      // As they are sent to browsers, from the second visit on.
      scripts.map(async (url) => brotliCompressSync(await (await fetch(url)).bytes()).length),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(130_000)
    held.resolve()
    await waitForVisible(page.getByText('Lunch?'))
  })

  browserTest('the editor takes at most 140 KB, and is loaded only where one can write', async () => {
    const cast = await world()
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, title: 'Lunch?', content_markdown: 'Yes.' })
    const page = await openPage(cast, cast.ada, PLAIN, { isFormatted: true })
    const loaded: string[] = []
    page.on('request', (request) => /\/assets\/editor-[^/]*\.js$/.test(request.url()) && loaded.push(request.url()))
    for (const path of ['/posts', '/inbox']) {
      await page.goto(cast.baseUrl + path)
      await waitForRest(async () => loaded.length)
      expect([path, loaded]).toEqual([path, []])
    }
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await waitForVisible(page.locator('.rich'))
    const code = await (await fetch(loaded[0]!)).bytes()
    expect(Bun.gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(140_000)
  })

  browserTest('what happens before the page follows the events is shown, and counted once', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const create = (title: string) => ada.posts.create({ channel_id: cast.general.id, title, content_markdown: 'Yes?' })
    const [early, late] = [await create('Lunch?'), await create('Dinner?')]
    const comment = (post: { id: string }) => bob.comments.create({ post_id: post.id, content_markdown: 'Yes.' })

    const page = await openPage(cast, ada, PLAIN)
    // The position in the log is known already, but the first page of posts is not.
    const held = [early, late]
    await page.route('**/v2/posts?*', async (route) => {
      if (held.includes(early)) await comment(held.shift()!)
      await route.continue()
    })
    await page.route('**/v2/events?after=evt_*', async (route) => {
      await waitForVisible(page.getByRole('listitem').filter({ hasText: 'Dinner?' }))
      if (held.includes(late)) await comment(held.pop()!)
      await route.continue()
    })
    const opened = page.waitForResponse('**/v2/events')
    await page.goto(`${cast.baseUrl}/posts`)
    await opened
    const counts = page.locator('.comment-count')
    const listCounts = () => counts.evaluateAll((all) => all.map((count) => (count as HTMLElement).title))
    await waitForValue(listCounts, ['1 comment', '1 comment'])
    await waitForRest(listCounts)
    expect(await listCounts()).toEqual(['1 comment', '1 comment'])
  })
})
