import { describe, expect } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { eventId, positionOf } from '../../src/domain/events/positions'
import { linkFor, signedIn } from '../session/browser'
import { type World, world } from '../world'
import { joinedWorld, openPage, test, waitForValue, waitForVisible } from './browser'
import { isKept, readDevice, waitUntilKept } from './kept-data'

const waitUntilErased = (page: Page) => waitForValue(async () => (await readDevice(page)).length, 0)

/** A page of this server that has no scripts, and so neither reads nor writes the database. */
const PLAIN = '/docs/errors'

/** Nothing that is sent from now on is answered, until the function that is returned is called. */
async function holdNetwork(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    await promise
    await route.continue().catch(() => undefined)
  }
  const pattern = /\/(v2|session)\//
  await page.route(pattern, hold)
  return async () => {
    resolve()
    await page.unroute(pattern, hold)
  }
}

async function writeTexts({ ada, bob, general }: World) {
  const post = await bob.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: 'At noon.' })
  await bob.comments.create({ post_id: post.id, content_markdown: 'Or at one.' })
  const thread = await bob.threads.create({ title: 'Plans', member_ids: [ada.id] })
  await bob.messages.create({ thread_id: thread.id, content_markdown: 'Soup today.' })
  return { post, thread }
}

const main = (page: Page) => page.getByRole('main')

describe('what was read', () => {
  test('is shown at once when the app is opened again, although nothing is answered', async () => {
    const cast = await joinedWorld()
    const { post, thread } = await writeTexts(cast)
    await cast.bob.comments.create({ post_id: post.id, content_markdown: `<@${cast.ada.id}> see this` })
    await cast.fillInboxes()
    const page = await openPage(cast, cast.ada, '/posts')
    const shown = [
      ['/posts', 'Lunch?', '["posts",{"sort"'],
      [`/channels/${cast.general.id}`, 'Lunch?', '["posts",{"channel_id"'],
      [`/posts/${post.id}`, 'Or at one.', `["comments","${post.id}"`],
      [`/threads/${thread.id}`, 'Soup today.', `["messages","${thread.id}"`],
      ['/inbox', 'Lunch?', '["inbox"'],
    ] as const
    for (const [path, text, key] of shown) {
      await page.goto(cast.baseUrl + path)
      await waitForVisible(main(page).getByText(text).first())
      await waitForValue(async () => (await readDevice(page)).some(({ hash }) => hash?.startsWith(key)), true)
    }
    await page.goto(cast.baseUrl + PLAIN)
    const release = await holdNetwork(page)
    for (const [path, text] of shown) {
      await page.goto(cast.baseUrl + path)
      await waitForVisible(main(page).getByText(text).first())
      const sidebar = page.getByRole('navigation', { name: 'Sidebar' })
      await waitForVisible(sidebar.getByRole('link', { name: /^general/ }))
    }
    await release()
  })

  test('is brought up to date by the first response', async () => {
    const cast = await world()
    const { post } = await writeTexts(cast)
    const page = await openPage(cast, cast.ada, '/posts')
    await waitUntilKept(page, 'Lunch?')
    await page.goto(cast.baseUrl + PLAIN)
    await cast.bob.posts.update({ id: post.id, title: 'Dinner?' })
    const release = await holdNetwork(page)
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(main(page).getByText('Lunch?'))
    await release()
    await waitForVisible(main(page).getByText('Dinner?'))
    await waitUntilKept(page, 'Dinner?')
    expect(await isKept(page, 'Lunch?')).toBe(false)
  })
})

/** Opens the feed, and waits until it is kept. */
async function openKept(cast: World, path = '/posts', text = 'Lunch?') {
  const page = await openPage(cast, cast.ada, path)
  await waitForVisible(main(page).getByText(text).first())
  await waitUntilKept(page, text)
  return page
}

/** Closes the app, without closing the browser. */
const leave = (page: Page) => page.goto(new URL(PLAIN, page.url()).href)

const changeDevice = (page: Page, change: { position?: string; build?: string; ageMs?: number; copies?: number }) =>
  page.evaluate(async ({ position, build, ageMs = 0, copies = 0 }) => {
    const wait = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await wait(indexedDB.open('parley'))
    const transaction = database.transaction(['for', 'queries'], 'readwrite')
    const [keptFor, queries] = [transaction.objectStore('for'), transaction.objectStore('queries')]
    const known = await wait(keptFor.get(0))
    keptFor.put({ ...known, ...(position && { position }), ...(build && { build }) }, 0)
    for (const record of await wait(queries.getAll())) {
      queries.put({ ...record, at: record.at - ageMs })
      for (let copy = 0; copy < copies; copy++)
        queries.put({
          ...record,
          hash: `["post","copy-${copy}${record.hash.replaceAll('"', '')}"]`,
          at: record.at - 1_000,
        })
    }
    await new Promise((resolve) => {
      transaction.oncomplete = resolve
    })
    database.close()
  }, change)

