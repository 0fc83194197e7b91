import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signedIn } from '../session/browser'
import { type Person, type World, world } from '../world'
import { openPage, test, waitForHidden, waitForValue, waitForVisible } from './browser'
import { isKept, readDevice, waitUntilKept } from './kept-data'

const LOST = { expectedErrors: /ERR_|Failed to fetch|status of 50|response: 50/ }
const ANY = { expectedErrors: /./s }

const main = (page: Page) => page.getByRole('main')
const area = (page: Page, name = 'Comment') => page.getByRole('textbox', { name, exact: true })
const bar = (page: Page) => page.locator('.connection-bar')
const dialog = (page: Page) => page.getByRole('dialog')
const writePost = ({ general }: World, who: Person, title = 'The plan') =>
  who.posts.create({ channel_id: general.id, title, content_markdown: 'Does the plan hold?' })
const commentsOf = async ({ bob }: World, post_id: string) =>
  (await bob.comments.list({ post_id })).data.map(({ content }) => content.replace(/<\/?p>/g, ''))

/** A page of this server that has no scripts, and so neither reads nor writes anything. */
const PLAIN = '/docs/errors'
const leave = (page: Page) => page.goto(new URL(PLAIN, page.url()).href)

async function comment(page: Page, text: string) {
  await area(page).fill(text)
  await area(page).press('Control+Enter')
  await waitForVisible(page.locator('.comments').getByText(text, { exact: true }))
}

async function replaceSession(page: Page, { baseUrl }: World, cookie: string) {
  const [name, value] = cookie.split('=') as [string, string]
  await page.context().clearCookies()
  await page.context().addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' }])
}

describe('a broken value on the device', () => {
  const queues = [null, {}, 'x', [null], [{ id: 'x', kind: 'comment' }], [{ id: 'x', kind: 'unknown', input: {} }]]
  const broken = {
    queue: queues.map((value) => JSON.stringify(value)),
    ...{
      drafts: ['null', '{"a":1}', '5'],
      recents: ['null', '{"a":1}', '[5]'],
      account: ['null', '5'],
      keep: ['null'],
    },
    ...{ mentions: ['null', '5'], preferences: ['null', '5'], theme: ['{"a":1}'], 'draft-versions': ['null', '5'] },
  }
  for (const [key, values] of Object.entries(broken))
    test(`in ${key} leaves the app as it is`, async () => {
      const cast = await world()
      const { id } = await writePost(cast, cast.ada)
      const page = await openPage(cast, cast.ada, PLAIN, ANY)
      for (const value of values) {
        await leave(page)
        await page.evaluate(([name, text]) => localStorage.setItem(`parley:${name}`, text!), [key, value] as const)
        await page.goto(`${cast.baseUrl}/posts/${id}`)
        await waitForVisible(area(page))
        await area(page).fill('')
        await area(page).pressSequentially('@Bo')
        await waitForVisible(page.getByRole('option', { name: /Bob Moore/ }))
      }
      await area(page).fill('Still here')
      await area(page).press('Control+Enter')
      await waitForValue(() => commentsOf(cast, id), ['Still here'])
    })

  test('in what was kept leaves the app as it is', async () => {
    const cast = await world()
    await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, '/posts', ANY)
    await waitUntilKept(page, 'The plan')
    await leave(page)
    await page.evaluate(async () => {
      const opened = indexedDB.open('parley')
      await new Promise((resolve) => {
        opened.onsuccess = resolve
      })
      const transaction = opened.result.transaction('queries', 'readwrite')
      transaction.objectStore('queries').put({ hash: '["post","x"]', json: '{"id":', at: Date.now(), size: 6 })
      await new Promise((resolve) => {
        transaction.oncomplete = resolve
      })
      opened.result.close()
    })
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForValue(() => main(page).getByRole('link', { name: 'The plan' }).count(), 1)
  })

  test('is like code that cannot be loaded: the app opens without what was kept', async () => {
    const cast = await world()
    await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, '/posts', ANY)
    await waitUntilKept(page, 'The plan')
    await leave(page)
    let blocked = 0
    await page.route('**/assets/live-*.js', (route) => (++blocked <= 1 ? route.abort() : route.continue()))
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForValue(() => main(page).getByRole('link', { name: 'The plan' }).count(), 1)
    expect(blocked).toBeGreaterThan(0)
  })

  for (const missing of ['localStorage', 'indexedDB', 'caches', 'sessionStorage'])
    test(`may be ${missing} itself: the app works where it throws`, async () => {
      const cast = await world()
      const { id } = await writePost(cast, cast.ada)
      const page = await openPage(cast, cast.ada, PLAIN, ANY)
      await page.context().addInitScript((name) => {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('No.', 'SecurityError')
          },
        })
      }, missing)
      await page.goto(`${cast.baseUrl}/posts/${id}`)
      await waitForValue(() => area(page).count(), 1)
      await comment(page, 'Hello')
      await waitForValue(() => commentsOf(cast, id), ['Hello'])
      await page.locator('.workspace-button').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL('**/sign-in')
    })
})

