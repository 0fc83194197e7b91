import { expect } from 'bun:test'
import { type AxeResults, type RunOptions, source } from 'axe-core'
import type { Page } from 'playwright-core'
import { picture } from '../me/pictures'
import { time } from '../server'
import { linkFor } from '../session/browser'
import type { World } from '../world'
import { openPage, type PageOptions, richText, waitForValue, waitForVisible } from './browser'
import { createSeededWorld } from './seeded-world'

/** A page, and how to open one of its states. */
interface State {
  path: string
  open?: (page: Page) => Promise<void>
}

const click = (name: string | RegExp) => (page: Page) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).first().click()
const opens = (name: string | RegExp) => async (page: Page) => {
  await click(name)(page)
  await waitForVisible(page.getByRole('dialog'))
}
const menu = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click()
  await waitForVisible(page.getByRole('menu'))
}
const key = (pressed: string) => async (page: Page) => {
  await page.keyboard.press(pressed)
  await waitForVisible(page.getByRole('dialog'))
}

/** Every page and its main states. Add new pages here. */
async function statesOf(cast: World): Promise<Record<string, State>> {
  const { root, ada, general } = cast
  const markdown =
    'With `code`, a [link](https://example.com), a list:\n\n- one\n- [x] two\n\n> quoted\n\n```ts\n// Why\nexport const a: string = f("b", 1)\n```\n\n```diff\n- a\n+ b\n```'
  const post = await ada.posts.create({ channel_id: general.id, title: 'An answered one', content_markdown: markdown })
  const comment = await root.comments.create({ post_id: post.id, content_markdown: 'Like this.' })
  await ada.comments.create({ post_id: post.id, parent_id: comment.id, content_markdown: 'Thanks.' })
  const open = await ada.posts.create({ channel_id: general.id, title: 'An open one', content_markdown: markdown })
  await root.comments.create({ post_id: open.id, content_markdown: 'Hm.' })
  await root.posts.resolve({ post_id: post.id, comment_id: comment.id, content_markdown: 'That is **it**.' })
  const unanswered = await ada.posts.create({ channel_id: general.id, title: 'Unanswered', content_markdown: '# So' })
  const { id: answer } = await root.comments.create({ post_id: unanswered.id, content_markdown: 'Yes.' })
  await ada.posts.resolve({ post_id: unanswered.id, comment_id: answer })
  await root.comments.delete({ id: answer })
  await ada.posts.update({ id: unanswered.id, content_markdown: '# So\n\n## And so' })
  for (const text of ['Why is', 'Why was'])
    await root.drafts.save({ subject_id: unanswered.id, content_markdown: text })
  const thread = await root.threads.create({ title: 'Plans', member_ids: [ada.id] })
  const message = await ada.messages.create({ thread_id: thread.id, content_markdown: 'Shall we?' })
  await root.messages.create({ thread_id: thread.id, parent_id: message.id, content_markdown: 'Yes, `now`.' })
  const app = await root.apps.create({ name: 'Robot' })
  const group = await root.groups.create({ name: 'design', description: 'Who draws.' })
  for (const { id } of [ada, root]) await root.groups.addMember({ group_id: group.id, member_id: id })
  const webhook = await root.webhooks.create({ url: 'http://127.0.0.1:9/hook' })
  await root.hooks.create({ name: 'Grafana', channel_id: general.id })
  const empty = await root.channels.create({ name: 'empty' })
  const file_ids: string[] = []
  for (const name of ['chart.png', 'notes.txt'])
    file_ids.push(
      (await root.files.upload({ name, file: name === 'notes.txt' ? new Blob(['Hi']) : await picture() })).id,
    )
  const withFiles = await root.posts.create({
    channel_id: general.id,
    title: 'With files',
    content_markdown: '',
    file_ids,
  })

  const hi = await ada.comments.create({ post_id: open.id, content_markdown: `<@${root.id}>, see [this](/posts).` })
  await ada.comments.create({ post_id: open.id, parent_id: hi.id, content_markdown: 'And this.' })
  await waitForValue(async () => (await root.inbox.list({})).data.length > 1, true)
  const [newest] = (await root.inbox.list({})).data
  await root.inbox.update({ id: newest!.id, archived: true })
  await root.inbox.update({ id: newest!.id, archived: false, read: true })

  for (const { id: post_id } of [post, open, unanswered]) await root.pins.set({ post_id })
  await root.saved.set({ post_id: open.id, remind_at: new Date(time.now() + 1e8).toISOString() })

  for (const who of [root, ada]) await who.reactions.add({ subject_id: open.id, emoji: '🎉' })
  await ada.reactions.add({ subject_id: hi.id, emoji: '👍' })
  await root.reactions.add({ subject_id: message.id, emoji: '👍' })
  await root.drafts.save({ subject_id: open.id, content_markdown: 'On second thought' })

  return {
    inbox: { path: '/inbox' },
    'saved posts': { path: '/saved', open: (page) => waitForVisible(page.getByText(/^Reminder/)) },
    'inbox, an entry in focus': { path: '/inbox?tab=unread', open: (page) => page.keyboard.press('j') },
    'inbox, nothing archived': { path: '/inbox?tab=archived' },
    'post, following': { path: `/posts/${open.id}`, open: menu(/^Notifications/) },
    feed: { path: '/posts' },
    'sidebar, menu': {
      path: '/posts',
      async open(page) {
        const sidebar = page.getByRole('button', { name: 'Open sidebar' })
        if (await sidebar.isVisible()) await sidebar.click()
        await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('button', { name: cast.slug }).click()
        await waitForVisible(page.getByRole('button', { name: 'Sign out' }))
      },
    },
    'feed, a row in focus': { path: '/posts?sort=activity', open: (page) => page.keyboard.press('j') },
    'feed, resolved': { path: '/posts?resolved=true' },
    'feed, keys': { path: '/posts', open: key('?') },
    'feed, palette': { path: '/posts', open: key('Control+k') },
    'feed, palette with results': {
      path: '/posts',
      async open(page) {
        await key('Control+k')(page)
        await page.getByRole('combobox', { name: 'Search' }).fill('one')
        await waitForVisible(page.getByRole('option').locator('mark').first())
        await waitForValue(() => page.locator('[role=listbox][aria-busy]').count(), 0)
      },
    },
    search: { path: '/search' },
    'search, results': {
      path: '/search?q=one',
      open: (page) => waitForVisible(page.locator('mark').first()),
    },
    'search, filters': {
      path: '/search?q=in:general+after:2020-01-01',
      async open(page) {
        const toggle = page.getByRole('button', { name: /^Filters/ })
        if (await toggle.isVisible()) await toggle.click()
        await waitForVisible(page.getByLabel('After'))
      },
    },
    'search, no results': { path: '/search?q=nothingatall' },
    'search, wrong operator': {
      path: '/search?q=in:nowhere',
      open: (page) => waitForVisible(page.getByText('is unknown')),
    },
    'feed of a channel, menu': { path: `/channels/${general.id}`, open: menu('Joined') },
    'feed of a channel, pinned posts': {
      path: `/channels/${general.id}`,
      open: (page) => waitForVisible(page.getByRole('region', { name: /^Pinned/ })),
    },
    'feed of a channel, empty': { path: `/channels/${empty.id}` },
    'files of a channel': { path: `/channels/${general.id}/files` },
    'files of a channel, none': { path: `/channels/${empty.id}/files` },
    'post with files': { path: `/posts/${withFiles.id}` },
    'post with files, editing': {
      path: `/posts/${withFiles.id}`,
      async open(page) {
        await menu('Post actions')(page)
        await page.getByRole('menuitem', { name: 'Edit' }).click()
        await waitForVisible(page.getByRole('textbox', { name: 'Description of chart.png' }))
      },
    },
    'image in the lightbox': {
      path: `/posts/${withFiles.id}`,
      async open(page) {
        await page.getByRole('link', { name: 'Open image: chart.png' }).click()
        await waitForVisible(page.getByRole('dialog'))
      },
    },
    'post, resolved': { path: `/posts/${post.id}` },
    'post, open, with reactions': {
      path: `/posts/${open.id}`,
      open: (page) => waitForVisible(page.getByRole('button', { name: /reacted with 🎉/, pressed: true })),
    },
    'post, who reacted': { path: `/posts/${open.id}`, open: opens('Who reacted') },
    'post, menu': { path: `/posts/${open.id}`, open: menu('Post actions') },
    'post, resolving': { path: `/posts/${open.id}`, open: opens('Resolve') },
    'post, deleting the answer': {
      path: `/posts/${post.id}`,
      async open(page) {
        const answer = page.getByRole('article', { name: 'Comment by Root Admin' })
        await answer.hover()
        await answer.getByRole('button', { name: 'Comment actions' }).click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
        await waitForVisible(page.getByRole('dialog', { name: 'Delete the answer to this post?' }))
      },
    },
    'post, edited, without its answer': {
      path: `/posts/${unanswered.id}`,
      async open(page) {
        await waitForVisible(page.getByText('The comment that answered this was deleted.'))
        await waitForVisible(page.getByText(/^edited /))
      },
    },
    'post, nowhere': { path: '/posts/post_nowhere' },
    composer: {
      path: '/posts/new',
      async open(page) {
        await page.getByRole('textbox').last().fill(markdown)
        await page.getByRole('button', { name: 'Preview' }).click()
        await waitForVisible(page.getByRole('region', { name: 'Preview' }).getByText('quoted'))
      },
    },
    'composer, mention': {
      path: '/posts/new',
      async open(page) {
        await page.getByRole('textbox').last().fill('')
        await page.getByRole('textbox').last().pressSequentially('@ad')
        await waitForVisible(page.getByRole('listbox').getByRole('option').first())
      },
    },
    'composer, channels': {
      path: '/posts/new',
      async open(page) {
        await page.getByRole('combobox', { name: /^Channel: / }).click()
        await waitForVisible(page.getByRole('listbox').getByRole('option').first())
      },
    },
    'composer, emoji': {
      path: '/posts/new',
      async open(page) {
        await page.getByRole('button', { name: 'Emoji' }).click()
        await waitForVisible(page.getByRole('listbox', { name: 'Emoji' }).getByRole('option').first())
      },
    },
    'composer, what mentions do': {
      path: '/posts/new',
      async open(page) {
        await page.getByRole('textbox').last().fill('<@channel>')
        await waitForVisible(page.getByText(/^@channel notifies/))
      },
    },
    threads: { path: '/threads' },
    thread: {
      path: `/threads/${thread.id}`,
      open: (page) => waitForVisible(page.getByRole('button', { name: /reacted with 👍/ })),
    },
    'thread, new': { path: '/threads/new' },
    'thread, nowhere': { path: '/threads/thread_nowhere' },
    drafts: { path: '/drafts', open: (page) => waitForVisible(page.getByText('On second thought')) },
    'post, the other version': { path: `/posts/${unanswered.id}`, open: opens('Show the other version') },
    members: { path: '/members' },
    'members, search': { path: '/members?q=ada' },
    'members, nobody': { path: '/members?q=nobodyatall' },
    'members, menu': { path: '/members', open: menu(/^Actions for/) },
    'members, inviting': { path: '/members', open: opens('Invite') },
    'members, inviting many': {
      path: '/members?invite',
      async open(page) {
        await page.getByLabel('E-mail addresses').fill('nia@acme.example, mei@acme,')
        await waitForVisible(page.getByText('1 of 2 addresses are ready'))
        await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click()
        await waitForVisible(page.getByRole('listbox'))
      },
    },
    'members, a new invite link': {
      path: '/members?invite',
      async open(page) {
        await page.getByRole('button', { name: 'Create a link' }).click()
        await waitForVisible(page.getByLabel('Only addresses of'))
      },
    },
    member: { path: `/members/${ada.id}` },
    'member, nowhere': { path: '/members/mem_nowhere' },
    channels: { path: '/channels' },
    'channels, new': { path: '/channels?new', open: (page) => waitForVisible(page.getByRole('dialog')) },
    'channels, nothing found': { path: '/channels?q=nothingatall' },
    'channels, menu': { path: '/channels', open: menu(/^Joined /) },
    'channels, archived': { path: '/channels?tab=archived' },
    'about a channel': { path: `/channels/${general.id}/about` },
    'channel in the sidebar, menu': {
      path: '/posts',
      async open(page) {
        const button = page.getByRole('button', { name: 'Open sidebar' })
        if (await button.isVisible()) await button.click()
        const sidebar = page.getByRole('navigation', { name: 'Sidebar' })
        await sidebar.getByRole('button', { name: 'Actions for general' }).press('Enter')
        await waitForVisible(page.getByRole('menuitem', { name: 'Leave channel' }))
      },
    },
    'settings, profile': { path: '/settings/profile' },
    'settings, notifications': { path: '/settings/notifications' },
    'settings, workspace': { path: '/settings/workspace' },
    'settings, channels': { path: '/settings/channels' },
    'settings, groups': { path: '/settings/groups' },
    'settings, new group': { path: '/settings/groups', open: opens('New group') },
    group: { path: `/groups/${group.id}` },
    'group, nowhere': { path: '/groups/group_nowhere' },
    'settings, appearance': { path: '/settings/appearance' },
    'settings, security': { path: '/settings/security' },
    'settings, tokens': { path: '/settings/tokens' },
    'settings, new token': { path: '/settings/tokens', open: opens('New token') },
    'settings, apps': { path: '/settings/apps' },
    'settings, app': { path: `/settings/apps/${app.id}` },
    'settings, webhooks': { path: '/settings/webhooks' },
    'settings, new webhook': { path: '/settings/webhooks', open: opens('New webhook') },
    'settings, webhook': { path: `/settings/webhooks/${webhook.id}` },
    'settings, incoming webhooks': { path: '/settings/hooks' },
    'settings, new incoming webhook': { path: '/settings/hooks', open: opens('New incoming webhook') },
    'settings, about': { path: '/settings/about' },
    'settings, nowhere': { path: '/settings/nowhere' },
    nowhere: { path: '/nowhere' },
  }
}

