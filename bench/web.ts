import type { Browser, Page } from 'playwright-core'
import { createClient } from '../test/client'
import { startBrowser } from '../test/web/chromium'
import { type Cookies, open, ROWS, readMemory, signIn, slowDown } from './lib/browsers'
import { copyDataset } from './lib/dataset'
import { grouped, median } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { startParley } from './lib/servers'
import { isQuick, size } from './lib/settings'
import { benchWebUse } from './web-use'

const VISITS = 7
const FEW = 400
const MANY = 2_000
const TIMEOUT_MS = 10_000

/** What the web app costs a browser: bytes, the time until it can be read and used, and memory while scrolling. */
export async function benchWeb() {
  if (isQuick) return // The browser tests open the same pages.
  const data = await copyDataset('medium', 'SQLite')
  const server = await startParley(data)
  const browser = await startBrowser()
  try {
    const base = `http://localhost:${server.port}`
    const cookies = await signIn(browser, base, data)
    const visit = () => measureVisit(browser, base, cookies)
    const slowVisit = () => measureVisit(browser, base, cookies, { isSlow: true })
    report(await repeatVisit(visit), await repeatVisit(slowVisit), await measureScrolling(browser, base, cookies))
    await benchWebUse({ browser, base, cookies, client: createClient({ baseUrl: base, token: data.token }) })
  } finally {
    await browser.close()
    await server.stop()
    await data.remove()
  }
}

/** Without the first visit, for which the server compresses its files. */
async function repeatVisit(visit: () => Promise<Visit>): Promise<Visit[]> {
  const visits: Visit[] = []
  for (let at = 0; at <= VISITS; at++) visits.push(await visit())
  return visits.slice(1)
}

interface Visit {
  bytes: number
  painted: number
  /** When the first post is on the page. */
  content: number
  interactive: number
}

/** A visit with an empty cache. The page is interactive when `j` moves the focus to the first post. */
async function measureVisit(browser: Browser, base: string, cookies: Cookies, { isSlow = false } = {}): Promise<Visit> {
  const page = await open(browser, cookies)
  if (isSlow) await slowDown(page)
  await page.addInitScript((rows) => {
    const marks = window as unknown as Record<'contentAt' | 'interactiveAt', number | undefined>
    const attempt = () => {
      if (document.querySelector(rows)) marks.contentAt ??= performance.now()
      document.body?.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
      if (document.activeElement?.matches('[data-row]')) marks.interactiveAt = performance.now()
      else requestAnimationFrame(attempt)
    }
    requestAnimationFrame(attempt)
  }, ROWS)
  await page.goto(`${base}/posts`, { waitUntil: 'commit' })
  await page.waitForFunction(
    () => 'interactiveAt' in window && performance.getEntriesByName('first-contentful-paint').length > 0,
  )
  const measured = await page.evaluate(() => {
    const { contentAt, interactiveAt } = window as unknown as { contentAt: number; interactiveAt: number }
    return {
      // What is loaded later is for the next pages.
      bytes: (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name, startTime }) => name.endsWith('.js') && startTime < interactiveAt)
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      painted: performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
      content: contentAt,
      interactive: interactiveAt,
    }
  })
  await page.context().close()
  return measured
}

interface MemoryUse {
  posts: number
  rows: number
  nodes: number
  heap: number
}

/** The memory of the browser after a few hundred posts were scrolled past, and after many more. */
async function measureScrolling(browser: Browser, base: string, cookies: Cookies): Promise<[MemoryUse, MemoryUse]> {
  const page = await open(browser, cookies)
  await page.goto(`${base}/posts`)
  await page.waitForSelector(ROWS)
  const few = await measureMemory(page, await scrollPast(page, FEW))
  const many = await measureMemory(page, await scrollPast(page, MANY))
  await page.context().close()
  return [few, many]
}

/** Scrolls down until this many different posts were shown; fails when no more appear. */
const scrollPast = (page: Page, count: number): Promise<number> =>
  page.evaluate(
    async ([selector, wanted, timeout]) => {
      let lastNew = performance.now()
      const here = window as unknown as { passed?: Set<string> }
      here.passed ??= new Set()
      while (here.passed.size < wanted) {
        const rows = [...document.querySelectorAll(selector)]
        const before = here.passed.size
        for (const row of rows) here.passed.add(row.id)
        if (here.passed.size > before) lastNew = performance.now()
        if (performance.now() - lastNew > timeout) throw new Error(`Only ${before} posts appeared.`)
        rows.at(-1)!.scrollIntoView()
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      return here.passed.size
    },
    [ROWS, count, TIMEOUT_MS] as const,
  )

async function measureMemory(page: Page, count: number): Promise<MemoryUse> {
  const { Nodes, JSHeapUsedSize } = await readMemory(page)
  return { posts: count, rows: await page.locator(ROWS).count(), nodes: Nodes, heap: JSHeapUsedSize }
}

function report(visits: Visit[], slowVisits: Visit[], [few, many]: [MemoryUse, MemoryUse]) {
  const kilobytes = visits[0]!.bytes / 1_000
  const painted = median(visits.map((visit) => visit.painted))
  const interactive = median(visits.map((visit) => visit.interactive))
  const slowPainted = median(slowVisits.map((visit) => visit.painted))
  const slowContent = median(slowVisits.map((visit) => visit.content))
  const count = `${grouped(size.medium)} posts`
  addResult({ name: 'Web: JavaScript of the first page', value: kilobytes, unit: 'KB', goal: { max: 130 } })
  addResult({ name: `Web: first contentful paint, ${count}`, value: painted, unit: 'ms' })
  addResult({ name: `Web: interactive, ${count}`, value: interactive, unit: 'ms' })
  addResult({
    name: 'Web: first contentful paint on a slow line',
    value: slowPainted,
    unit: 'ms',
    goal: { max: 1_500 },
  })
  addResult({ name: 'Web: first post on a slow line', value: slowContent, unit: 'ms' })
  addResult({
    name: `Web: memory after ${grouped(MANY)} posts relative to ${FEW}`,
    value: many.heap / few.heap,
    goal: { max: 1.5 },
  })
  addSection(
    `The web app, ${count}`,
    `${VISITS} first visits with an empty cache, server and browser on the same machine: ${kilobytes.toFixed(1)} KB of JavaScript, first contentful
paint after ${Math.round(painted)} ms, interactive after ${Math.round(interactive)} ms. On a slow line (400 ms for each request, 50 KB/s): first contentful paint
after ${grouped(slowPainted)} ms, the first post after ${grouped(slowContent)} ms. Then the list of posts is scrolled:`,
    ['posts scrolled past', 'rows', 'DOM nodes', 'JavaScript heap'],
    [few, many].map(({ posts, rows, nodes, heap }) => [
      grouped(posts),
      grouped(rows),
      grouped(nodes),
      `${(heap / 1_000_000).toFixed(1)} MB`,
    ]),
  )
}