describe('another account in the same browser', () => {
  for (const [kind, delayMs] of [
    ['post', 0],
    ['post', 1_500],
    ['comment', 1_500],
  ] as const)
    test(`sends no ${kind} of the one before, if it takes ${delayMs} ms to learn who it is`, async () => {
      const cast = await world()
      const { id } = await writePost(cast, cast.ada)
      const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
      await waitUntilKept(page, 'The plan')
      await page.context().setOffline(true)
      await comment(page, 'Written by Ada')
      await page
        .context()
        .route('**/v2/**', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()))
      await page.context().setOffline(false)
      await leave(page)
      if (kind === 'post')
        await page.evaluate((channel_id) => {
          const [entry] = JSON.parse(localStorage.getItem('parley:queue')!)
          const post = { ...entry, kind: 'post', subjectId: channel_id, triedAt: null }
          post.input = { channel_id, title: 'Written by Ada', content_markdown: 'Mine.' }
          localStorage.setItem('parley:queue', JSON.stringify([post]))
        }, cast.general.id)
      await page.context().unroute('**/v2/**')
      await replaceSession(page, cast, (await signedIn(cast, cast.bob)).cookie)
      await page.context().route('**/v2/me', async (route) => {
        await Bun.sleep(delayMs)
        await route.continue()
      })
      await page.goto(`${cast.baseUrl}/posts/${id}`)
      await waitForVisible(page.locator('.sidebar').getByRole('link', { name: 'Bob Moore' }))
      await Bun.sleep(1_000)
      const comments = (await cast.root.comments.list({ post_id: id })).data
      const posts = (await cast.root.posts.list({})).data.filter((post) => post.id !== id)
      expect([...comments, ...posts].map(({ author }) => author.name)).toEqual([])
    })
})

describe('a proxy whose server is gone', () => {
  for (const status of [404, 403, 302])
    test(`answers ${status}: what waits is still sent by itself`, async () => {
      const cast = await world()
      const { id } = await writePost(cast, cast.ada)
      const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
      await waitForVisible(area(page))
      await page.context().setOffline(true)
      await comment(page, 'Sent later')
      await page
        .context()
        .route('**/v2/posts/*/comments', (route) =>
          route.request().method() === 'GET'
            ? route.continue()
            : route.fulfill({ status, headers: { location: '/login' }, contentType: 'text/plain', body: 'no backend' }),
        )
      await page.context().setOffline(false)
      await Bun.sleep(3_000)
      await page.context().unroute('**/v2/posts/*/comments')
      await waitForValue(() => commentsOf(cast, id), ['Sent later'])
    })

  test('answers 404: what was read is kept', async () => {
    const cast = await world()
    await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, '/posts', ANY)
    await waitUntilKept(page, 'The plan')
    await leave(page)
    await page.route('**/v2/**', (route) =>
      route.fulfill({ status: 404, contentType: 'text/plain', body: 'no backend' }),
    )
    await page.goto(`${cast.baseUrl}/posts`)
    await Bun.sleep(3_000)
    expect(await isKept(page, 'The plan')).toBe(true)
  })
})

