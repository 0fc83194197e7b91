import type { BrowserContext, Page } from 'playwright-core'
import {
  close,
  ENTRIES,
  findReader,
  open,
  openQuiet,
  POST,
  ROWS,
  readCodeSize,
  readMemory,
  readMetrics,
  repeat,
  type Site,
  slowDown,
  waitUntilKept,
  waitUntilQuiet,
} from './lib/browsers'
import { grouped, median } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { size } from './lib/settings'
import { createPosts } from './lib/written'
import { benchActions, benchScrolling, PALETTE } from './web-frames'

const RUNS = 5
/** A page without the app, on the same server. */
const PLAIN = '/docs/errors'
const FEW_ROUNDS = 20
const MANY_ROUNDS = 200

interface KnownPage {
  name: string
  path: string
  /** What is there when it can be read. */
  content: string
  /** A part of the key of its response. */
  key: string
}

/** What the web app costs those who use it: pages they know, scrolling, keys, and memory after a while. */
export async function benchWebUse(site: Site) {
  const { post, longPost } = await createPosts(site.client, (await findReader(site.client)).id)
  const pages: KnownPage[] = [
    { name: 'posts', path: '/posts', content: ROWS, key: '"posts"' },
    { name: 'a post', path: `/posts/${post}`, content: POST, key: post },
    { name: 'inbox', path: '/inbox', content: ENTRIES, key: '"inbox"' },
  ]
  await benchKnownPages(site, pages)
  await benchLoads(site, pages)
  await benchScrolling(site, `/posts/${longPost}`)
  await benchActions(site, pages[1]!.path)
  await benchLongUse(site)
}

async function benchKnownPages(site: Site, pages: readonly KnownPage[]) {
  const runs = await repeat(RUNS, () => measureKnownPages(site, pages))
  for (const [at, { name }] of pages.entries())
    addResult({
      name: `Web in use: known page on a slow line, ${name}`,
      value: median(runs.map((times) => times[at]!)),
      unit: 'ms',
      goal: { max: 1_000 },
    })
}

/** Milliseconds until each page can be read, on a slow line, by someone who has been there before. */
async function measureKnownPages(site: Site, pages: readonly KnownPage[]): Promise<number[]> {
  const context = await visitAll(site, pages)
  const times: number[] = []
  for (const known of pages) times.push(await measureKnownPage(context, site.base, known))
  await context.close()
  return times
}

/** Opens each page once, until the device keeps it. */
async function visitAll({ browser, base, cookies }: Site, pages: readonly KnownPage[]): Promise<BrowserContext> {
  const page = await open(browser, cookies)
  for (const { path, content } of pages) {
    await page.goto(base + path)
    await page.locator(content).first().waitFor()
    await waitUntilQuiet(page)
  }
  await waitUntilKept(
    page,
    pages.map(({ key }) => key),
  )
  await page.close()
  return page.context()
}

async function measureKnownPage(context: BrowserContext, base: string, { path, content }: KnownPage): Promise<number> {
  const page = await context.newPage()
  await page.goto(base + PLAIN)
  await page.addInitScript((selector) => {
    window.begun.time = window.probe.waitUntilPainted({ [selector]: '' })
  }, content)
  await slowDown(page)
  await page.goto(base + path, { waitUntil: 'commit' })
  const time = await page.evaluate(() => window.begun.time!)
  await page.close()
  return time
}

/** In milliseconds. */
interface Load {
  /** Tasks of the main thread, with the time in which others had the processor. */
  tasks: number
  script: number
  /** Processor time of the main thread. */
  cpu: number
  /** When the largest part was painted. */
  lcp: number
}

async function benchLoads(site: Site, pages: readonly KnownPage[]) {
  const rows: string[][] = []
  for (const known of pages) {
    const loads = await repeat(RUNS, () => measureLoads(site, known))
    rows.push(
      reportLoad(`a first visit, ${known.name}`, mediansOf(loads.map(({ first }) => first))),
      reportLoad(`a known page, ${known.name}`, mediansOf(loads.map(({ again }) => again))),
    )
  }
  addSection(
    `The web app: loading pages, ${grouped(size.medium)} posts`,
    `Medians of ${RUNS} visits with an empty cache, and of the visits after them. Tasks are those of the main thread until all is loaded and it is
quiet, with the time in which something else had the processor.`,
    ['page', 'tasks', 'scripts', 'CPU time', 'largest contentful paint'],
    rows,
  )
}

