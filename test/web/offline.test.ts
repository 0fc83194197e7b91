import { describe, expect } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { freePort } from '../postgres'
import { newMigratedDatabase, startTestServer } from '../server'
import { choosePassword, linkFor, signedIn } from '../session/browser'
import { type Person, type World, world } from '../world'
import { chooseChannel, openPage, PHONE, richText, test, waitForHidden, waitForValue, waitForVisible } from './browser'

/** What browsers say when there is no connection. */
const LOST = /ERR_|Failed to fetch|status of 503|response: 503/
const offline = { expectedErrors: LOST }

const area = (page: Page, name = 'Comment') => page.getByRole('textbox', { name, exact: true })
const bar = (page: Page) => page.locator('.connection-bar')
const problem = (page: Page) => page.getByRole('alert')
const boxOf = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())!
const writePost = ({ general }: World, who: Person, content_markdown = 'Does the plan hold?') =>
  who.posts.create({ channel_id: general.id, title: 'The plan', content_markdown })

/** A server that can be stopped and started again at the same address. */
async function startStoppable() {
  const { url } = await newMigratedDatabase()
  const env = { PORT: String(await freePort()), DATABASE_URL: url }
  let server = await startTestServer(env)
  return {
    cast: await world(server),
    stop: () => server.stop(),
    async start() {
      server = await startTestServer(env)
    },
  }
}

describe('the bar', () => {
  for (const [screen, size] of [
    ['wide', {}],
    ['a phone', PHONE],
  ] as const)
    test(`stays in view above the head of a feed and of a post, and goes away by itself, on ${screen}`, async () => {
      const cast = await world()
      const { id } = await writePost(cast, cast.ada, 'A long text.\n\n'.repeat(80))
      for (let at = 0; at < 20; at++) await writePost(cast, cast.bob)
      const page = await openPage(cast, cast.ada, '/posts', { ...offline, ...size })
      await waitForVisible(page.getByRole('link', { name: 'The plan' }).first())
      await page.context().setOffline(true)
      await waitForVisible(
        page.getByRole('status').getByText('You can keep reading and writing. Comments are sent when you are back.'),
      )
      await page.evaluate(() => scrollTo(0, 600))
      const head = size === PHONE ? 'header.bar' : '.feed-head'
      const readEdges = async () => {
        const [{ y, height }, below] = [await boxOf(page, '.connection-bar'), await boxOf(page, head)]
        return { top: y, gap: Math.round(below.y - y - height) }
      }
      await waitForValue(readEdges, { top: 0, gap: 0 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        size === PHONE ? 390 : 1280,
      )
      await page.context().setOffline(false)
      await waitForHidden(bar(page).getByRole('button').first())
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollPaddingTop)).toBe('0px')

      await page.goto(`${cast.baseUrl}/posts/${id}`)
      await waitForVisible(area(page))
      await page.context().setOffline(true)
      await waitForVisible(page.getByText('You are offline.'))
      await page.evaluate(() => scrollTo(0, 900))
      await waitForValue(async () => (await bar(page).boundingBox())!.y, 0)
    })

  test('says that the server cannot be reached, and connects at once when asked to', async () => {
    const { cast, stop, start } = await startStoppable()
    const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    const page = await openPage(cast, cast.ada, `/threads/${thread.id}`, offline)
    await waitForVisible(area(page, 'Message'))
    await stop()
    await waitForVisible(bar(page).getByText("Can't reach the server."))
    // The end of the conversation is still in view.
    const { y, height } = (await page.getByRole('form', { name: 'Message' }).boundingBox())!
    expect(y + height).toBeLessThanOrEqual(800)
    await start()
    // It may also connect by itself before the click.
    await Promise.race([
      bar(page).getByRole('button', { name: 'Try now' }).click(),
      waitForHidden(bar(page).getByText("Can't reach the server.")),
    ])
    await waitForHidden(bar(page).getByText("Can't reach the server."))
    await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'Back again.' })
    await waitForVisible(page.getByText('Back again.', { exact: true }))
  })
})

