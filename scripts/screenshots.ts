import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { readConfig } from '../src/config'
import { seedWorkspace } from '../src/seed'
import { startServer } from '../src/server'
import { findWorkspace } from '../src/store/people/workspaces'
import { type Client, createClient } from '../test/client'
import { startBrowser } from '../test/web/chromium'

/** Takes the screenshots of the README: a seeded workspace at a fixed time, so that they are reproducible. */
const NOW = Date.parse('2026-11-02T15:20:00Z')
const TWO_YEARS = 2 * 365 * 86_400_000
let now = NOW - TWO_YEARS
const folder = join(import.meta.dir, '../docs/images')
const scratch = mkdtempSync(join(tmpdir(), 'parley-screenshots-'))
const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

const server = startServer(
  readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
    WORKSPACE_NAME: 'Parley',
    DATABASE_URL: `sqlite:${join(scratch, 'parley.db')}`,
  }),
  { clock: () => now },
)
const browser = await startBrowser()
try {
  const { token } = (await server.ready)!
  // The first token expires after a day, and the clock is about to jump two years ahead.
  const permanent = await createClient({ baseUrl: server.url, token }).tokens.createMine({ scopes: ['admin'] })
  const admin = createClient({ baseUrl: server.url, token: permanent.token })
  const workspace = (await server.parley.engine.read((db) => findWorkspace(db, 'home')))!
  now = NOW
  await seedWorkspace(server.parley, workspace, {
    posts: 900,
    channels: 9,
    members: 24,
    commentsEvery: 2,
    threads: 40,
    // A seed whose names every system font can display.
    seed: 2,
    until: NOW,
  })
  mkdirSync(folder, { recursive: true })
  await takeAll(browser, admin)
} finally {
  await browser.close()
  await server.stop()
  rmSync(scratch, { recursive: true })
}
process.exit(0)

async function takeAll(browser: Browser, admin: Client) {
  const { cookie, client } = await signInAsBusiestMember(admin)
  await writeToday(admin, client)
  const post = await findResolvedPost(client)
  const picture = async (
    name: string,
    path: string,
    size: typeof WIDE,
    colorScheme: 'light' | 'dark' = 'light',
    change?: (page: Page) => Promise<void>,
  ) => {
    const page = await open(browser, cookie, size, colorScheme)
    await page.goto(server.url + path)
    await change?.(page)
    await waitUntilLoaded(page)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await page.context().close()
    console.log(`docs/images/${name}.png`)
  }
  await picture('inbox', '/inbox', WIDE)
  await picture('feed', '/posts', WIDE)
  await picture('post', `/posts/${post}`, WIDE)
  await picture('writing', `/posts/new?channel=${await findProduct(client)}`, WIDE, 'light', writePost)
  await picture('search', '/search?q=renewal', WIDE)
  await picture('phone', '/inbox', PHONE)
  await picture('dark', '/posts', WIDE, 'dark')
}

/** Signs in as the member with the most threads. */
async function signInAsBusiestMember(admin: Client) {
  const { data } = await admin.members.list({ roles: ['member'], limit: 20 })
  const all = await Promise.all(data.filter(({ is_deactivated }) => !is_deactivated).map(({ id }) => signIn(admin, id)))
  return all.sort((one, other) => other.threads - one.threads)[0]!
}

async function signIn(admin: Client, member_id: string) {
  const { url } = await admin.members.createSignInLink({ member_id })
  const ask = (path: string, body: object, cookie = '') =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', Cookie: cookie },
      body: JSON.stringify(body),
    })
  const response = await ask('/session', { link: new URLSearchParams(new URL(url).hash.slice(1)).get('token') })
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!
  const { token } = (await (await ask('/session/token', {}, cookie)).json()) as { token: string }
  const client = createClient({ baseUrl: server.url, token })
  return { cookie, client, threads: (await client.threads.list({ limit: 1 })).total_count }
}

