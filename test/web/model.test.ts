import { describe } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Event as ApiEvent } from '../../src/contract/events'
import type { Post } from '../../src/contract/posts'
import { newRandom, type Random } from '../random-writes'
import { runs } from '../walk'
import { type World, world } from '../world'
import { openPage, test, waitForVisible } from './browser'
import { type Browser, go, inBrowser, type Scene, throughApi } from './model-actions'
import { describeDifference, expectedMain, expectedSidebar, type Lines, readPage } from './model-views'

/**
 * The first tier runs one seed, the second another one, which differs from run to run, and PARLEY_TORTURE=long ten long ones.
 * PARLEY_MODEL_SEED (several with commas) and PARLEY_MODEL_ACTIONS set both, to repeat a run. What is random in the browsers is
 * repeated with it, but not how fast the machine is.
 */
const isLong = process.env.PARLEY_TORTURE === 'long'
const randomSeed = () => Math.floor(Math.random() * 1e6)
const seeds = process.env.PARLEY_MODEL_SEED?.split(',').map(Number) ?? [
  1,
  ...Array.from({ length: isLong ? 10 : runs(2) - 1 }, randomSeed),
]
const ACTIONS = Number(process.env.PARLEY_MODEL_ACTIONS ?? (isLong ? 150 : 40))

describe('a model of three browsers', () => {
  for (const seed of seeds)
    test(`each shows what the API says after ${ACTIONS} random actions, and the same after a reload (seed ${seed})`, async () => {
      const journal: string[] = []
      const problems = await run(seed, journal)
      if (problems.length > 0)
        throw new Error(
          shortenIds(
            `With PARLEY_MODEL_SEED=${seed} PARLEY_MODEL_ACTIONS=${ACTIONS}:\n${problems.join('\n')}\n\nWhat was done:\n${journal.join('\n')}`,
          ),
        )
    }, 1_200_000)
})

/** The end of an id is enough to tell it from others. */
const shortenIds = (text: string) => text.replace(/\b([a-z]{2,5})_[0-9a-z]{22}([0-9a-z]{4})\b/g, '$1_$2')

/** Slows the requests of a page, each for another time, tells whether any is under way, and notes what is shown of posts. */
function instrument(seed: number) {
  const state = { pending: 0, last: performance.now(), shown: [] as string[], isCalm: false }
  Object.assign(window, { model: state })
  let random = seed
  const below = (limit: number) => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0
    return random % limit
  }
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const { fetch } = window
  const slowFetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!url.includes('/v2/') || url.includes('/v2/events')) return fetch(input, init)
    state.pending += 1
    try {
      if (!state.isCalm) await sleep(below(4) === 0 ? below(300) : 0)
      const response = await fetch(input, init)
      if (!state.isCalm) await sleep(below(3) === 0 ? below(400) : 0)
      return response
    } finally {
      state.pending -= 1
      state.last = performance.now()
    }
  }
  Object.assign(window, { fetch: slowFetch })
  // While results are compared, nothing is marked as read.
  document.hasFocus = () => sessionStorage.getItem('model-away') === null

  const latest = new Map<string, string>()
  const note = (view: string, id: string, count: string, isResolved: boolean) => {
    const shown = `${count} ${isResolved}`
    if (latest.get(view + id) === shown) return
    latest.set(view + id, shown)
    state.shown.push(`${view} ${id} ${shown}`)
  }
  const look = () => {
    for (const row of document.querySelectorAll('main li.post-row'))
      note(
        'row',
        row.id,
        row.querySelector('.comment-count .count')?.textContent ?? '0',
        row.querySelector('.badge.good') !== null,
      )
    const heading = document.querySelector('#comments')
    const [, id] = /^\/posts\/(post_\w+)/.exec(location.pathname) ?? []
    if (heading && id)
      note(
        'page',
        id,
        /\d+/.exec(heading.textContent!)?.[0] ?? '0',
        document.querySelector('main .resolution') !== null,
      )
  }
  addEventListener('DOMContentLoaded', () =>
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true }),
  )
}

interface Model {
  pending: number
  last: number
  shown: string[]
  isCalm: boolean
}
declare global {
  var model: Model
}

const QUIET_MS = 1_200

/** Waits until a page has requested nothing for a while. */
async function settle(page: Page, quietMs = QUIET_MS) {
  const deadline = performance.now() + 60_000
  for (;;) {
    const isQuiet = await page.evaluate((ms) => model.pending === 0 && performance.now() - model.last > ms, quietMs)
    if (isQuiet) return
    if (performance.now() > deadline) throw new Error('The page does not come to rest.')
    await Bun.sleep(30)
  }
}