describe('what a composer could not do', () => {
  test('is said right above its button, can be repeated, and is no longer said when the server is back', async () => {
    const { cast, stop, start } = await startStoppable()
    const { id } = await writePost(cast, cast.ada)
    await cast.ada.comments.create({ post_id: id, content_markdown: 'It does.' })
    const page = await openPage(cast, cast.ada, `/posts/${id}`, { ...offline, height: 500 })
    const comment = page.getByRole('article', { name: 'Comment by Ada Lovelace' })
    await comment.hover()
    await comment.getByRole('button', { name: 'Comment actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await area(page, 'Edit comment').fill('It does not.')
    await stop()
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(problem(page).getByText("Can't reach the server."))
    const [said, button] = [
      await boxOf(page, '.composer-problem'),
      (await page.getByRole('button', { name: 'Save' }).boundingBox())!,
    ]
    expect(button.y - said.y - said.height).toBeGreaterThanOrEqual(0)
    expect(button.y - said.y - said.height).toBeLessThan(20)
    expect(button.y + button.height).toBeLessThan(500)
    expect(await area(page, 'Edit comment').inputValue()).toBe('It does not.')

    await start()
    await waitForHidden(problem(page))
    await page.route('**/v2/comments/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(problem(page))
    await page.unroute('**/v2/comments/*')
    await problem(page).getByRole('button', { name: 'Retry' }).click()
    await waitForVisible(page.getByText('It does not.'))
    await waitForHidden(problem(page))
  })

  test('an upload that was lost says so beside the button, and is made up for when there is a connection', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, offline)
    await area(page).fill('The offer, for the record.')
    await page.context().setOffline(true)
    await page.locator('.composer input[type=file]').setInputFiles({
      name: 'offer.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Ten for one.'),
    })
    await waitForVisible(problem(page).getByText('Could not upload the file.'))
    await waitForVisible(page.getByRole('list', { name: 'Files' }).getByText('12 bytes · not uploaded'))
    await problem(page).getByRole('button', { name: 'Retry' }).click()
    await waitForVisible(problem(page).getByText('Could not upload the file.'))
    await page.context().setOffline(false)
    await waitForHidden(problem(page))
    await waitForValue(async () => (await area(page).inputValue()).includes('[offer.txt](file_'), true)
  })
})

/** Signs in with the password on the sign-in page, whatever is filled in already. */
async function signIn(page: Page, email: string | undefined) {
  if (email) await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Ends every session of a member, as another of their browsers does. */
const endSessions = async (cast: World, who: Person) => {
  const { token } = await signedIn(cast, who)
  await fetch(`${cast.baseUrl}/v2/me/sessions`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${await token()}` },
  })
}

/** All that a browser has stored for pages of this server. */
const readStored = (page: Page) => page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))

describe('a session that has ended', () => {
  test('says so, keeps the workspace, the address and what was typed', async () => {
    // A server with several workspaces does not know which one this is for.
    const cast = await world()
    await choosePassword(cast, cast.root, 'correct horse battery')
    const { id } = await writePost(cast, cast.root)
    await cast.root.me.updatePreferences({ writes_markdown: true })
    const page = await openPage(cast, undefined, `/posts/${id}`, { expectedErrors: /401/ })
    await waitForVisible(page.getByText('Use the e-mail address you were invited with.'))
    const email = `root@${cast.slug}.example.com`
    await signIn(page, email)
    await waitForVisible(area(page))
    await area(page).fill('Half a thought')

    await endSessions(cast, cast.root)
    await waitForVisible(page.getByText('You have been signed out. Sign in again to go on.'))
    await waitForVisible(page.getByRole('heading', { name: `Sign in to ${cast.slug}` }))
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email)
    await waitForValue(() => page.getByLabel('Password').evaluate((field) => field === document.activeElement), true)
    await page.reload()
    await waitForVisible(page.getByText('You have been signed out. Sign in again to go on.'))
    await signIn(page, undefined)
    await page.waitForURL(`**/posts/${id}`)
    await waitForValue(() => area(page).inputValue(), 'Half a thought')
  })

  test('leaves nothing for another member, in this tab or another', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, { expectedErrors: /401/ })
    await area(page).fill('Half a secret')
    // What has not reached the server by then ends with what the browser keeps.
    const readSaved = async () => (await cast.ada.drafts.list()).data.map(({ content_markdown }) => content_markdown)
    await waitForValue(readSaved, ['Half a secret'])
    await page.context().clearCookies()
    await page.reload()
    await waitForVisible(page.getByText('You have been signed out.'))
    expect(await readStored(page)).toContain('Half a secret')
    await page.goto(`${cast.baseUrl}/sign-in#token=${await linkFor(cast, cast.bob)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/posts')
    await waitForVisible(page.getByRole('link', { name: 'Bob Moore' }))
    expect(await readStored(page)).not.toContain('secret')

    // Without the sign-in page, too: the app notices whose session it is.
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    await area(page).fill('Half a plot')
    const other = await page.context().newPage()
    await replaceSession(page.context(), cast, (await signedIn(cast, cast.ada)).cookie)
    await other.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(other.getByRole('link', { name: 'Ada Lovelace' }))
    await waitForValue(async () => (await readStored(other)).includes('plot'), false)
    await waitForVisible(page.locator('.sidebar').getByRole('link', { name: 'Ada Lovelace' }))
    // Her own draft comes back from the server.
    await waitForValue(() => area(page).inputValue(), 'Half a secret')
  })
})