/** What others write to a member on the last day, so that there is something in the inbox. */
async function writeToday(admin: Client, reader: Client) {
  const { author: me } = await reader.me.get()
  const { data } = await admin.members.list({ roles: ['member'], limit: 20 })
  const others = data.filter(({ id, is_deactivated }) => id !== me.id && !is_deactivated).slice(0, 6)
  const clients = await Promise.all(others.map(async ({ id }) => (await signIn(admin, id)).client))
  const [edith, baris, helene, taras, zanele, rowena] = clients as [Client, Client, Client, Client, Client, Client]
  const channels = (await reader.channels.list()).data.filter(({ is_private }) => !is_private)
  const channel = (name: string) => (channels.find((each) => each.name === name) ?? channels[0]!).id
  const at = (time: string) => {
    now = Date.parse(`2026-11-${time}:00Z`)
  }
  const post = (client: Client, name: string, title: string, content_markdown: string) =>
    client.posts.create({ channel_id: channel(name), title, content_markdown })

  at('01T14:10')
  const mail = await post(
    reader,
    'product',
    'Do we still need the weekly status mail?',
    'Writing it takes about an hour a week, and half of it is in the channels already. I see three ways forward, and would like us to choose one by Friday.',
  )
  at('01T15:02')
  const answer = await edith.comments.create({
    post_id: mail.id,
    content_markdown: 'Keep it, but let us write it only when there is something to say.',
  })
  at('01T17:32')
  await zanele.comments.create({
    post_id: mail.id,
    parent_id: answer.id,
    content_markdown: 'Agreed. October would have needed two of them.',
  })
  await reader.reads.set({ subject_id: mail.id })
  at('02T08:20')
  await taras.posts.resolve({ post_id: mail.id, comment_id: answer.id })
  at('02T08:41')
  const planning = await post(
    reader,
    'product',
    'Can we move the planning to Tuesdays?',
    'On Mondays half of the team is still catching up, and what we plan changes on Tuesday anyway. I suggest Tuesdays at ten, from December on.',
  )
  at('02T08:55')
  await helene.comments.create({
    post_id: planning.id,
    content_markdown: 'Fine with me, and better for everyone in the west.',
  })
  await rowena.comments.create({ post_id: planning.id, content_markdown: 'Tuesdays work. I can move the rooms.' })
  at('02T09:12')
  await baris.messages.createDirect({
    member_id: me.id,
    content_markdown: 'Hello! Do you have a minute for the supplier contract?',
  })
  await baris.messages.createDirect({ member_id: me.id, content_markdown: 'It is about the renewal in December.' })
  at('02T13:40')
  const notes = await post(
    zanele,
    'releases',
    'Release notes for 4.12',
    '38 changes, 2 migrations, no incidents. The slowest query got 40 % faster. Notes and the rollback plan are inside.',
  )
  at('02T14:44')
  await edith.comments.create({
    post_id: notes.id,
    content_markdown: `<@${me.id}>, can you confirm the numbers before we publish?`,
  })
  now = NOW
  await server.inboxFiller()!.tick()
}

async function findProduct(client: Client): Promise<string> {
  const { data } = await client.channels.list()
  return data.find(({ name }) => name === 'product')!.id
}

/** What is typed into a new post, with the suggestion that each name brings. */
async function writePost(page: Page) {
  const { keyboard } = page
  await page.getByRole('textbox', { name: 'Title' }).fill('What changes with 4.13 on Monday')
  await page.getByRole('textbox', { name: 'Text' }).click()
  await keyboard.type('From Monday the **renewal reminder** goes out in the time zone of the customer. @zanele')
  await page.getByRole('option').first().click()
  await keyboard.type('has tested it with eleven of them.\n## Before Friday\n')
  await keyboard.type('[ ] Rehearse the migration on a copy\nApprove the text for the status page\n\n')
  await keyboard.type('```sql\nselect count(*) from reminders\nwhere sends_at is null\n\n\n')
  await keyboard.type('The text for the status page is with support.')
  await page.getByText('Draft saved').waitFor()
}

/** A post that is resolved with one of a few comments. */
async function findResolvedPost(client: Client): Promise<string> {
  const { data } = await client.posts.list({ resolved: true })
  const good = data.find(
    ({ resolution, comments_count, author }) =>
      resolution!.resolved_comment && author.type === 'member' && comments_count >= 3 && comments_count <= 7,
  )
  return (good ?? data[0]!).id
}

async function open(browser: Browser, cookie: string, size: typeof WIDE, colorScheme: 'light' | 'dark'): Promise<Page> {
  const isPhone = size.width < 700
  const context = await browser.newContext({
    viewport: size,
    deviceScaleFactor: isPhone ? 2 : 1.5,
    isMobile: isPhone,
    hasTouch: isPhone,
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const [name, value] = cookie.split('=') as [string, string]
  await context.addCookies([{ name, value, url: server.url }])
  const page = await context.newPage()
  await page.clock.setFixedTime(NOW)
  return page
}

/** Waits for content, images and fonts. */
async function waitUntilLoaded(page: Page) {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
  await page.waitForLoadState('load')
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.checkVisibility())
      .every((image) => image.complete || image.loading === 'lazy'),
  )
  await page.waitForTimeout(300)
}