describe('what was lost', () => {
  test('is erased although the first request for it failed', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.bob)
    await cast.bob.comments.create({ post_id: id, content_markdown: 'A password, by mistake.' })
    const page = await openPage(cast, cast.ada, `/posts/${id}`, ANY)
    await waitUntilKept(page, 'A password, by mistake.')
    await leave(page)
    await cast.bob.posts.delete({ id })
    // An overloaded server, for a moment.
    await page.context().route(/\/v2\/events\?.*types=/, (route) => route.fulfill({ status: 503, body: '' }))
    await page.goto(`${cast.baseUrl}/inbox`)
    await waitForVisible(page.getByRole('heading', { level: 1 }))
    await Bun.sleep(3_000)
    await writePost(cast, cast.bob, 'Something else')
    await Bun.sleep(1_000)
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Posts' }).first().click()
    await waitUntilKept(page, 'Something else')
    await page.context().unroute(/\/v2\/events\?.*types=/)
    await page.goto(`${cast.baseUrl}/inbox`)
    await waitForValue(() => isKept(page, 'A password, by mistake.'), false)
  })

  for (const change of ['made private', 'archived'] as const)
    for (const slow of ['post', 'nothing'])
      test(`is erased at once while it is open: its channel is ${change}, and ${slow} is slow`, async () => {
        const cast = await world()
        const channel = await cast.root.channels.create({ name: 'plans' })
        const post = await cast.root.posts.create({ channel_id: channel.id, title: 'Fired', content_markdown: 'Who?' })
        await cast.root.comments.create({ post_id: post.id, content_markdown: 'Nobody knows.' })
        const page = await openPage(cast, cast.ada, `/posts/${post.id}`, ANY)
        await waitForVisible(main(page).getByText('Nobody knows.'))
        await waitUntilKept(page, 'Nobody knows.')
        await waitUntilKept(page, 'Fired')
        if (slow === 'post')
          await page.route(`**/v2/posts/${post.id}`, async (route) => {
            await Bun.sleep(1_500)
            await route.continue()
          })
        await (change === 'archived'
          ? cast.root.channels.delete({ id: channel.id })
          : cast.root.channels.update({ id: channel.id, private: true }))
        await Bun.sleep(6_000)
        const kept = (await readDevice(page)).filter(({ json }) => /Fired|Nobody knows/.test(json ?? ''))
        expect(kept.map(({ hash }) => hash)).toEqual([])
      })

  test('by becoming a guest is erased, with a post open', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.bob)
    await cast.bob.comments.create({ post_id: id, content_markdown: 'Nobody knows.' })
    const page = await openPage(cast, cast.vic, `/posts/${id}`, ANY)
    await waitForVisible(main(page).getByText('Nobody knows.'))
    await waitUntilKept(page, 'Nobody knows.')
    await page.route(`**/v2/posts/${id}`, async (route) => {
      await Bun.sleep(1_500)
      await route.continue()
    })
    await cast.root.members.update({ id: cast.vic.id, role: 'guest' })
    await Bun.sleep(6_000)
    const kept = (await readDevice(page)).filter(({ json }) => /The plan|Nobody knows/.test(json ?? ''))
    expect(kept.map(({ hash }) => hash)).toEqual([])
  })

  test('by signing out is not kept by a tab that was just opened', async () => {
    const cast = await world()
    await writePost(cast, cast.bob)
    const page = await openPage(cast, cast.ada, '/posts', ANY)
    await waitUntilKept(page, 'The plan')
    const other = await page.context().newPage()
    const held = Promise.withResolvers<void>()
    let isHeld = false
    await other.route(/\/v2\/events\?.*after=now/, async (route) => {
      const response = await route.fetch()
      isHeld = true
      await held.promise
      await route.fulfill({ response })
    })
    // As after a new build: what is kept is begun anew.
    await leave(page)
    await page.evaluate(async () => {
      const opened = indexedDB.open('parley')
      await new Promise((resolve) => {
        opened.onsuccess = resolve
      })
      const transaction = opened.result.transaction(['for', 'queries'], 'readwrite')
      transaction.objectStore('for').clear()
      transaction.objectStore('queries').clear()
      await new Promise((resolve) => {
        transaction.oncomplete = resolve
      })
      opened.result.close()
    })
    await other.goto(`${cast.baseUrl}/posts`)
    await waitForValue(() => isHeld, true)
    await page.goto(`${cast.baseUrl}/settings/security`)
    await main(page).getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/sign-in')
    await other.waitForURL('**/sign-in**')
    held.resolve()
    await Bun.sleep(2_000)
    expect(await readDevice(page)).toEqual([])
  })

  test('and was kept while the clock was ahead is shown for seven days at most', async () => {
    const cast = await world()
    await writePost(cast, cast.bob)
    const page = await openPage(cast, cast.ada, '/posts', ANY)
    await waitUntilKept(page, 'The plan')
    await leave(page)
    await page.evaluate(async () => {
      const opened = indexedDB.open('parley')
      await new Promise((resolve) => {
        opened.onsuccess = resolve
      })
      const queries = opened.result.transaction('queries', 'readwrite').objectStore('queries')
      const all = queries.getAll()
      await new Promise((resolve) => {
        all.onsuccess = resolve
      })
      // Confirmed ten days ago, by a clock that was a month ahead.
      for (const record of all.result) queries.put({ ...record, at: Date.now() + 20 * 86_400_000 })
      await new Promise((resolve) => {
        queries.transaction.oncomplete = resolve
      })
      opened.result.close()
    })
    await page.route(/\/(v2|session)\//, () => undefined)
    await page.goto(`${cast.baseUrl}/posts`)
    await Bun.sleep(2_000)
    expect(await main(page).getByText('The plan').count()).toBe(0)
  })
})