/** Visited between two pages, so that each page is opened from scratch. */
const BLANK = '/between'

type Look = 'light' | 'dark'
const RULES: Record<Look, RunOptions> = {
  light: { rules: { region: { enabled: true } } },
  // In dark mode only the colours can differ.
  dark: { runOnly: ['color-contrast'] },
}

/** Injects axe into a page. */
export const addAxe = (page: Page) => page.evaluate(source)

/** The violations that axe finds. */
export async function violations(page: Page, name: string, look: Look, rules = RULES[look]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: look })
  const options: RunOptions = { preload: false, resultTypes: ['violations'], ...rules }
  const found = await page.evaluate(
    (given) => (window as unknown as { axe: { run(o: unknown): Promise<AxeResults> } }).axe.run(given),
    options as never,
  )
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${name} (${look}): ${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}

/** Only the bars around each page have other colours on a phone: it is enough to see them on half of the pages. */
export const inTurn = (page: Page, name: string, at: number): Promise<string[]> =>
  violations(page, name, at % 2 === 0 ? 'light' : 'dark', RULES.light)

/** Expects no violation on any page, as it is opened, in its other states, or both. */
export async function checkAll(
  size: PageOptions,
  check: (page: Page, name: string, at: number) => Promise<string[]>,
  which: 'opened' | 'other states' | 'both' = 'both',
) {
  const cast = await createSeededWorld({ posts: 5, members: 3, channels: 3, threads: 2 })
  const states = Object.entries(await statesOf(cast)).filter(
    ([, { open }]) => which === 'both' || (which === 'opened') === (open === undefined),
  )
  const page = await openPage(cast, cast.root, BLANK, size)
  await waitForVisible(page.getByRole('heading', { level: 1 }))
  await addAxe(page)
  const found: string[] = []
  for (const [at, [name, { path, open }]] of states.entries()) {
    await page.evaluate((to) => history.pushState(null, '', to), path)
    await waitForValue(() => isSettled(page), true)
    await open?.(page)
    found.push(...(await check(page, name, at)))
    if (await page.locator('[role=dialog], [role=menu], [role=listbox]').count()) await page.keyboard.press('Escape')
    await page.evaluate((to) => history.pushState(null, '', to), BLANK)
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Page not found' }))
  }
  expect(found).toEqual([])
}