/** What the server ever had of each post, as “3 true”: so many comments, and whether it was resolved. */
function followHistory({ root }: World) {
  const history = new Map<string, string[]>()
  const controller = new AbortController()
  const push = (id: string, count: number, isResolved: boolean) => {
    const states = history.getOrInsertComputed(id, () => [])
    const next = `${count} ${isResolved}`
    if (states.at(-1) !== next) states.push(next)
  }
  const handle = ({ type, data }: ApiEvent) => {
    if (type === 'comment.created' || type === 'comment.deleted') {
      const { subject_id } = data as { subject_id: string }
      const [count, isResolved] = (history.get(subject_id)?.at(-1) ?? '0 false').split(' ')
      push(subject_id, Number(count) + (type === 'comment.created' ? 1 : -1), isResolved === 'true')
    } else if (/^post\.(created|updated|resolved|unresolved)$/.test(type)) {
      const { id, comments_count, resolution } = data as Post
      push(id, comments_count, resolution !== null)
    }
  }
  const opened = Promise.withResolvers<void>()
  const follow = async () => {
    const params = { onOpen: () => opened.resolve() }
    for await (const event of root.events.stream(params, { signal: controller.signal })) handle(event)
  }
  void follow().catch(() => undefined)
  const begin = async () => {
    await opened.promise
    for (const { id, comments_count, resolution } of (await root.posts.list()).data)
      push(id, comments_count, resolution !== null)
  }
  return { history, begin, stop: () => controller.abort() }
}

interface PostShown {
  count: number
  isResolved: boolean
}

const parseState = (state: string): PostShown => {
  const [count, isResolved] = state.split(' ')
  return { count: Number(count), isResolved: isResolved === 'true' }
}

/**
 * States that a browser showed and that the server never had, or not after what it had shown before. What it changed itself is shown
 * before the server has it.
 */
function findInventions(history: Map<string, string[]>, browser: Browser, shown: readonly string[]): string[] {
  /** Up to where in its history each post was shown in each kind of view. */
  const reached = new Map<string, number>()
  return shown.flatMap((each) => {
    const [view, id, ...rest] = each.split(' ') as [string, string, ...string[]]
    const { count, isResolved } = parseState(rest.join(' '))
    const states = (history.get(id) ?? []).map(parseState)
    const isOwnCount = (of: PostShown) => browser.commented.has(id) && count >= of.count - 1 && count <= of.count + 2
    const isPossible = (of: PostShown) =>
      (of.count === count || isOwnCount(of)) && (of.isResolved === isResolved || browser.resolved.has(id))
    const place = `${view} ${id}`
    const from = browser.commented.has(id) || browser.resolved.has(id) ? 0 : (reached.get(place) ?? 0)
    const at = states.findIndex((state, index) => index >= from && isPossible(state))
    reached.set(place, Math.max(at, from))
    if (at >= 0) return []
    const how = states.some(isPossible) ? 'again' : 'which it never was'
    const was = states.map((state) => `${state.count}${state.isResolved ? ' resolved' : ''}`)
    return `  the ${view} of ${id} showed ${count} comments, ${isResolved ? 'resolved' : 'open'}, ${how}; it was: ${was.join(', ')}`
  })
}

async function run(seed: number, journal: string[]): Promise<string[]> {
  const random = newRandom(seed)
  const cast = await world()
  const scene = await setUp(cast, random)
  const followed = followHistory(cast)
  await followed.begin()
  for (const { page } of scene.browsers) {
    await page.context().addInitScript(instrument, random.below(1e9))
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(page.locator('main li.post-row').first())
  }
  const problems: string[] = []
  const shown = new Map<Browser, string[]>(scene.browsers.map((browser) => [browser, []]))
  for (let count = 0; count < ACTIONS; count++) {
    const where = random.below(4)
    const browser = scene.browsers[where]
    const [name, action] = random.pick(
      Object.entries<(s: Scene, b: Browser) => Promise<unknown>>(browser ? inBrowser : throughApi),
    )
    const outcome = await action(scene, browser!).then(
      (result) => (typeof result === 'string' && !result.includes('_') ? result : 'done'),
      (error: Error) => error.message.split('\n')[0]!,
    )
    const at = browser ? ` at ${new URL(browser.page.url()).pathname}` : ''
    journal.push(`${count + 1}. ${browser?.name ?? 'API'}: ${name}${at}: ${outcome}`)
    // Menus and dialogs that an action left open.
    if (browser && outcome !== 'done') await browser.page.keyboard.press('Escape')
    if (random.below(2)) await Bun.sleep(random.below(200))
  }
  await Promise.all(scene.browsers.map(({ page }) => settle(page)))
  await cast.fillInboxes()
  await Promise.all(scene.browsers.map(({ page }) => settle(page)))
  for (const browser of scene.browsers) {
    shown.get(browser)!.push(...(await browser.page.evaluate(() => model.shown.splice(0))))
    problems.push(...(await compare(scene, browser)))
  }
  followed.stop()
  for (const browser of scene.browsers)
    for (const found of new Set(findInventions(followed.history, browser, shown.get(browser)!)))
      problems.push(`${browser.name}:`, found)
  return problems
}

