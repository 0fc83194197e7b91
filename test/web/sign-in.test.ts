import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { startTestServer } from '../server'
import { choosePassword, linkFor } from '../session/browser'
import { type World, world } from '../world'
import { openPage, PHONE, test, waitForValue, waitForVisible } from './browser'

const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in' })
const pathOf = (page: Page) => page.url().slice(new URL(page.url()).origin.length)
const isGone = (page: Page) => page.getByRole('heading', { name: 'This link is no longer valid' })

async function fill(page: Page, email: string, password: string, workspace?: string) {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  if (workspace !== undefined) await page.getByLabel('Workspace').fill(workspace)
  await signInButton(page).click()
}

/** An e-mail address that is used in this workspace only. */
const rootEmail = ({ slug }: World) => `root@${slug}.example.com`

describe('sign-in links', () => {
  test('the link of the first start signs the admin in, once', async () => {
    const server = await startTestServer()
    const link = new URL((await server.ready)!.signInLink)
    const cast = { baseUrl: server.url } as World
    const page = await openPage(cast, undefined, link.pathname + link.hash)
    await waitForVisible(page.getByText('You will be signed in as'))
    await waitForValue(() => pathOf(page), '/sign-in')
    await waitForValue(() => page.title(), 'Sign in · Parley')
    await waitForValue(() => signInButton(page).evaluate((button) => button === document.activeElement), true)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/posts')
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Posts' }))

    const cookies = await page.context().cookies()
    expect(cookies).toMatchObject([{ name: 'parley_session', httpOnly: true, sameSite: 'Lax' }])
    expect(
      await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })),
    ).not.toMatch(/parley_[\w-]{43}/)
    await page.goBack()
    expect(page.url()).not.toContain('token')

    const second = await openPage(cast, undefined, link.pathname + link.hash)
    await waitForVisible(isGone(second))
    await second.getByRole('link', { name: 'Sign in with a password' }).click()
    await waitForVisible(second.getByLabel('E-mail'))
  })

  test('opening a link does not use it up; using it replaces the current session', async () => {
    const cast = await world()
    const path = `/sign-in#token=${await linkFor(cast, cast.bob)}`
    for (let look = 0; look < 2; look++)
      await waitForVisible((await openPage(cast, undefined, path)).getByText('signed in as Bob Moore'))
    const page = await openPage(cast, cast.ada, path)
    await signInButton(page).click()
    await page.waitForURL('**/posts')
    await waitForVisible(page.getByRole('link', { name: 'Bob Moore' }))
  })

  test('the token of a link is not sent before signing in, and another link replaces it', async () => {
    const cast = await world()
    const [bob, ada] = [await linkFor(cast, cast.bob), await linkFor(cast, cast.ada)]
    const page = await openPage(cast, undefined, '/sign-in')
    await waitForVisible(page.getByLabel('E-mail'))
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url(), JSON.stringify(request.headers())))
    for (const [link, name] of [
      [bob, 'Bob Moore'],
      [ada, 'Ada Lovelace'],
    ] as const) {
      await page.evaluate((hash) => location.assign(hash), `#token=${link}`)
      await waitForVisible(page.getByText(`signed in as ${name}`))
      await waitForValue(() => pathOf(page), '/sign-in')
    }
    await signInButton(page).click()
    await page.waitForURL('**/posts')
    await waitForVisible(page.getByRole('link', { name: 'Ada Lovelace' }))
    for (const secret of [bob, ada]) expect(asked.join()).not.toContain(secret)
    for (let step = 0; step < 3; step++) {
      await page.goBack().catch(() => {})
      expect(page.url()).not.toContain('token')
    }
  })

  test('a link with its token in the query still works, and the token is removed from the URL', async () => {
    const cast = await world()
    const page = await openPage(cast, undefined, `/sign-in?token=${await linkFor(cast, cast.bob)}`)
    await waitForVisible(page.getByText('signed in as Bob Moore'))
    await waitForValue(() => pathOf(page), '/sign-in')
    await signInButton(page).click()
    await page.waitForURL('**/posts')
    await waitForVisible(page.getByRole('link', { name: 'Bob Moore' }))
  })

  test('an expired or invalid link says so', async () => {
    const weekAgo = 8 * 24 * 60 * 60_000
    let offset = -weekAgo
    const server = await startTestServer({}, { clock: () => Date.now() + offset })
    const cast = await world(server)
    const link = await linkFor(cast, cast.ada)
    offset = 0
    for (const token of [link, 'nonsense', '"><script>alert(1)</script>'])
      await waitForVisible(
        isGone(await openPage(cast, undefined, `/sign-in#token=${encodeURIComponent(token)}`, PHONE)),
      )
  })
})