/** Whether the page is rendered and nothing is loading. */
const isSettled = (page: Page) =>
  page.evaluate(() => {
    const heading = document.querySelector('h1')
    // The title of a new post is a field.
    const title = heading?.textContent || heading?.querySelector('textarea')?.ariaLabel
    const isThere = title && (title !== 'Page not found' || location.pathname === '/nowhere')
    return Boolean(isThere) && !document.querySelector('[aria-busy=true]')
  })

/** What is shown to who was just invited, to viewers and to guests; and text while it is written formatted. */
export async function checkOtherRoles(size: PageOptions, looks: Look[]) {
  const cast = await createSeededWorld({ posts: 1 })
  const { root, vic, gus, ada, tokenFor } = cast
  const thread = await ada.threads.create({ title: 'Plans', member_ids: [vic.id] })
  await ada.messages.create({ thread_id: thread.id, content_markdown: 'Shall we?' })
  const { id } = await root.members.create({ email: 'eve@example.com', display_name: 'Eve Adams', role: 'member' })
  const eve = await tokenFor(id, ['admin'])
  const found: string[] = []
  for (const [role, who, path, text] of [
    ['newcomer', eve, '/posts', /^Welcome to/],
    ['viewer', vic, `/threads/${thread.id}`, 'Shall we?'],
    ['viewer', vic, '/posts/new', /^Viewers/],
    ['viewer', vic, '/settings/tokens', 'Only members and admins can create tokens.'],
    ['guest', gus, '/posts', /channel/],
    ['guest', gus, '/threads/new', 'Nobody to write to yet'],
  ] as const) {
    const page = await openPage(cast, who, path, size)
    await waitForVisible(page.getByRole('main').getByText(text).first())
    await waitForValue(() => isSettled(page), true)
    await addAxe(page)
    for (const look of looks) found.push(...(await violations(page, `${path} of a ${role}`, look)))
  }
  const page = await openPage(cast, ada, '/posts/new', { ...size, isFormatted: true, bypassCSP: true })
  await richText(page).click()
  await page.keyboard.type('# Plans\n**Now** and `then`\n- [ ] one\ntwo\n\n> why\n\n/')
  await waitForVisible(page.getByRole('option', { name: 'Table' }))
  await page.keyboard.type('tab')
  await page.keyboard.press('Enter')
  await waitForVisible(richText(page).locator('table'))
  for (const heading of ['What', 'Who', 'When']) {
    await page.keyboard.type(heading)
    await page.keyboard.press('Tab')
  }
  await addAxe(page)
  for (const look of looks) found.push(...(await violations(page, 'formatted text', look)))
  expect(found).toEqual([])
}