async function setUp(cast: World, random: Random): Promise<Scene> {
  const { root, ada, bob, vic, general } = cast
  const design = await root.channels.create({ name: 'design' })
  const secret = await root.channels.create({ name: 'secret', private: true })
  for (const { id } of [ada, bob, vic]) {
    await root.channels.addMember({ channel_id: secret.id, member_id: id })
    await root.channels.addMember({ channel_id: general.id, member_id: id })
  }
  for (const channel_id of [general.id, design.id, secret.id]) {
    const post = await ada.posts.create({ channel_id, title: `In ${channel_id.slice(-3)}`, content_markdown: 'Hello.' })
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'First.' })
    await root.comments.create({ post_id: post.id, parent_id: comment.id, content_markdown: 'A reply.' })
  }
  const thread = await bob.threads.create({ title: 'Plans', member_ids: [ada.id, root.id, vic.id] })
  await bob.messages.create({ thread_id: thread.id, content_markdown: 'One.' })
  await cast.fillInboxes()
  const open = async (name: string, displayName: string, who: Scene['viewer']): Promise<Browser> => {
    // Tall enough for all replies to be loaded.
    const page = await openPage(cast, who, '/posts', { height: 4_000 })
    page.setDefaultTimeout(15_000)
    return { name, displayName, who, page, commented: new Set(), resolved: new Set() }
  }
  return {
    browsers: [
      await open('Ada at her desk', 'Ada Lovelace', ada),
      await open('Ada on her laptop', 'Ada Lovelace', ada),
      random.below(2) ? await open('Bob', 'Bob Moore', bob) : await open('Vic', 'Vic Viewer', vic),
    ],
    random,
    root,
    people: [ada, bob, vic],
    channelIds: [general.id, design.id, secret.id],
    secretId: secret.id,
    threadId: thread.id,
    viewer: vic,
  }
}

/** Compares all views of a browser with the API, and with what they show after a reload. */
async function compare({ root, channelIds, threadId }: Scene, { name, who, page }: Browser): Promise<string[]> {
  const problems: string[] = []
  /** What a page shows is rendered soon after it was opened. */
  const report = async (what: string, expected: Lines, read: () => Promise<Lines>) => {
    const deadline = performance.now() + RENDER_MS
    for (;;) {
      const differences = describeDifference(await read(), expected)
      if (differences.length === 0) return
      if (performance.now() > deadline) return void problems.push(`${name}, ${what}:`, ...differences)
      await Bun.sleep(50)
    }
  }
  await page.evaluate(() => {
    sessionStorage.setItem('model-away', '')
    dispatchEvent(new Event('blur'))
    model.isCalm = true
  })
  const { pathname, search } = new URL(page.url())
  const posts = (await root.posts.list({ sort: 'last_activity_at' })).data.slice(0, 4)
  const paths = new Set([
    ...(pathname.startsWith('/posts/new') || pathname === '/channels' ? [] : [pathname + search]),
    ...['/posts', '/posts?sort=activity', '/posts?resolved=false', '/posts?resolved=true', '/saved'],
    ...['/inbox', '/inbox?tab=unread', '/inbox?tab=mentions', '/inbox?tab=archived'],
    ...channelIds.map((id) => `/channels/${id}`),
    ...['/threads', `/threads/${threadId}`],
    ...posts.map(({ id }) => `/posts/${id}`),
  ])
  const expected = new Map<string, Lines>()
  for (const path of paths) expected.set(path, await expectedMain(who, path))
  const main = async () => (await readPage(page)).main
  await report('the sidebar', await expectedSidebar(who), async () => (await readPage(page)).sidebar)
  const before = new Map<string, Lines>()
  for (const path of paths) {
    await go(page, path)
    await report(`${path} as it stayed open`, expected.get(path)!, main)
    // What changed meanwhile, such as the name of a channel, is requested when the page is opened.
    await settle(page, OPENED_MS)
    before.set(path, await snapshot(page))
  }
  await page.reload()
  for (const path of paths) {
    await go(page, path)
    await report(`${path} after a reload`, expected.get(path)!, main)
    const shown = before.get(path)!
    if (!shown.some((line) => line.includes('This post was deleted')))
      await report(`${path} after a reload, and before`, shown, () => snapshot(page))
  }
  return problems
}

const RENDER_MS = 3_000
const OPENED_MS = 100

/** All that assistive technology would find in the page, without times, what is announced once, and what is rendered on hover. */
async function snapshot(page: Page): Promise<Lines> {
  const all = await page.locator('main').first().ariaSnapshot()
  return all
    .replace(/\b(just now|now|\d+ (min|sec|hr)\.?( ago)?)\b/g, '(time)')
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) =>
        !/^- (time|separator|status|listitem:?$|list:?$)|New$|textbox|Draft|button "(Add reaction|Reply|Message actions|Copy link|Reopen|Resolve|Actions for .*)"/.test(
          line,
        ),
    )
}