const readFor = async (page: Page) =>
  (await readDevice(page)).find((record) => 'position' in record) as unknown as {
    position: string
  }

describe('what is kept is erased', () => {
  test('by signing out, in every tab', async () => {
    const cast = await world()
    await writeTexts(cast)
    const page = await openKept(cast)
    const other = await page.context().newPage()
    await other.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(main(other).getByText('Lunch?'))

    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('button').first().click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await waitUntilErased(page)
    // It notices the end of the session, and has stored nothing since.
    await other.waitForURL('**/sign-in**')
    expect(await readDevice(other)).toEqual([])
  })

  test('by signing out everywhere', async () => {
    const cast = await world()
    await writeTexts(cast)
    const page = await openKept(cast)
    await page.goto(`${cast.baseUrl}/settings/security`)
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL('**/sign-in')
    await waitUntilErased(page)
  })

  test('when the session was ended elsewhere, before anyone does anything', async () => {
    const cast = await world()
    await writeTexts(cast)
    const [page, closed] = [await openKept(cast), await openKept(cast)]
    await leave(closed)
    for (const { id } of (await cast.ada.sessions.list()).data) await cast.ada.sessions.delete({ id })
    await page.waitForURL('**/sign-in**')
    await waitUntilErased(page)
    expect(await isKept(closed, 'Lunch?')).toBe(true)
    await closed.goto(`${cast.baseUrl}/posts`)
    await closed.waitForURL('**/sign-in**')
    await waitUntilErased(closed)
  })

  test('when somebody else signs in, with a link or in whichever way', async () => {
    const cast = await world()
    await writeTexts(cast)
    await cast.bob.threads.create({ title: 'Secret', member_ids: [cast.ada.id] })
    const page = await openKept(cast, '/threads', 'Secret')
    await page.goto(`${cast.baseUrl}/sign-in#token=${await linkFor(cast, cast.vic)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/posts')
    await waitUntilKept(page, cast.vic.id)
    expect(await isKept(page, 'Secret')).toBe(false)

    await page.goto(`${cast.baseUrl}/posts`)
    await waitUntilKept(page, 'Lunch?')
    await leave(page)
    const [name, value] = (await signedIn(cast, cast.gus)).cookie.split('=') as [string, string]
    await page.context().addCookies([{ name, value, url: cast.baseUrl, httpOnly: true, sameSite: 'Lax' }])
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(main(page).getByText('You are not in a channel yet'))
    await waitUntilKept(page, cast.gus.id)
    expect(await isKept(page, 'Lunch?')).toBe(false)
    expect(await isKept(page, cast.vic.id)).toBe(false)
  })

  test('when a right was lost meanwhile, whatever page is opened', async () => {
    const cast = await world()
    const channel = await cast.root.channels.create({ name: 'secret', private: true })
    await cast.root.channels.addMember({ channel_id: channel.id, member_id: cast.ada.id })
    const post = await cast.root.posts.create({ channel_id: channel.id, title: 'Fired', content_markdown: 'Who?' })
    await cast.root.comments.create({ post_id: post.id, content_markdown: 'Nobody.' })
    const page = await openKept(cast, `/posts/${post.id}`, 'Nobody.')
    await leave(page)
    await cast.root.channels.removeMember({ channel_id: channel.id, member_id: cast.ada.id })
    await page.goto(`${cast.baseUrl}/inbox`)
    for (const text of ['Fired', 'Nobody.', 'secret']) await waitForValue(() => isKept(page, text), false)
    await waitForValue(async () => (await readFor(page)) !== undefined, true)
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await waitForVisible(main(page).getByText('Post not found'))
  })

  test('when a right is lost while it is open', async () => {
    const cast = await world()
    const thread = await cast.bob.threads.create({ title: 'Plans', member_ids: [cast.ada.id] })
    await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'Soup today.' })
    const page = await openKept(cast, `/threads/${thread.id}`, 'Soup today.')
    await cast.bob.threads.removeMember({ thread_id: thread.id, member_id: cast.ada.id })
    await waitForValue(() => isKept(page, 'Soup today.'), false)
    await waitForValue(() => isKept(page, 'Plans'), false)
  })

  test('with what was deleted, meanwhile or while it is open', async () => {
    const cast = await world()
    const { post, thread } = await writeTexts(cast)
    const second = await cast.bob.posts.create({ channel_id: cast.general.id, title: 'Tea?', content_markdown: 'Now.' })
    const page = await openKept(cast, `/posts/${post.id}`, 'Or at one.')
    await page.goto(`${cast.baseUrl}/threads/${thread.id}`)
    await waitUntilKept(page, 'Soup today.')
    await leave(page)
    await cast.bob.posts.delete({ id: post.id })
    await page.goto(`${cast.baseUrl}/threads/${thread.id}`)
    for (const text of ['Lunch?', 'Or at one.']) await waitForValue(() => isKept(page, text), false)
    expect(await isKept(page, 'Soup today.')).toBe(true)

    await page.goto(`${cast.baseUrl}/posts/${second.id}`)
    await waitUntilKept(page, 'Tea?')
    await cast.bob.posts.delete({ id: second.id })
    await waitForValue(() => isKept(page, 'Tea?'), false)
    const [message] = (await cast.bob.messages.list({ thread_id: thread.id })).data
    await cast.bob.messages.delete({ id: message!.id })
    await waitForValue(() => isKept(page, 'Soup today.'), false)
  })

  test('when a backup was restored', async () => {
    const cast = await world()
    await writeTexts(cast)
    const page = await openKept(cast)
    await leave(page)
    const { position } = await readFor(page)
    const { workspace } = await cast.ada.me.get()
    const known = positionOf(workspace.id, position)!
    await changeDevice(page, { position: eventId(workspace.id, { ...known, nonce: known.nonce + 1 }) })
    await page.goto(`${cast.baseUrl}/inbox`)
    await waitForValue(async () => (await readFor(page))?.position, position)
    expect(await isKept(page, 'At noon.')).toBe(false)
  })

  test('by the setting, at once and until it is turned on again', async () => {
    const cast = await world()
    await writeTexts(cast)
    const page = await openKept(cast)
    await page.goto(`${cast.baseUrl}/settings/appearance`)
    const keep = page.getByLabel('Keep what you have read on this device')
    await keep.uncheck()
    await waitUntilErased(page)
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(main(page).getByText('Lunch?'))
    await page.goto(`${cast.baseUrl}/settings/appearance`)
    await waitForValue(() => keep.isChecked(), false)
    expect(await readDevice(page)).toEqual([])
    await keep.check()
    await waitUntilKept(page, cast.ada.id)
  })

  test('after seven days, and with each new build of the app', async () => {
    const cast = await world()
    await writeTexts(cast)
    const page = await openKept(cast)
    for (const change of [{ ageMs: 7 * 86_400_000 }, { build: 'other.js' }]) {
      await waitUntilKept(page, 'Lunch?')
      await leave(page)
      await changeDevice(page, change)
      const release = await holdNetwork(page)
      await page.goto(`${cast.baseUrl}/posts`)
      await page.waitForFunction(() => document.querySelector('script[type=module]') !== null)
      await Bun.sleep(500)
      expect(await main(page).getByText('Lunch?').count()).toBe(0)
      await release()
      await waitForVisible(main(page).getByText('Lunch?'))
      await waitForValue(
        async () => (await readDevice(page)).every(({ at }) => !at || at > Date.now() - 86_400_000),
        true,
      )
    }
  })
})

describe('what is kept', () => {
  test('is what people read, and no token, search, setting or source of a text', async () => {
    const cast = await world()
    const { post } = await writeTexts(cast)
    const page = await openKept(cast, `/posts/${post.id}`, 'Or at one.')
    await page.goto(`${cast.baseUrl}/search?q=noon`)
    await waitForVisible(main(page).getByText('Lunch?'))
    await page.goto(`${cast.baseUrl}/settings/tokens`)
    await waitForVisible(main(page).getByRole('button', { name: /token/i }).first())
    await page.goto(`${cast.baseUrl}/settings/notifications`)
    await waitForVisible(page.getByLabel('Once a day'))
    await page.goto(`${cast.baseUrl}/settings/security`)
    await waitForVisible(main(page).getByText('This browser').first())
    await Bun.sleep(1_000)
    const kinds = new Set((await readDevice(page)).flatMap(({ hash }) => (hash ? [JSON.parse(hash)[0]] : [])))
    const ofPost = ['comments', 'edit', 'post', 'post-state', 'reactions']
    expect([...kinds].toSorted()).toEqual(
      ['channels', 'me', 'member', 'sidebar', 'threads', 'unread', ...ofPost].toSorted(),
    )
  })

  test('remains when the device needs too long to read it', async () => {
    const cast = await world()
    const { post } = await writeTexts(cast)
    const page = await openKept(cast, `/posts/${post.id}`, 'Or at one.')
    await leave(page)
    await page.addInitScript(() => {
      const { getAll } = IDBIndex.prototype
      IDBIndex.prototype.getAll = function (...query) {
        const end = performance.now() + 3_000
        while (performance.now() < end);
        return getAll.apply(this, query)
      }
    })
    const openedAt = Date.now()
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(main(page).getByText('Lunch?'))
    const isStoredAgain = async () => (await readDevice(page)).some(({ at }) => at !== undefined && at > openedAt)
    await waitForValue(isStoredAgain, true)
    expect((await readDevice(page)).some(({ hash }) => hash?.startsWith('["comments"'))).toBe(true)
  })

  test('is at most a thousand responses', async () => {
    const cast = await world()
    await writeTexts(cast)
    const page = await openKept(cast)
    await leave(page)
    await changeDevice(page, { copies: 300 })
    expect((await readDevice(page)).length).toBeGreaterThan(1_200)
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForValue(async () => (await readDevice(page)).length, 1_001)
    expect(await isKept(page, 'Lunch?')).toBe(true)
  })
})
