import type { Page } from 'playwright-core'
import { close, openQuiet, POST, ROWS, readMemory, repeat, type Site, slowDown, waitUntilQuiet } from './lib/browsers'
import { grouped, median, percentile } from './lib/figures'
import type { Frames, Shown } from './lib/probe'
import { addResult, addSection } from './lib/results'
import { longText, MANY_COMMENTS } from './lib/written'

const COMMENTS = '.comments > ol > li'
const FORMATTED = 'form[aria-label=Comment] .rich'
const MARKDOWN = 'form[aria-label=Comment] textarea'
export const PALETTE = '.palette input'

const RUNS = 5
const LONG_RUNS = 3
const MANY_ROWS = 400
const MAX_WAIT_MS = 2_000
const WHEEL_PX = 120
const WHEEL_EVERY_MS = 40
const SCROLLING_MS = 2_500
const TYPED = 'Typing goes on at the end of a long text, with a few more words, until one hundred keys are pressed. '
const KEY_MS = 80

interface Scrolled extends Frames {
  rows: number
  nodes: number
}

/** How smoothly long lists scroll. */
export async function benchScrolling(site: Site, longPost: string) {
  const rows = [
    await reportScrolling('posts', await repeat(LONG_RUNS, () => measureScrolling(site, '/posts', ROWS, MANY_ROWS))),
    await reportScrolling(
      'comments',
      await repeat(LONG_RUNS, () => measureScrolling(site, longPost, COMMENTS, MANY_COMMENTS)),
    ),
  ]
  addSection(
    'The web app: scrolling',
    `${LONG_RUNS} runs with ${(SCROLLING_MS / 1_000) * 2} seconds of turning the wheel, up and then down, ${WHEEL_PX} pixels every ${WHEEL_EVERY_MS} ms, when that many rows are loaded. Long tasks take more than
50 ms; their number is that of all runs.`,
    ['rows', 'DOM nodes', 'frames, median', '95th percentile', 'longest', 'long tasks', 'longest task'],
    rows,
  )
}

async function reportScrolling(name: string, runs: readonly Scrolled[]): Promise<string[]> {
  const count = Math.min(...runs.map(({ rows }) => rows))
  const p95 = median(runs.map(({ intervals }) => percentile(intervals, 0.95)))
  const long = runs.flatMap(({ longTasks }) => longTasks)
  const nodes = median(runs.map((run) => run.nodes))
  const title = `Web in use: scrolling ${count} ${name}`
  addResult({ name: `${title}, frames at the 95th percentile`, value: p95, unit: 'ms', goal: { max: 20 } })
  addResult({ name: `${title}, long tasks in each run`, value: long.length / runs.length })
  addResult({ name: `${title}, DOM nodes`, value: nodes })
  const intervals = runs.map((run) => median(run.intervals))
  const longest = Math.max(...runs.flatMap((run) => run.intervals))
  return [
    `${count} ${name}`,
    grouped(nodes),
    ...[median(intervals), p95, longest].map((time) => `${time.toFixed(1)} ms`),
    grouped(long.length),
    long.length > 0 ? `${grouped(Math.max(...long))} ms` : '',
  ]
}

/** Scrolls up and down a list of which many rows are loaded. */
async function measureScrolling(site: Site, path: string, selector: string, wanted: number): Promise<Scrolled> {
  const page = await openQuiet(site, path, selector)
  const rows = await loadRows(page, selector, wanted)
  await waitUntilQuiet(page)
  await page.mouse.move(600, 400)
  await page.evaluate(() => {
    window.begun.endFrames = window.probe.recordFrames()
  })
  await turnWheel(page, -WHEEL_PX)
  await turnWheel(page, WHEEL_PX)
  const frames = await page.evaluate(() => window.begun.endFrames!())
  const { Nodes } = await readMemory(page)
  await close(page)
  return { ...frames, rows, nodes: Nodes }
}