async function replaceSession(context: BrowserContext, { baseUrl }: World, cookie: string) {
  const [name, value] = cookie.split('=') as [string, string]
  await context.clearCookies()
  await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' }])
}

const ANY_LOSS = { expectedErrors: /ERR_|Failed to fetch|status of 50|response: 50/ }
const waitNote = 'Will be sent when you are back online'
const waiting = (page: Page) => page.getByText(waitNote)
const dialog = (page: Page) => page.getByRole('dialog')
const commentsOf = async ({ bob }: World, post_id: string) =>
  (await bob.comments.list({ post_id })).data.map(({ content }) => content.replace(/<\/?p>/g, ''))
const messagesOf = async ({ bob }: World, thread_id: string) =>
  (await bob.messages.list({ thread_id, direction: 'asc' })).data.map(({ content }) => content.replace(/<\/?p>/g, ''))

/** Writes a comment and waits until it is in the list. */
async function comment(page: Page, text: string) {
  await area(page).fill(text)
  await area(page).press('Control+Enter')
  await waitForVisible(page.locator('.comments').getByText(text, { exact: true }))
  await waitForValue(() => page.getByRole('form', { name: 'Comment' }).getAttribute('aria-busy'), null)
}

/** What this browser has stored of the queue, changed. */
const changeQueue = (page: Page, changes: object) =>
  page.evaluate((given) => {
    const entries = JSON.parse(localStorage.getItem('parley:queue')!) as object[]
    localStorage.setItem('parley:queue', JSON.stringify(entries.map((entry) => ({ ...entry, ...given }))))
  }, changes)

/** Lets no write through, while the page can be loaded. */
const blockWrites = (page: Page) =>
  page.context().route('**/v2/**', (route) => (route.request().method() === 'GET' ? route.continue() : route.abort()))
const allowWrites = (page: Page) => page.context().unroute('**/v2/**')

/** The pages on which one writes are loaded before they are needed. */
const waitForPreloads = (page: Page) =>
  waitForValue(
    () =>
      page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/pages-'))),
    true,
  )

