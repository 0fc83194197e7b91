import { test as bunTest, expect, onTestFinished } from 'bun:test'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { bugs } from '../server'
import { signedIn } from '../session/browser'
import { type Person, type World, world } from '../world'
import { startBrowser } from './chromium'

let launched: Promise<Browser> | undefined

/** One browser for all tests of a process. */
export const getBrowser = () => {
  launched ??= startBrowser()
  return launched
}

/** A world in which all but the guest are in #general: the sidebar lists the channels that someone is in. */
export async function joinedWorld(): Promise<World> {
  const cast = await world()
  for (const who of [cast.ada, cast.bob, cast.vic]) await who.channels.join({ channel_id: cast.general.id })
  return cast
}

/** Long enough for a busy machine. */
const TIMEOUT_MS = 60_000

/** Close the pages of the test that is running. */
const closers = new Set<() => Promise<unknown>>()

/** A test with a time limit for browsers. Its pages are closed before its own servers stop, which they would report as errors. */
export const test = (name: string, run: () => Promise<void>, limitMs = 300_000) =>
  bunTest(
    name,
    async () => {
      try {
        await run()
      } finally {
        await Promise.all([...closers].map((close) => close()))
      }
    },
    limitMs,
  )

export interface PageOptions {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  reducedMotion?: 'reduce' | 'no-preference'
  /** Console and network errors that the test causes. */
  expectedErrors?: RegExp
  /** For tools that inject scripts into the page. */
  bypassCSP?: boolean
  /** Whether composers show formatted text. Otherwise they show Markdown, where `fill` and `inputValue` are exact. */
  isFormatted?: boolean
  /** Only where it is what is tested: requests that it sends are not seen by `page.route`, and each browser would install it. */
  serviceWorkers?: 'allow' | 'block'
}

export const PHONE = { width: 390, height: 844 }

/**
 * Opens a page at a path in a browser of its own, signed in as one of the cast or as nobody. Errors in the console, of the
 * network or of the Content-Security-Policy fail the test.
 */
export async function openPage(
  cast: World,
  who: Person | undefined,
  path: string,
  given: PageOptions = {},
): Promise<Page> {
  if (who && !given.isFormatted) await who.me.updatePreferences({ writes_markdown: true })
  const context = await newContext(given)
  failOnErrors(context, cast.baseUrl, given.expectedErrors)
  if (who) {
    const [name, value] = (await signedIn(cast, who)).cookie.split('=') as [string, string]
    await context.addCookies([{ name, value, url: cast.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  }
  const page = await context.newPage()
  await page.goto(cast.baseUrl + path)
  return page
}

async function newContext({
  width = 1280,
  height = 800,
  expectedErrors: _,
  isFormatted: __,
  ...given
}: PageOptions): Promise<BrowserContext> {
  const isPhone = width < 700
  const context = await (await getBrowser()).newContext({
    viewport: { width, height },
    isMobile: isPhone,
    hasTouch: isPhone,
    locale: 'en-US',
    timezoneId: 'UTC',
    // Without its transitions, which are nothing but looks, a page takes a tenth less CPU time.
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    ...given,
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  return context
}

/** Responses with a 4xx status, which the app handles. */
const CLIENT_ERROR = /^Failed to load resource: the server responded with a status of 4/

function failOnErrors(context: BrowserContext, baseUrl: string, expectedErrors: RegExp | undefined) {
  const faults: string[] = []
  const note = (fault: string) => expectedErrors?.test(fault) || faults.push(fault)
  context.on('console', (message) => {
    if (message.type() === 'error' && !CLIENT_ERROR.test(message.text())) note(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => void note(`page: ${error.error().stack}`))
  context.on('response', (response) => {
    const url = response.url()
    if (response.status() >= 500) note(`response: ${response.status()} ${url}`)
    if (response.status() === 404 && url.includes('/assets/')) note(`response: 404 ${url}`)
  })
  context.on('request', (request) => {
    const { protocol, origin, href } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== baseUrl) note(`request to another host: ${href}`)
  })
  let closed: Promise<string[]> | undefined
  const closeOnce = async () => {
    const found = faults.splice(0)
    await context.close()
    return found
  }
  const close = () => {
    closed ??= closeOnce()
    return closed
  }
  closers.add(close)
  onTestFinished(async () => {
    closers.delete(close)
    expect(await close()).toEqual([])
    expect(bugs.splice(0)).toEqual([])
  })
}

/** Waits until an element is visible. */
export const waitForVisible = (locator: Locator) => locator.waitFor({ state: 'visible' })

/** Text that is shown formatted, once the editor is there. */
export const richText = (page: Page, name = 'Text') =>
  page.locator('.rich').and(page.getByRole('textbox', { name, exact: true }))

/** Waits until an element is hidden. */
export const waitForHidden = (locator: Locator) => locator.waitFor({ state: 'hidden' })

/** Waits until an element has the focus, as keys that are pressed earlier go elsewhere. */
export const waitForFocus = (locator: Locator) =>
  waitForValue(() => locator.evaluate((element) => element === document.activeElement), true)

/** Waits until Enter in a field would choose this option of its list. */
export const waitForActive = (field: Locator, option: Locator) =>
  waitForValue(async () => {
    const [active, id] = [await field.getAttribute('aria-activedescendant'), await option.getAttribute('id')]
    return active !== null && active === id
  }, true)

/** Chooses the channel of a new post, by the beginning of its name. */
export async function chooseChannel(page: Page, name: string) {
  await page.getByRole('combobox', { name: /^Channel: / }).click()
  await page.getByRole('combobox', { name: 'Find a channel' }).fill(name)
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).click()
}

/** Presses keys that belong together, such as `g` and `m`, without waiting in between: they count for a second only. */
export const pressSequence = (page: Page, ...keys: string[]) => Promise.all(keys.map((key) => page.keyboard.press(key)))

/** What a page shows for this many milliseconds stays, so that tests need not be fast. Until the page is loaded again. */
export const holdTimers = (page: Page, ...held: number[]) =>
  page.evaluate((all) => {
    const { setTimeout } = window
    const stretched = (run: () => void, ms?: number) => setTimeout(run, all.includes(ms!) ? 3_600_000 : ms)
    Object.assign(window, { setTimeout: stretched })
  }, held)

/** Notices and problems stay. */
export const holdNotices = (page: Page) => holdTimers(page, 4_000, 10_000)

/** Waits until a value no longer changes, as the position of a row does while others load. */
export async function waitForRest<T>(read: () => Promise<T>): Promise<T> {
  let value = await read()
  let restsSince = performance.now()
  await waitForValue(async () => {
    const before = value
    await Bun.sleep(100)
    value = await read()
    if (!Bun.deepEquals(value, before)) restsSince = performance.now()
    return performance.now() - restsSince > 600
  }, true)
  return value
}

/** Waits until a value is as expected, and reports the difference if it never is. */
export async function waitForValue<T>(read: () => Promise<T> | T, expected: T): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const value = await read()
    if (Bun.deepEquals(value, expected)) return
    if (performance.now() > deadline) return expect(value as unknown).toEqual(expected)
    await Bun.sleep(30)
  }
}