describe('without space', () => {
  test('the service worker gives what it has loaded', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, { serviceWorkers: 'allow', ...ANY })
    await waitForValue(() => page.evaluate(() => navigator.serviceWorker.controller?.state), 'activated')
    const session = await page.context().newCDPSession(page)
    await session.send('Storage.overrideQuotaForOrigin', { origin: cast.baseUrl, quotaSize: 1 })
    const name = await page.evaluate(async () => {
      const text = await (await fetch('/sw.js')).text()
      return text.match(/\/assets\/(?:sign-in|highlight|emoji)-[\w-]+\.js/)![0]
    })
    const status = await page.evaluate((path) => fetch(path).then(({ status }) => status, String), name)
    expect(status).toBe(200)
    await page.getByRole('button', { name: 'Add reaction' }).first().click()
    await waitForValue(() => page.getByRole('option').first().isVisible(), true)
  })

  test('the sign-in page opens', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts', { serviceWorkers: 'allow', ...ANY })
    await waitForValue(() => page.evaluate(() => navigator.serviceWorker.controller?.state), 'activated')
    const session = await page.context().newCDPSession(page)
    await session.send('Storage.overrideQuotaForOrigin', { origin: cast.baseUrl, quotaSize: 1 })
    await session.send('Network.clearBrowserCache').catch(() => undefined)
    await page.context().clearCookies()
    await page.goto(`${cast.baseUrl}/sign-in`)
    await waitForValue(() => page.getByLabel('Password').count(), 1)
  })

  test('nothing overtakes what waits for the same post', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    let isBlocked = true
    await page.route('**/v2/posts/*/comments', (route) =>
      route.request().method() === 'POST' && isBlocked ? route.abort() : route.continue(),
    )
    await comment(page, 'First')
    await waitForVisible(page.getByText('Will be sent'))
    await page.evaluate(() => {
      for (let size = 1 << 20; size > 0; size >>= 1)
        try {
          for (let at = 0; ; at++) localStorage.setItem(`full-${size}-${at}`, 'x'.repeat(size))
        } catch {}
    })
    isBlocked = false
    await area(page).fill('Second')
    await area(page).press('Control+Enter')
    await waitForValue(async () => (await commentsOf(cast, id)).length, 2)
    expect(await commentsOf(cast, id)).toEqual(['First', 'Second'])
  })
})