describe('passwords', () => {
  test('a password signs in; a wrong e-mail address and a wrong password get the same message', async () => {
    const cast = await world()
    await choosePassword(cast, cast.root, 'correct horse battery')
    const page = await openPage(cast, undefined, '/')
    await page.waitForURL('**/sign-in')
    await waitForValue(() => page.getByLabel('E-mail').evaluate((field) => field === document.activeElement), true)
    const answers: (string | null)[] = []
    for (const [email, password] of [
      [rootEmail(cast), 'wrong horse battery'],
      ['nobody@example.com', 'correct horse battery'],
    ] as const) {
      const [answer] = await Promise.all([page.waitForResponse('**/session'), fill(page, email, password)])
      expect(answer.status()).toBe(401)
      await waitForVisible(page.getByRole('alert'))
      answers.push(await page.getByRole('alert').textContent())
      expect(await page.getByLabel('E-mail').inputValue()).toBe(email)
    }
    expect(answers[0]).toBe(answers[1]!)
    await fill(page, rootEmail(cast), 'correct horse battery')
    await page.waitForURL('**/posts')
    await waitForVisible(page.getByRole('link', { name: 'Root Admin' }))
  })

  test('a member of several workspaces is asked which one to open', async () => {
    const server = await startTestServer()
    const [one, other] = [await world(server), await world(server)]
    for (const cast of [one, other]) await choosePassword(cast, cast.ada, 'correct horse battery')
    const page = await openPage(one, undefined, '/sign-in?to=%2Fmembers')
    await fill(page, 'ada@example.com', 'correct horse battery')
    await waitForVisible(page.getByLabel('Workspace'))
    await fill(page, 'ada@example.com', 'correct horse battery', other.slug)
    await page.waitForURL('**/members')
    await waitForValue(() => page.title().then((title) => title.includes(other.slug)), true)
  })
})

describe('signed out', () => {
  test('every page asks to sign in, then returns to the requested page', async () => {
    const cast = await world()
    await choosePassword(cast, cast.root, 'correct horse battery')
    const page = await openPage(cast, undefined, '/posts?resolved=true&sort=activity')
    await page.waitForURL('**/sign-in?to=*')
    await fill(page, rootEmail(cast), 'correct horse battery')
    await page.waitForURL('**/posts?resolved=true&sort=activity')
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Resolved posts' }))
  })

  test('the return address cannot leave the app', async () => {
    const cast = await world()
    await choosePassword(cast, cast.root, 'correct horse battery')
    const page = await openPage(cast, undefined, '/sign-in')
    for (const to of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/\t/evil.example/',
      '/.//evil.example/',
      'javascript:document.title="evil"',
    ]) {
      await page.goto(`${cast.baseUrl}/sign-in?to=${encodeURIComponent(to)}`)
      await fill(page, rootEmail(cast), 'correct horse battery')
      await page.waitForURL(({ pathname }) => pathname !== '/sign-in')
      const { origin } = new URL(page.url())
      const isEvil = (await page.title()).includes('evil')
      expect([to, origin, isEvil]).toEqual([to, cast.baseUrl, false])
    }
  })

  test('reloading without a session asks to sign in', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(page.getByText('No posts yet'))
    await page.context().clearCookies()
    await page.reload()
    await page.waitForURL('**/sign-in?to=%2Fposts')
  })
})