/** Only a new workspace has it. */
export async function checkChecklist(size: PageOptions, looks: Look[]) {
  const cast = await createSeededWorld({ posts: 1 })
  await cast.root.workspace.update({ is_set_up: false })
  const page = await openPage(cast, cast.root, '/posts', size)
  await waitForVisible(page.getByRole('link', { name: 'Set a password' }))
  await waitForValue(() => isSettled(page), true)
  await addAxe(page)
  for (const look of looks) expect(await violations(page, 'checklist', look)).toEqual([])
}

/** The first paint, before any script has run, and the page to sign in. */
export async function checkFirstPages(look: Look) {
  const cast = await createSeededWorld({ posts: 1 })
  const link = await linkFor(cast, cast.ada)
  const invite = await cast.root.inviteLinks.create({ role: 'member' })
  const found: string[] = []
  for (const who of [undefined, cast.bob]) {
    const page = await openPage(cast, who, '/docs/errors')
    await page.route('**/assets/*.js', () => {})
    await page.goto(`${cast.baseUrl}/posts`, { waitUntil: 'commit' })
    await waitForVisible(page.getByText('Loading…'))
    await addAxe(page)
    const early = await violations(page, who ? 'first paint' : 'first paint, signed out', look)
    // What the page is about is not known yet.
    found.push(...early.filter((violation) => !violation.includes('page-has-heading-one')))
  }
  for (const [path, text] of [
    ['/sign-in', 'Password'],
    [`/sign-in#token=${link}`, 'You will be signed in as'],
    ['/sign-in#token=none', 'This link is no longer valid'],
    [`/join${new URL(invite.url!).hash}`, 'You were invited.'],
  ] as const) {
    const page = await openPage(cast, undefined, path)
    await waitForVisible(page.getByText(text).first())
    await addAxe(page)
    found.push(...(await violations(page, path, look)))
  }
  expect(found).toEqual([])
}
