import type { Browser, Page } from 'playwright-core'
import { createClient } from '../src/client'
import { startBrowser } from '../test/web/chromium'
import { dataset } from './lib/dataset'
import { grouped, option, summarize, table } from './lib/figures'
import { addResult } from './lib/results'
import { root, startParley } from './lib/servers'

const posts = option('posts', 100_000)
const VISITS = 7
const FEW = 400
const MANY = 2_000
const TIMEOUT_MS = 10_000
const ROWS = 'ol[aria-label=Posts] > li'

/** What the web app costs a browser: bytes, the time until one reads and can act, and memory while one scrolls. */
export async function benchWeb() {
  const { database, url, token } = await dataset(posts)
  const server = await startParley(url)
  const browser = await startBrowser()
  try {
    const base = `http://localhost:${server.port}`
    const cookies = await signIn(browser, base, database, token)
    const visits: Visit[] = []
    for (let visit = 0; visit <= VISITS; visit++) {
      const measured = await firstVisit(browser, base, cookies)
      if (visit > 0) visits.push(measured)
    }
    const scrolled = await scrolling(browser, base, cookies)
    report(visits, scrolled)
  } finally {
    await browser.close()
    await server.stop()
  }
}

type Cookies = Parameters<Awaited<ReturnType<Browser['newContext']>>['addCookies']>[0]

/** The session of some member of the workspace, by a link of the command line. */
async function signIn(browser: Browser, base: string, database: string, token: string): Promise<Cookies> {
  const { data } = await createClient({ baseUrl: base, token }).members.list({ roles: ['member'], limit: 1 })
  const { stdout } = Bun.spawnSync(
    [process.execPath, 'src/main.ts', 'member', 'link', '--email', data[0]!.user.email, '--workspace', 'bench'],
    { cwd: root, env: { ...process.env, DATABASE_URL: `sqlite:${database}` } },
  )
  const link = new URL(stdout.toString().match(/http\S+/)![0])
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(base + link.pathname + link.search)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/posts')
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

async function open(browser: Browser, cookies: Cookies): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.addCookies(cookies)
  return context.newPage()
}

interface Visit {
  bytes: number
  painted: number
  interactive: number
}

/** A visit with nothing in the cache. It is interactive when `j` puts the focus on the first post. */
async function firstVisit(browser: Browser, base: string, cookies: Cookies): Promise<Visit> {
  const page = await open(browser, cookies)
  await page.addInitScript(() => {
    const attempt = () => {
      document.body?.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
      if (document.activeElement?.matches('[data-row]')) Object.assign(window, { interactiveAt: performance.now() })
      else requestAnimationFrame(attempt)
    }
    requestAnimationFrame(attempt)
  })
  await page.goto(`${base}/posts`)
  await page.waitForFunction(
    () => 'interactiveAt' in window && performance.getEntriesByName('first-contentful-paint').length > 0,
  )
  const measured = await page.evaluate(() => ({
    bytes: (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    painted: performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
    interactive: (window as unknown as { interactiveAt: number }).interactiveAt,
  }))
  await page.context().close()
  return measured
}

interface Held {
  posts: number
  rows: number
  nodes: number
  heap: number
}

/** What the browser holds after so many posts went by, and after many more. */
async function scrolling(browser: Browser, base: string, cookies: Cookies): Promise<[Held, Held]> {
  const page = await open(browser, cookies)
  await page.goto(`${base}/posts`)
  await page.waitForSelector(ROWS)
  const few = await held(page, await scrollPast(page, FEW))
  const many = await held(page, await scrollPast(page, MANY))
  await page.context().close()
  return [few, many]
}

/** Scrolls down until so many different posts were there. Where no more come, it says so. */
const scrollPast = (page: Page, count: number): Promise<number> =>
  page.evaluate(
    async ([selector, wanted, patience]) => {
      let lastNew = performance.now()
      const here = window as unknown as { passed?: Set<string> }
      here.passed ??= new Set()
      while (here.passed.size < wanted) {
        const rows = [...document.querySelectorAll(selector)]
        const before = here.passed.size
        for (const row of rows) here.passed.add(row.id)
        if (here.passed.size > before) lastNew = performance.now()
        if (performance.now() - lastNew > patience) throw new Error(`No more than ${before} posts came.`)
        rows.at(-1)!.scrollIntoView()
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      return here.passed.size
    },
    [ROWS, count, TIMEOUT_MS] as const,
  )

async function held(page: Page, count: number): Promise<Held> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((metric) => metric.name === name)!.value
  return { posts: count, rows: await page.locator(ROWS).count(), nodes: of('Nodes'), heap: of('JSHeapUsedSize') }
}

function report(visits: Visit[], [few, many]: [Held, Held]) {
  const kilobytes = visits[0]!.bytes / 1_000
  const painted = summarize(visits.map((visit) => visit.painted))
  const interactive = summarize(visits.map((visit) => visit.interactive))
  const part = (spread: number) => `± ${Math.round(spread * 100)} %`
  console.log(`\n## The web app, ${grouped(posts)} posts\n`)
  console.log(`${VISITS} first visits, nothing in the cache; server and browser on the same machine.\n`)
  console.log(
    table(
      ['the first page', 'figure'],
      [
        ['JavaScript, compressed', `${kilobytes.toFixed(1)} KB`],
        ['first contentful paint', `${Math.round(painted.median)} ms ${part(painted.spread)}`],
        ['interactive: `j` goes to the first post', `${Math.round(interactive.median)} ms ${part(interactive.spread)}`],
      ],
    ),
  )
  console.log('')
  console.log(
    table(
      ['posts scrolled past', 'rows', 'DOM nodes', 'JavaScript heap'],
      [few, many].map(({ posts, rows, nodes, heap }) => [
        grouped(posts),
        grouped(rows),
        grouped(nodes),
        `${(heap / 1_000_000).toFixed(1)} MB`,
      ]),
    ),
  )
  const size = `${grouped(posts)} posts`
  addResult({
    question: 'Web: JavaScript of the first page',
    goal: { at: 'most', value: 130, unit: 'KB' },
    value: kilobytes,
  })
  addResult({
    question: `Web: first contentful paint, ${size}`,
    value: painted.median,
    shown: `${Math.round(painted.median)} ms`,
  })
  addResult({
    question: `Web: interactive, ${size}`,
    value: interactive.median,
    shown: `${Math.round(interactive.median)} ms`,
  })
  addResult({
    question: `Web: memory after ${grouped(MANY)} posts over that after ${FEW}`,
    goal: { at: 'most', value: 1.5 },
    value: many.heap / few.heap,
  })
}