describe('what waits to be sent', () => {
  test('cannot be cancelled or edited while it is on its way, as it may have been sent', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    let tries = 0
    const held = Promise.withResolvers<void>()
    await page.route('**/v2/posts/*/comments', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      if (++tries === 1) return route.abort()
      await held.promise
      await route.continue().catch(() => undefined)
    })
    await comment(page, 'Sent in anger')
    const row = page.locator('.comments li').filter({ hasText: 'Sent in anger' })
    const cancel = row.getByRole('button', { name: 'Cancel' })
    await waitForVisible(cancel)
    await waitForValue(() => tries, 2)
    await waitForValue(() => cancel.getAttribute('aria-disabled'), 'true')
    for (const name of ['Cancel', 'Edit']) await row.getByRole('button', { name }).click({ force: true })
    await waitForVisible(row)
    expect(await area(page).inputValue()).toBe('')
    held.resolve()
    await waitForValue(() => commentsOf(cast, id), ['Sent in anger'])
    await waitForHidden(cancel)
  })

  test('is brought back to where it was', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    await page.context().setOffline(true)
    await comment(page, 'One')
    await comment(page, 'Two')
    const row = page.locator('.comments li').filter({ hasText: 'One' })
    await row.getByRole('button', { name: 'Cancel' }).click()
    await waitForHidden(row)
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForVisible(row)
    await page.context().setOffline(false)
    await waitForValue(async () => (await commentsOf(cast, id)).length, 2)
    expect(await commentsOf(cast, id)).toEqual(['One', 'Two'])
  })

  test('and was cancelled in one tab is not sent by another that was looking up its names', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    const other = await page.context().newPage()
    await other.goto(page.url())
    await waitForVisible(area(other))
    await page.context().setOffline(true)
    await comment(page, '@Nobody knows')
    await waitForVisible(other.getByText('Will be sent'))
    const held = Promise.withResolvers<void>()
    let looked = 0
    await page.context().route('**/v2/members?**', async (route) => {
      looked++
      await held.promise
      await route.continue().catch(() => undefined)
    })
    await page.context().setOffline(false)
    await waitForValue(() => looked > 0, true)
    // The tab that does not send it.
    for (const tab of [page, other]) await tab.evaluate(() => 0)
    await page.evaluate(() => {
      const entries = JSON.parse(localStorage.getItem('parley:queue')!)
      // As another tab does when “Cancel” is pressed there.
      localStorage.setItem('parley:queue', JSON.stringify(entries.slice(1)))
    })
    held.resolve()
    await Bun.sleep(3_000)
    expect(await commentsOf(cast, id)).toEqual([])
  })

  test('and is tried again keeps the time of its first attempt, as long as it keeps its key', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, PLAIN, LOST)
    const triedAt = Date.now() - 22 * 3_600_000
    const entry = {
      ...{ id: 'x', kind: 'comment', memberId: cast.ada.id, subjectId: id, problem: 'Refused.' },
      input: { post_id: id, parent_id: null, content_markdown: 'Once' },
      ...{ createdAt: new Date().toISOString(), sendingSince: null, idempotencyKey: 'the-key', triedAt },
    }
    await page.evaluate((text) => localStorage.setItem('parley:queue', text), JSON.stringify([entry]))
    await page.route('**/v2/posts/*/comments', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    await page.getByRole('button', { name: 'Send now' }).click()
    await waitForVisible(page.getByText('Will be sent when you are back online'))
    const [now] = JSON.parse((await page.evaluate(() => localStorage.getItem('parley:queue')))!)
    expect(now.idempotencyKey !== 'the-key' || now.triedAt <= triedAt).toBe(true)
  })

  test('and was first tried while the clock was ahead is sent by hand only', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, PLAIN, LOST)
    const entry = {
      ...{ id: 'x', kind: 'comment', memberId: cast.ada.id, subjectId: id, problem: null },
      input: { post_id: id, parent_id: null, content_markdown: 'Perhaps twice' },
      ...{ createdAt: new Date().toISOString(), sendingSince: null, idempotencyKey: 'the-key' },
      triedAt: Date.now() + 3 * 86_400_000,
    }
    await page.evaluate((text) => localStorage.setItem('parley:queue', text), JSON.stringify([entry]))
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    await waitForVisible(area(page))
    await Bun.sleep(2_000)
    expect(await commentsOf(cast, id)).toEqual([])
  })

  test('is sent once and in order by two tabs that know nothing of each other', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, PLAIN, LOST)
    await page.context().addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }))
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    await waitForVisible(area(page))
    const other = await page.context().newPage()
    await other.goto(page.url())
    await waitForVisible(area(other))
    await page.context().setOffline(true)
    const texts = ['1', '2', '3', '4', '5', '6'].map((each) => `Number ${each}`)
    for (const [at, text] of texts.entries()) await comment(at % 2 ? page : other, text)
    await page.context().setOffline(false)
    await waitForValue(async () => (await commentsOf(cast, id)).length >= 6, true)
    await Bun.sleep(3_000)
    expect(await commentsOf(cast, id)).toEqual(texts)
    for (const tab of [page, other]) await waitForValue(() => tab.getByText('Will be sent').count(), 0)
  })

  test('and has arrived although its response was lost is shown once', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    let isLost = false
    await page.route('**/v2/posts/*/comments', async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await comment(page, 'Said once')
    const shown = page.locator('.comments').getByText('Said once', { exact: true })
    const counts = new Set<number>()
    for (let at = 0; at < 40; at++) {
      counts.add(await shown.count())
      await Bun.sleep(50)
    }
    expect([...counts]).toEqual([1])
    expect(await commentsOf(cast, id)).toEqual(['Said once'])
  })

  test('is not in its editor, too, after a reload while it is sent', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    // The server does it, and takes its time to say so.
    await page.route('**/v2/posts/*/comments', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
    })
    await comment(page, 'Said once')
    await waitForValue(() => commentsOf(cast, id), ['Said once'])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.reload()
    await waitForVisible(page.locator('.comments').getByText('Said once', { exact: true }))
    await waitForValue(() => page.evaluate(() => localStorage.getItem('parley:queue')), '[]')
    await waitForValue(() => area(page).inputValue(), '')
  })

  test('may be a hostile text of 100 kB', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    await page.context().setOffline(true)
    const text = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202e${'@a[](`<'.repeat(14_000)}`
    await area(page).fill(text)
    await area(page).press('Control+Enter')
    await waitForVisible(page.getByText('Will be sent when you are back online'))
    await bar(page).getByRole('button', { name: '1 change will be sent' }).click()
    await waitForVisible(dialog(page).getByRole('button', { name: 'Cancel' }))
    expect(await page.title()).not.toBe('owned')
    expect(await page.locator('.comments .content img, .waiting-list img').count()).toBe(0)
    expect((await dialog(page).boundingBox())!.width).toBeLessThan(900)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await waitForVisible(dialog(page).getByText('Everything has been sent.'))
  })

  test('may be 500 texts, which do not freeze the page', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, PLAIN, ANY)
    await page.evaluate(
      ([postId, memberId]) => {
        const entries = Array.from({ length: 500 }, (_, at) => ({
          ...{ id: `e${at}`, kind: 'comment', memberId, subjectId: postId, problem: null, triedAt: null },
          input: { post_id: postId, parent_id: null, content_markdown: `${at} ${'word '.repeat(100)}` },
          ...{ createdAt: new Date().toISOString(), sendingSince: null, idempotencyKey: `key-${at}` },
        }))
        localStorage.setItem('parley:queue', JSON.stringify(entries))
      },
      [id, cast.ada.id] as const,
    )
    await page
      .context()
      .route('**/v2/**', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()))
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(main(page).getByRole('link', { name: 'The plan' }))
    const longest = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let max = 0
          new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) max = Math.max(max, duration)
          }).observe({ type: 'longtask', buffered: true })
          setTimeout(() => resolve(max), 12_000)
        }),
    )
    expect(longest).toBeLessThan(500)
  })
})

describe('what was not sent', () => {
  test('can be copied if its post was deleted', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.root)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    await page.context().setOffline(true)
    await comment(page, 'An hour of thought')
    await cast.root.posts.delete({ id })
    await page.context().setOffline(false)
    await bar(page).getByRole('button', { name: 'Show' }).click()
    await waitForVisible(dialog(page).getByRole('button', { name: 'Copy text' }))
    expect(await dialog(page).getByRole('button', { name: 'Edit' }).count()).toBe(0)
    await page.goto(`${cast.baseUrl}/posts`)
    await bar(page).getByRole('button', { name: 'Show' }).click()
    await waitForVisible(dialog(page).getByText('An hour of thought'))
  })

  test('because it was refused after its page was left is said', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, LOST)
    await waitForVisible(area(page))
    const held = Promise.withResolvers<void>()
    await page.route('**/v2/posts/*/comments', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await held.promise
      const body = JSON.stringify({ code: 'forbidden', detail: 'You may not.', status: 403 })
      await route.fulfill({ status: 403, contentType: 'application/problem+json', body })
    })
    await comment(page, 'Refused late')
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Inbox' }).first().click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Inbox' }))
    held.resolve()
    await waitForValue(async () => (await page.getByText(/not sent|You may not/i).count()) > 0, true)
  })
})