describe('what is written offline', () => {
  test('comments and replies wait in their place, are kept by a reload, and are sent once and in order', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    await cast.bob.comments.create({ post_id: id, content_markdown: 'Which plan?' })
    const page = await openPage(cast, cast.ada, `/posts/${id}`, offline)
    await waitForVisible(page.getByText('Which plan?'))
    await page.context().setOffline(true)
    await comment(page, 'First')
    await comment(page, 'Second')
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await area(page, 'Reply to Bob Moore').fill('The one of Monday')
    await area(page, 'Reply to Bob Moore').press('Control+Enter')
    await waitForVisible(page.locator('.replies').getByText('The one of Monday'))
    await waitForValue(() => waiting(page).count(), 3)
    await waitForValue(() => area(page).inputValue(), '')
    await waitForVisible(bar(page).getByRole('button', { name: '3 changes will be sent' }))

    // With the page, but without the way to send.
    await blockWrites(page)
    await page.context().setOffline(false)
    await page.reload()
    await waitForValue(() => waiting(page).count(), 3)
    expect(await commentsOf(cast, id)).toEqual(['Which plan?'])
    await allowWrites(page)
    await waitForValue(
      () => commentsOf(cast, id).then((all) => all.toSorted()),
      ['First', 'Second', 'The one of Monday', 'Which plan?'],
    )
    await waitForHidden(waiting(page).first())
    const all = await commentsOf(cast, id)
    expect(all.indexOf('First')).toBeLessThan(all.indexOf('Second'))
    expect(await page.locator('.comments').getByText('First', { exact: true }).count()).toBe(1)
  })

  test('formatted text waits as it looks, can be edited, is kept by a reload, and is sent once', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, { ...offline, isFormatted: true })
    const text = richText(page, 'Comment')
    await waitForVisible(text)
    await text.click()
    await page.keyboard.type('@bob')
    await page.getByRole('option', { name: 'Bob Moore' }).click()
    await page.context().setOffline(true)
    await page.keyboard.type('**first**\n- [ ] then\n\n```js run()')
    await page.keyboard.press('Control+Enter')
    await waitForValue(() => text.textContent(), '')
    const comments = page.locator('.comments li')
    const row = (words: string) => comments.filter({ has: page.locator('.pending-note') }).filter({ hasText: words })
    await waitForVisible(row('first').locator('strong').getByText('first', { exact: true }))
    await waitForVisible(row('first').locator('.mention').getByText('@Bob Moore', { exact: true }))
    await waitForVisible(row('first').getByRole('checkbox', { name: 'then' }))
    await waitForVisible(row('first').locator('code.language-js'))

    // The focus has stayed in the text.
    await page.keyboard.type('_scond_')
    await page.keyboard.press('Control+Enter')
    await waitForVisible(row('scond').locator('em'))
    await page.keyboard.type('a `third`')
    await row('scond').getByRole('button', { name: 'Edit' }).click()
    await waitForHidden(row('scond'))
    await waitForVisible(text.locator('em').getByText('scond'))
    await waitForVisible(text.locator('code').getByText('third'))
    await text.focus()
    await page.keyboard.type(' one')
    await page.keyboard.press('Control+Enter')
    await waitForVisible(row('third one'))
    await page.keyboard.type('a **draft**')

    await blockWrites(page)
    await page.context().setOffline(false)
    await page.reload()
    await waitForValue(() => waiting(page).count(), 2)
    await waitForVisible(text.locator('strong').getByText('draft', { exact: true }))
    expect(await commentsOf(cast, id)).toEqual([])
    await allowWrites(page)
    await waitForHidden(waiting(page).first())
    const { data } = await cast.bob.comments.list({ post_id: id })
    const sources = data.map(async (each) =>
      (await cast.raw(cast.ada, `/v2/comments/${each.id}`, { headers: { Accept: 'text/markdown' } })).text(),
    )
    expect(await Promise.all(sources)).toEqual([
      `<@${cast.bob.id}> **first**\n\n- [ ] then\n\n\`\`\`js\nrun()\n\`\`\``,
      '_scond_\n\na `third one`',
    ])
    expect(await text.textContent()).toBe('a draft')
  })

  test('messages, posts, reactions, resolutions and marks wait, are listed, and are sent', async () => {
    const { cast, stop, start } = await startStoppable()
    const { ada, bob, general } = cast
    await ada.channels.join({ channel_id: general.id })
    const { id } = await writePost(cast, bob)
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id] })
    const page = await openPage(cast, ada, `/posts/${id}`, ANY_LOSS)
    await waitForVisible(area(page))
    const go = (name: string) =>
      page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name }).first().click()
    await go('Threads')
    await page.getByRole('link', { name: 'Plans' }).click()
    await waitForVisible(area(page, 'Message'))
    await page.goBack()
    await page.goBack()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'The plan' }))
    await page.getByRole('button', { name: 'Add reaction' }).first().click()
    await waitForVisible(page.getByRole('option').first())
    await waitForPreloads(page)
    await stop()
    await waitForVisible(bar(page).getByText("Can't reach the server."))

    await page.getByRole('option').first().click()
    await page.keyboard.press('e')
    await area(page, 'Note').fill('It holds.')
    await area(page, 'Note').press('Control+Enter')
    await waitForVisible(page.getByRole('region', { name: 'Resolution' }).getByText('It holds.'))
    await page.keyboard.press('c')
    await comment(page, 'Good.')
    await go('Threads')
    await page.getByRole('link', { name: 'Plans' }).click()
    await area(page, 'Message').fill('See you on Monday')
    await area(page, 'Message').press('Enter')
    await waitForVisible(page.getByRole('listitem').filter({ hasText: 'See you on Monday' }).getByText(waitNote))
    await go('Posts')
    await page.getByRole('button', { name: 'New post' }).first().click()
    await chooseChannel(page, 'general')
    await page.getByLabel('Title').fill('The next plan')
    await area(page, 'Text').fill('Is longer.')
    await area(page, 'Text').press('Control+Enter')
    await page.waitForURL(`**/channels/${general.id}`)
    const row = page.getByRole('list', { name: 'Posts that wait to be sent' })
    await waitForVisible(row.getByRole('heading', { name: 'The next plan' }))
    await waitForVisible(row.getByText(waitNote))

    await bar(page)
      .getByRole('button', { name: /changes will be sent/ })
      .click()
    for (const label of ['Comment on “The plan”', 'Message in “Plans”', 'Post in #general', 'Resolve “The plan”'])
      await waitForVisible(dialog(page).getByRole('link', { name: label }))
    await waitForVisible(dialog(page).getByRole('link', { name: /^Reaction/ }))
    await page.keyboard.press('Escape')

    await start()
    await waitForHidden(bar(page).getByRole('button').first())
    await waitForValue(() => messagesOf(cast, thread.id), ['See you on Monday'])
    await waitForValue(
      async () => (await bob.posts.list({ direction: 'asc' })).data.map(({ title }) => title),
      ['The plan', 'The next plan'],
    )
    await waitForValue(() => commentsOf(cast, id), ['Good.'])
    await waitForValue(async () => (await bob.posts.get({ id })).resolution?.resolved_html, '<p>It holds.</p>')
    await waitForValue(async () => (await bob.reactions.listOfSubject({ subject_id: id })).data.length, 1)
    await waitForHidden(row)
  })

  test('is sent once if the response was lost, and by one of two tabs', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, ANY_LOSS)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await waitForVisible(area(other))
    const keys: (string | undefined)[] = []
    await page.context().route('**/v2/posts/*/comments', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.push(route.request().headers()['idempotency-key'])
      // The server has handled it, but nobody hears of it.
      if (keys.length === 1) await route.fetch()
      if (keys.length <= 3) return route.abort()
      await route.continue()
    })
    await waitForVisible(area(page))
    await comment(page, 'Only once')
    await waitForValue(() => keys.length >= 4, true)
    await waitForHidden(waiting(page))
    expect(new Set(keys).size).toBe(1)
    await page.context().setOffline(true)
    await comment(page, 'And this, too')
    await waitForVisible(waiting(other))
    await page.context().setOffline(false)
    await waitForHidden(waiting(page))
    await waitForHidden(waiting(other))
    expect(await commentsOf(cast, id)).toEqual(['Only once', 'And this, too'])
    for (const tab of [page, other])
      await waitForValue(() => tab.locator('.comments .content').allTextContents(), ['Only once', 'And this, too'])
  })

  test('can be cancelled, brought back, and edited', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'Monday?' })
    const page = await openPage(cast, cast.ada, `/posts/${id}`, offline)
    await waitForVisible(area(page))
    await page.context().setOffline(true)
    await comment(page, 'Not this')
    await comment(page, 'Nor thsi')
    await comment(page, 'But this')
    const rowOf = (text: string) => page.locator('.comments li').filter({ hasText: text })
    await rowOf('Not this').getByRole('button', { name: 'Cancel' }).click()
    await waitForHidden(rowOf('Not this'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await rowOf('Not this').getByRole('button', { name: 'Cancel' }).click()
    await area(page).fill('What I am writing')
    await rowOf('Nor thsi').getByRole('button', { name: 'Edit' }).click()
    await waitForHidden(rowOf('Nor thsi'))
    await waitForValue(() => area(page).inputValue(), 'Nor thsi\n\nWhat I am writing')
    await waitForValue(() => area(page).evaluate((element) => element === document.activeElement), true)
    await area(page).fill('Nor this')
    await area(page).press('Control+Enter')
    await page.context().setOffline(false)
    await waitForValue(() => commentsOf(cast, id), ['But this', 'Nor this'])

    // An answer in a thread is still an answer.
    await page.goto(`${cast.baseUrl}/threads/${thread.id}`)
    await waitForVisible(page.getByText('Monday?').last())
    await page.context().setOffline(true)
    await page.getByRole('article').or(page.locator('.message')).filter({ hasText: 'Monday?' }).first().hover()
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await area(page, 'Message').fill('Tuseday')
    await area(page, 'Message').press('Enter')
    await page.locator('.message.pending').getByRole('button', { name: 'Edit' }).click()
    await waitForVisible(page.getByText('Reply to Bob Moore'))
    await area(page, 'Message').fill('Tuesday')
    await area(page, 'Message').press('Enter')
    await page.context().setOffline(false)
    await waitForValue(() => messagesOf(cast, thread.id), ['Monday?', 'Tuesday'])
    expect((await cast.bob.messages.list({ thread_id: thread.id })).data[0]!.parent_id).not.toBeNull()
  })

  test('mentions those who are named, though they were not known offline', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, offline)
    await waitForVisible(area(page))
    await page.context().setOffline(true)
    await comment(page, '@Bob Moore knows')
    await page.context().setOffline(false)
    await waitForValue(async () => (await commentsOf(cast, id))[0]?.includes('class="mention"'), true)
  })
})