function reportLoad(name: string, { tasks, script, cpu, lcp }: Load): string[] {
  addResult({ name: `Web in use: tasks of ${name}`, value: tasks, unit: 'ms' })
  addResult({ name: `Web in use: CPU time of ${name}`, value: cpu, unit: 'ms' })
  addResult({ name: `Web in use: largest contentful paint of ${name}`, value: lcp, unit: 'ms' })
  return [name, ...[tasks, script, cpu, lcp].map((time) => `${grouped(time)} ms`)]
}

const mediansOf = (loads: readonly Load[]): Load => ({
  tasks: median(loads.map(({ tasks }) => tasks)),
  script: median(loads.map(({ script }) => script)),
  cpu: median(loads.map(({ cpu }) => cpu)),
  lcp: median(loads.map(({ lcp }) => lcp)),
})

/** A first visit to a page, and another one when all of it is known. */
async function measureLoads({ browser, base, cookies }: Site, { path, content, key }: KnownPage) {
  const page = await open(browser, cookies)
  const first = await measureLoad(page, base + path, content)
  await waitUntilKept(page, [key])
  await page.close()
  const again = await measureLoad(await page.context().newPage(), base + path, content)
  await close(page)
  return { first, again }
}

async function measureLoad(page: Page, url: string, content: string): Promise<Load> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await page.goto(url)
  await page.locator(content).first().waitFor()
  await waitUntilQuiet(page)
  const { TaskDuration, ScriptDuration, ThreadTime } = await readMetrics(session)
  const [tasks, script, cpu] = [TaskDuration, ScriptDuration, ThreadTime].map((seconds) => seconds * 1_000)
  return { tasks: tasks!, script: script!, cpu: cpu!, lcp: await page.evaluate(readLargestPaint) }
}

const readLargestPaint = () =>
  new Promise<number>((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1)!.startTime)).observe({
      type: 'largest-contentful-paint',
      buffered: true,
    })
  })

/** The memory of a page that is used for long, without a reload. */
async function benchLongUse(site: Site) {
  const page = await openQuiet(site, '/posts', ROWS)
  for (let round = 0; round < FEW_ROUNDS; round++) await useOnce(page, round)
  const few = await measureHeap(page)
  for (let round = FEW_ROUNDS; round < MANY_ROUNDS; round++) await useOnce(page, round)
  const many = await measureHeap(page)
  await close(page)
  const name = `after ${MANY_ROUNDS} rounds relative to ${FEW_ROUNDS}`
  addResult({ name: `Web in use: heap ${name}`, value: many.heap / few.heap, goal: { max: 1.1 } })
  addResult({
    name: `Web in use: heap without code ${name}`,
    value: (many.heap - many.code) / (few.heap - few.code),
    goal: { max: 1.1 },
  })
  addSection(
    'The web app: memory in use',
    'In each round, a post is opened from the feed, then the feed, the palette, the inbox and the feed again, in one page.',
    ['rounds', 'JavaScript heap', 'of that, code', 'DOM nodes', 'listeners'],
    [few, many].map(({ heap, code, nodes, listeners }, at) => [
      grouped([FEW_ROUNDS, MANY_ROUNDS][at]!),
      ...[heap, code].map((bytes) => `${(bytes / 1_000_000).toFixed(1)} MB`),
      ...[nodes, listeners].map(grouped),
    ]),
  )
}

/** The code in the heap is that of the browser: it compiles what is run often, for as long as it runs. */
async function measureHeap(page: Page) {
  const { JSHeapUsedSize, Nodes, JSEventListeners } = await readMemory(page)
  return { heap: JSHeapUsedSize, code: await readCodeSize(page), nodes: Nodes, listeners: JSEventListeners }
}

/** Posts of the first page, so that what is known of them is the same in later rounds. */
const POSTS_OPENED = 10

async function useOnce(page: Page, round: number) {
  const rows = page.locator(ROWS)
  await rows
    .nth(round % POSTS_OPENED)
    .locator('h2 a')
    .click()
  await page.locator(POST).waitFor()
  await page.goBack()
  await rows.first().waitFor()
  await page.keyboard.press('Control+k')
  await page.locator(PALETTE).waitFor()
  await page.keyboard.press('Escape')
  await page.locator(PALETTE).waitFor({ state: 'detached' })
  await go(page, 'i', ENTRIES)
  await go(page, 'p', ROWS)
}

/** Goes to another page by its keys. */
async function go(page: Page, key: string, content: string) {
  await page.keyboard.press('g')
  await page.keyboard.press(key)
  await page.locator(content).first().waitFor()
}