/** Scrolls down until so many rows are loaded, or no more come. */
const loadRows = (page: Page, selector: string, wanted: number): Promise<number> =>
  page.evaluate(
    async ([rows, count, timeout]) => {
      const list = () => document.querySelectorAll(rows)
      let [last, since] = [0, performance.now()]
      while (list().length < count && performance.now() - since < timeout) {
        if (list().length > last) [last, since] = [list().length, performance.now()]
        ;[...list()].at(-1)!.scrollIntoView()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return list().length
    },
    [selector, wanted, MAX_WAIT_MS] as const,
  )

async function turnWheel(page: Page, by: number) {
  const end = performance.now() + SCROLLING_MS
  for (let next = performance.now(); next < end; next += WHEEL_EVERY_MS) {
    await page.mouse.wheel(0, by)
    await Bun.sleep(next + WHEEL_EVERY_MS - performance.now())
  }
}

/** How soon a click or a key is answered. */
export async function benchActions(site: Site, post: string) {
  addResult({
    name: 'Web in use: a post opened from the feed on a slow line',
    value: median(await repeat(RUNS, () => measureOpening(site))),
    unit: 'ms',
  })
  addResult({
    name: 'Web in use: the palette opened first',
    value: median(await repeat(RUNS, () => measurePalette(site))),
    unit: 'ms',
    goal: { max: 150 },
  })
  for (const [name, isFormatted] of [
    ['formatted text', true],
    ['Markdown', false],
  ] as const)
    addResult({
      name: `Web in use: from a key to the frame in ${longText.length / 1_000} KB of ${name}, 95th percentile`,
      value: median(
        (await repeat(LONG_RUNS, () => measureTyping(site, post, isFormatted))).map((times) => percentile(times, 0.95)),
      ),
      unit: 'ms',
      goal: { max: 35 },
    })
}

/** Begins to wait for the next click or key, and does it. */
async function timeAction(page: Page, type: 'click' | 'keydown', shown: Shown, act: () => Promise<unknown>) {
  await page.evaluate(
    ([kind, wanted]) => {
      window.begun.time = window.probe.timeFrom(kind, wanted)
    },
    [type, shown] as const,
  )
  await act()
  return page.evaluate(() => window.begun.time!)
}

/** From the click on a post in the feed to the frame that has its title and its text. */
async function measureOpening(site: Site): Promise<number> {
  const page = await openQuiet(site, '/posts', ROWS)
  await slowDown(page)
  const row = page.locator(`${ROWS}:has(.excerpt)`).first()
  const link = row.locator('h2 a')
  const shown = { 'main h1': await link.innerText(), [POST]: (await row.locator('.excerpt').innerText()).slice(0, 20) }
  const time = await timeAction(page, 'click', shown, () => link.click())
  await close(page)
  return time
}

/** From the keys that open the palette for the first time to the frame that has it. */
async function measurePalette(site: Site): Promise<number> {
  const page = await openQuiet(site, '/posts', ROWS)
  const time = await timeAction(page, 'keydown', { [PALETTE]: '' }, () => page.keyboard.press('Control+k'))
  await close(page)
  return time
}

/** From each key to the frame that has its character, at the end of a long comment. */
async function measureTyping(site: Site, post: string, isFormatted: boolean): Promise<number[]> {
  const page = await openQuiet(site, post, FORMATTED)
  const formatted = page.locator(FORMATTED)
  await formatted.click()
  await formatted.evaluate((element, text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, longText)
  const change = page.locator('form[aria-label=Comment]').getByRole('switch')
  if (!isFormatted) await change.click()
  await page.locator(isFormatted ? FORMATTED : MARKDOWN).press('Control+End')
  await waitUntilQuiet(page)
  await page.evaluate(() => {
    window.begun.keys = window.probe.recordKeys()
  })
  await page.keyboard.type(TYPED, { delay: KEY_MS })
  const times = await page.evaluate(() => window.begun.keys!)
  // For the next run, which would find it as a draft.
  if (!isFormatted) await change.click()
  await formatted.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await waitUntilQuiet(page)
  await close(page)
  return times
}