describe('what is read offline', () => {
  test('is not listed as a change, and needs nobody if the post is gone by then', async () => {
    const cast = await world()
    const [kept, gone] = [await writePost(cast, cast.bob), await writePost(cast, cast.bob)]
    const page = await openPage(cast, cast.ada, '/posts', offline)
    await waitForVisible(page.getByRole('link', { name: 'The plan' }).nth(1))
    const open = async ({ id }: { id: string }) => {
      await page.locator(`#${id} a[data-row]`).click()
      await waitForVisible(page.getByText('No comments yet'))
      await page.goBack()
    }
    for (const post of [kept, gone]) await open(post)
    const countStored = () => page.evaluate(() => JSON.parse(localStorage.getItem('parley:queue')!).length)
    await waitForValue(countStored, 0)
    await page.context().setOffline(true)
    await waitForVisible(page.getByText('You are offline.'))
    for (const post of [kept, gone]) await open(post)
    await waitForValue(countStored, 2)
    await cast.bob.posts.delete({ id: gone.id })
    await waitForVisible(page.getByText('You can keep reading and writing.'))
    await page.context().setOffline(false)
    await waitForValue(countStored, 0)
    expect(await page.getByText(/not sent/).count()).toBe(0)
  })
})

describe('what was not sent', () => {
  test('says why, and is sent by hand or discarded', async () => {
    const cast = await world()
    const { ada, bob, root } = cast
    const plans = await root.channels.create({ name: 'plans' })
    const hidden = await root.posts.create({ channel_id: plans.id, title: 'Hidden', content_markdown: 'Soon.' })
    const [deleted, kept] = [await writePost(cast, root), await writePost(cast, root)]
    const page = await openPage(cast, ada, '/posts', offline)
    const bringAbout = [
      // Found no longer.
      [hidden.id, 'Hidden from me', () => root.channels.update({ id: plans.id, private: true })],
      [deleted.id, 'Gone', () => root.posts.delete({ id: deleted.id })],
      // Not allowed any more.
      [kept.id, 'Too late', () => root.members.update({ id: ada.id, role: 'viewer' })],
    ] as const
    for (const [at, [id, text, change]] of bringAbout.entries()) {
      await page.goto(`${cast.baseUrl}/posts/${id}`)
      await waitForVisible(area(page))
      await page.context().setOffline(true)
      await comment(page, text)
      await change()
      await page.context().setOffline(false)
      await waitForVisible(
        bar(page).getByText(at === 0 ? '1 change was not sent.' : `${at + 1} changes were not sent.`),
      )
    }
    await bar(page).getByRole('button', { name: 'Show' }).click()
    const row = (text: string) => dialog(page).getByRole('listitem').filter({ hasText: text })
    await waitForValue(() => dialog(page).getByText('Not sent.', { exact: true }).count(), 3)
    await row('Gone').getByRole('button', { name: 'Send now' }).click()
    await waitForVisible(row('Gone').getByText('Not sent.', { exact: true }))
    await root.members.update({ id: ada.id, role: 'member' })
    await row('Too late').getByRole('button', { name: 'Send now' }).click()
    await waitForHidden(row('Too late'))
    for (const text of ['Gone', 'Hidden from me']) {
      await row(text).getByRole('button', { name: 'Discard' }).click()
      await waitForHidden(row(text))
    }
    await waitForVisible(dialog(page).getByText('Everything has been sent.'))
    await page.keyboard.press('Escape')
    await waitForHidden(bar(page).getByRole('button').first())
    expect((await bob.comments.list({ post_id: kept.id })).data).toHaveLength(1)
  })

  test('is what was first tried more than 23 hours ago: it is sent by hand only', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, offline)
    await waitForVisible(area(page))
    await page.context().setOffline(true)
    await comment(page, 'From yesterday')
    await blockWrites(page)
    await page.context().setOffline(false)
    // A page without the app.
    await page.goto(`${cast.baseUrl}/docs`)
    await changeQueue(page, { triedAt: Date.now() - 23 * 3_600_000 - 60_000, sendingSince: null })
    await allowWrites(page)
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    await waitForVisible(page.getByText('It may have been sent already.'))
    expect(await commentsOf(cast, id)).toEqual([])
    await page.getByRole('button', { name: 'Send now' }).click()
    await waitForValue(() => commentsOf(cast, id), ['From yesterday'])
    await waitForHidden(page.getByText('Not sent.', { exact: true }))
  })

  test('is asked about before signing out', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, ANY_LOSS)
    await waitForVisible(area(page))
    await page.route('**/v2/posts/*/comments', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await comment(page, 'One')
    await comment(page, 'Two')
    await waitForValue(() => waiting(page).count(), 2)
    const startSignOut = async () => {
      await page.locator('.workspace-button').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await waitForVisible(
        dialog(page).getByText("2 comments haven't been sent. Signing out deletes what hasn't been sent."),
      )
    }
    await startSignOut()
    await waitForValue(
      () =>
        dialog(page)
          .getByRole('button', { name: 'Cancel' })
          .evaluate((button) => button === document.activeElement),
      true,
    )
    await page.keyboard.press('Enter')
    await waitForHidden(dialog(page))
    await waitForValue(() => waiting(page).count(), 2)
    await startSignOut()
    await dialog(page).getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await waitForVisible(page.getByText('Use the e-mail address you were invited with.'))
    expect(await readStored(page)).not.toContain('Two')
  })

  test('is asked about in the settings, too', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, ANY_LOSS)
    await waitForVisible(area(page))
    await page
      .context()
      .route('**/v2/posts/*/comments', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      )
    await comment(page, 'One')
    await page.goto(`${cast.baseUrl}/settings/security`)
    const question = dialog(page).getByText("1 comment hasn't been sent.")
    for (const name of ['Sign out', 'Sign out everywhere']) {
      await page.getByRole('main').getByRole('button', { name, exact: true }).click()
      await waitForVisible(question)
      await dialog(page).getByRole('button', { name: 'Cancel' }).click()
      await waitForHidden(question)
    }
    expect((await cast.ada.sessions.list()).data.length).toBe(1)
  })

  test('is never sent as somebody else who has signed in since', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, offline)
    await waitForVisible(area(page))
    await waitForPreloads(page)
    await page.context().setOffline(true)
    await comment(page, 'By Ada')
    await blockWrites(page)
    await page.context().setOffline(false)
    await page.goto(`${cast.baseUrl}/docs`)
    await replaceSession(page.context(), cast, (await signedIn(cast, cast.bob)).cookie)
    await allowWrites(page)
    // What is kept on the device still says that it is Ada's.
    await page.context().route('**/v2/me', async (route) => {
      await Bun.sleep(1_500)
      await route.continue()
    })
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    await waitForVisible(page.locator('.sidebar').getByRole('link', { name: 'Bob Moore' }))
    await waitForVisible(area(page))
    expect(await commentsOf(cast, id)).toEqual([])
    expect(await readStored(page)).not.toContain('By Ada')
  })

  test('stays in its editor if the browser has no space left to keep it', async () => {
    const cast = await world()
    const { id } = await writePost(cast, cast.ada)
    const page = await openPage(cast, cast.ada, `/posts/${id}`, offline)
    await waitForVisible(area(page))
    await page.evaluate(() => {
      for (let size = 1 << 20; size > 0; size >>= 1)
        try {
          for (let at = 0; ; at++) localStorage.setItem(`full-${size}-${at}`, 'x'.repeat(size))
        } catch {}
    })
    await comment(page, 'Online as ever')
    await waitForValue(() => commentsOf(cast, id), ['Online as ever'])
    await page.context().setOffline(true)
    await area(page).fill('Nowhere to go')
    await area(page).press('Control+Enter')
    await waitForVisible(problem(page).getByText("You're offline."))
    expect(await area(page).inputValue()).toBe('Nowhere to go')
    await page.context().setOffline(false)
    await waitForHidden(problem(page))
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await waitForValue(() => commentsOf(cast, id), ['Online as ever', 'Nowhere to go'])
  })
})
