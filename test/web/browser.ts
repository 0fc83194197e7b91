import { test as anyTest, expect, onTestFinished } from 'bun:test'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { bugs } from '../server'
import { signedIn } from '../session/browser'
import type { Person, World } from '../world'
import { startBrowser } from './chromium'

let launched: Promise<Browser> | undefined

/** The one browser of all tests of a process. */
export const theBrowser = () => {
  launched ??= startBrowser()
  return launched
}

/** Time enough on a machine that is busy with other things too. */
const PATIENCE_MS = 20_000

/** A test that takes as long as a browser may take. */
export const test = (name: string, run: () => Promise<void>, limitMs = 90_000) => anyTest(name, run, limitMs)

export interface Visit {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  reducedMotion?: 'reduce' | 'no-preference'
  /** Faults that belong to the test: what the console or the network says of them. */
  expects?: RegExp
  /** For tools that put scripts of their own into the page. */
  bypassCSP?: boolean
}

export const PHONE = { width: 390, height: 844 }

/**
 * A browser in which someone of the cast is signed in, or nobody, and a page of it, open at a path. Everything that the
 * console, the network or the Content-Security-Policy complains about fails the test.
 */
export async function visit(cast: World, who: Person | undefined, path: string, given: Visit = {}): Promise<Page> {
  const context = await newContext(given)
  watch(context, cast.baseUrl, given.expects)
  if (who) {
    const [name, value] = (await signedIn(cast, who)).cookie.split('=') as [string, string]
    await context.addCookies([{ name, value, url: cast.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  }
  const page = await context.newPage()
  await page.goto(cast.baseUrl + path)
  return page
}

async function newContext({ width = 1280, height = 800, expects: _, ...given }: Visit): Promise<BrowserContext> {
  const isPhone = width < 700
  const context = await (await theBrowser()).newContext({
    viewport: { width, height },
    isMobile: isPhone,
    hasTouch: isPhone,
    locale: 'en-US',
    timezoneId: 'UTC',
    ...given,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

/** What the app is expected to cope with: the server says that something may not be, or is not there. */
const IS_AN_ANSWER = /^Failed to load resource: the server responded with a status of 4/

function watch(context: BrowserContext, baseUrl: string, expects: RegExp | undefined) {
  const faults: string[] = []
  const note = (fault: string) => expects?.test(fault) || faults.push(fault)
  context.on('console', (message) => {
    if (message.type() === 'error' && !IS_AN_ANSWER.test(message.text())) note(`console: ${message.text()}`)
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
  onTestFinished(async () => {
    const found = faults.splice(0)
    await context.close()
    expect(found).toEqual([])
    expect(bugs.splice(0)).toEqual([])
  })
}

/** Waits until it can be seen. */
export const shows = (locator: Locator) => locator.waitFor({ state: 'visible' })

/** Waits until it cannot be seen. */
export const hides = (locator: Locator) => locator.waitFor({ state: 'hidden' })

/** Waits until what is read is as expected; tells the difference if it never is. */
export async function becomes<T>(read: () => Promise<T> | T, expected: T): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const value = await read()
    if (Bun.deepEquals(value, expected)) return
    if (performance.now() > deadline) return expect(value as unknown).toEqual(expected)
    await Bun.sleep(30)
  }
}
