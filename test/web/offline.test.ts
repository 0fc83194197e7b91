import { describe, expect } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { freePort } from '../postgres'
import { newMigratedDatabase, startTestServer } from '../server'
import { choosePassword, linkFor, signedIn } from '../session/browser'
import { type Person, type World, world } from '../world'
import { openPage, PHONE, test, waitForHidden, waitForValue, waitForVisible } from './browser'

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
        page.getByRole('status').getByText('Keep reading and writing; comments are sent when you are back.'),
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
      await waitForHidden(bar(page).getByRole('button'))
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
    await bar(page).getByRole('button', { name: 'Try now' }).click()
    await waitForHidden(bar(page).getByText("Can't reach the server."))
    await cast.bob.messages.create({ thread_id: thread.id, content_markdown: 'Back again.' })
    await waitForVisible(page.getByText('Back again.', { exact: true }))
  })
})

describe('what a composer could not do', () => {
  test('is said beside its button, can be repeated, and is no longer said when the server is back', async () => {
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
    expect(Math.abs(said.y + said.height / 2 - button.y - button.height / 2)).toBeLessThan(10)
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
