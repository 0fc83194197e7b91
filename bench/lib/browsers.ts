import type { Browser, CDPSession, Page } from 'playwright-core'
import { type Client, createClient } from '../../test/client'
import { type Dataset, runParley } from './dataset'
import { installProbe } from './probe'

/** A phone at the edge of its network. */
const SLOW_LINE = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
export const ROWS = 'ol[aria-label=Posts] > li'

export const POST = 'article[aria-label=Post]'
export const ENTRIES = 'ol[aria-label=Inbox] > li'

export type Cookies = Parameters<Awaited<ReturnType<Browser['newContext']>>['addCookies']>[0]

/** A server, and a browser of a member. */
export interface Site {
  browser: Browser
  base: string
  cookies: Cookies
  client: Client
}

/** The member who uses the web app. */
export const findReader = async (client: Client) =>
  (await client.members.list({ roles: ['member'], limit: 1 })).data[0]!

/** Their session, by a link from the command line. */
export async function signIn(browser: Browser, base: string, { url, token }: Dataset): Promise<Cookies> {
  const { user } = await findReader(createClient({ baseUrl: base, token }))
  const link = new URL(runParley(url, 'member', 'link', '--email', user.email).match(/http\S+/)![0])
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(base + link.pathname + link.hash)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/posts')
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

/** A page in a browser that has never been here. */
export async function open(browser: Browser, cookies: Cookies): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: 'allow' })
  await context.addCookies(cookies)
  await context.addInitScript(installProbe)
  return context.newPage()
}

export async function slowDown(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', SLOW_LINE)
}

type Metric = 'Nodes' | 'JSHeapUsedSize' | 'JSEventListeners' | 'TaskDuration' | 'ScriptDuration' | 'ThreadTime'

export async function readMetrics(session: CDPSession): Promise<Record<Metric, number>> {
  const { metrics } = await session.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value])) as Record<Metric, number>
}

/** What is in memory once the garbage is gone. */
export async function readMemory(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await session.send('HeapProfiler.collectGarbage')
  const metrics = await readMetrics(session)
  await session.detach()
  return metrics
}

/** The bytes of the heap that are code, which V8 compiles for longer than anything is measured. */
export async function readCodeSize(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  const { snapshot, nodes }: HeapSnapshot = JSON.parse(chunks.join(''))
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')]
  const code = types[type]!.indexOf('code')
  let bytes = 0
  for (let at = 0; at < nodes.length; at += fields.length) if (nodes[at + type] === code) bytes += nodes[at + size]!
  return bytes
}

interface HeapSnapshot {
  snapshot: { meta: { node_fields: string[]; node_types: string[][] } }
  /** As many numbers for each node as there are fields. */
  nodes: number[]
}

/** Waits until nothing has been loaded for a while: what is loaded beforehand is there. */
export const waitUntilQuiet = (page: Page, quietMs = 1_500) =>
  page.evaluate(async (ms) => {
    const count = () => performance.getEntriesByType('resource').length
    let [last, since] = [count(), performance.now()]
    while (performance.now() - since < ms) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      if (count() > last) [last, since] = [count(), performance.now()]
    }
  }, quietMs)

const QUIET_MS = 2_000

/** Opens a page that needs nothing more for now. */
export async function openQuiet({ browser, base, cookies }: Site, path: string, content: string): Promise<Page> {
  const page = await open(browser, cookies)
  await page.goto(base + path)
  await page.locator(content).first().waitFor()
  await waitUntilQuiet(page, QUIET_MS)
  return page
}

export const close = (page: Page) => page.context().close()

/** The results of several runs, one after the other. */
export async function repeat<T>(runs: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let at = 0; at < runs; at++) results.push(await run())
  return results
}

/** Waits until the device keeps the app, and the responses whose keys contain these words. */
export const waitUntilKept = (page: Page, words: readonly string[]) =>
  page.waitForFunction(
    async (wanted) => {
      if (navigator.serviceWorker.controller?.state !== 'activated') return false
      if (!(await caches.match('/posts', { ignoreVary: true }))) return false
      const opened = indexedDB.open('parley')
      await new Promise((resolve) => {
        opened.onsuccess = resolve
      })
      const keys = opened.result.transaction('queries').objectStore('queries').getAllKeys()
      await new Promise((resolve) => {
        keys.onsuccess = resolve
      })
      opened.result.close()
      return wanted.every((word) => keys.result.some((key) => String(key).includes(word)))
    },
    words,
    { polling: 200 },
  )
