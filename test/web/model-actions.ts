import type { Locator, Page } from 'playwright-core'
import type { Random } from '../random-writes'
import type { Person } from '../world'

/** One of the browsers of the model: a page that stays open. */
export interface Browser {
  name: string
  displayName: string
  who: Person
  page: Page
  /** Posts that were commented on, or resolved or reopened, here: it may show more of them than the server knows. */
  commented: Set<string>
  resolved: Set<string>
}

export interface Scene {
  browsers: Browser[]
  random: Random
  root: Person
  people: Person[]
  channelIds: string[]
  secretId: string
  threadId: string
  viewer: Person
}

/** Long enough for what is on the page; what has gone in the meantime, or is not allowed, is left. */
const PATIENCE = { timeout: 1_000 }

let words = 0
const newText = (scene: Scene) => {
  const mention = scene.random.below(5) === 0 ? ` <@${scene.random.pick(scene.people).id}>` : ''
  return `text ${++words}${mention}`
}

/** Opens a path as a link does, without loading the page again. */
export async function go(page: Page, path: string) {
  await page.evaluate((to) => {
    if (location.pathname + location.search !== to) history.pushState(null, '', to)
  }, path)
}

const someOf = async (locator: Locator, { random }: Scene): Promise<Locator | undefined> => {
  const count = await locator.count()
  return count > 0 ? locator.nth(random.below(count)) : undefined
}

/** A post that its author's browser may not know yet, or no longer. */
async function somePostId({ root, random }: Scene): Promise<string | undefined> {
  const { data } = await root.posts.list()
  return data.length > 0 ? random.pick(data.slice(0, 5)).id : undefined
}

async function openPost(scene: Scene, { page }: Pick<Browser, 'page'>): Promise<string | undefined> {
  const here = /^\/posts\/(post_\w+)/.exec(new URL(page.url()).pathname)?.[1]
  const id = here && scene.random.below(3) > 0 ? here : await somePostId(scene)
  if (!id) return undefined
  await go(page, `/posts/${id}`)
  await page.locator('main article[aria-label=Post]').waitFor(PATIENCE)
  await page.locator('.comments > ol > li, .comments > p:text-is("No comments yet")').first().waitFor(PATIENCE)
  return id
}

const openThread = async (scene: Scene, { page }: Browser) => {
  await go(page, `/threads/${scene.threadId}`)
  await page.locator('form[aria-label=Message]').waitFor(PATIENCE)
}

async function choose(page: Page, item: string) {
  await page.getByRole('menuitem', { name: item, exact: true }).click(PATIENCE)
}

async function openChannelMenu(page: Page) {
  const button = page.locator('main').getByRole('button', { name: /^(Joined|Channel actions)$/ })
  await button.click(PATIENCE)
}

async function chooseOfPost(page: Page, item: string) {
  await page.getByRole('button', { name: 'Post actions' }).click(PATIENCE)
  await choose(page, item)
}

async function write(form: Locator, text: string) {
  const area = form.locator('textarea:not(.writer-title)')
  await area.fill(text, PATIENCE)
  await area.press('Control+Enter', PATIENCE)
}

const comments = (page: Page, by = ' by ') => page.locator(`.comments li[id^=cmt_] > article[aria-label*="${by}"]`)
/** Only these can be edited and deleted. */
const ownComments = ({ page, displayName }: Browser) => comments(page, `by ${displayName}`)

async function chooseOfComment(comment: Locator, item: string) {
  await comment.hover(PATIENCE)
  await comment.getByRole('button', { name: 'Comment actions' }).click(PATIENCE)
  await choose(comment.page(), item)
}

async function react(scene: Scene, within: Locator) {
  const page = within.page()
  const chip = await someOf(within.locator('.reaction[aria-pressed]'), scene)
  if (chip && scene.random.below(3) > 0) return chip.click(PATIENCE)
  await within.locator('[data-do=react]').first().click(PATIENCE)
  await page.getByRole('combobox', { name: 'Search emoji' }).fill(scene.random.pick(['tada', 'cake', 'eyes']), PATIENCE)
  await page.getByRole('option').first().waitFor(PATIENCE)
  await page.keyboard.press('Enter')
}

type Action = (scene: Scene, browser: Browser) => Promise<unknown>

const PLACES = ['/posts', '/posts?sort=activity', '/posts?resolved=false', '/posts?resolved=true', '/inbox', '/saved']

/** What people do in the web app. Each fails or does nothing where it is not possible. */
export const inBrowser: Record<string, Action> = {
  async visit(scene, { page }) {
    const { random, channelIds, threadId } = scene
    const channels = channelIds.map((id) => `/channels/${id}`)
    await go(page, random.pick([...PLACES, ...channels, '/inbox?tab=unread', '/threads', `/threads/${threadId}`]))
  },
  async 'open a post'(scene, { page }) {
    const row = await someOf(page.locator('main li.post-row h2 a, main li[id^=inb_] a[data-row]'), scene)
    if (!row) return openPost(scene, { page })
    await row.click(PATIENCE)
  },
  async comment(scene, browser) {
    browser.commented.add((await openPost(scene, browser)) ?? '')
    await write(browser.page.locator('form[aria-label=Comment]'), newText(scene))
  },
  async 'comment twice'(scene, browser) {
    browser.commented.add((await openPost(scene, browser)) ?? '')
    for (let count = 0; count < 2; count++)
      await write(browser.page.locator('form[aria-label=Comment]'), newText(scene))
  },
  async reply(scene, browser) {
    browser.commented.add((await openPost(scene, browser)) ?? '')
    const comment = await someOf(comments(browser.page, 'Comment by'), scene)
    if (!comment) return 'no comment'
    await comment.locator('[data-do=reply]').click(PATIENCE)
    await write(browser.page.locator('form[aria-label^="Reply to"]'), newText(scene))
  },
  async 'edit a comment'(scene, browser) {
    await openPost(scene, browser)
    const comment = await someOf(ownComments(browser), scene)
    if (!comment) return 'no comment'
    await chooseOfComment(comment, 'Edit')
    await write(browser.page.locator('form[aria-label="Edit comment"]').first(), newText(scene))
  },
  async 'delete a comment'(scene, browser) {
    browser.commented.add((await openPost(scene, browser)) ?? '')
    const comment = await someOf(ownComments(browser), scene)
    if (!comment) return 'no comment'
    await chooseOfComment(comment, 'Delete')
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click(PATIENCE)
  },
  async 'write a post'(scene, { page }) {
    await go(page, `/posts/new?channel=${scene.random.pick(scene.channelIds)}`)
    const text = newText(scene)
    await page.getByLabel('Title').fill(`Post ${words}`, PATIENCE)
    const form = page.locator('form', { has: page.getByRole('button', { name: 'Publish' }) })
    await write(form, text)
  },
  async 'edit a post'(scene, browser) {
    const { page } = browser
    await openPost(scene, browser)
    await chooseOfPost(page, 'Edit')
    const form = page.locator('form', { has: page.getByRole('button', { name: 'Save' }) })
    await form.getByLabel('Title').fill(`Title ${++words}`, PATIENCE)
    await write(form, newText(scene))
  },
  async 'delete a post'(scene, browser) {
    if (scene.random.below(3) > 0) return 'too often'
    await openPost(scene, browser)
    await chooseOfPost(browser.page, 'Delete')
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click(PATIENCE)
  },
  async 'resolve or reopen in a feed'(scene, { page, resolved }) {
    if ((await page.locator('main li.post-row').count()) === 0) await go(page, '/posts')
    await page.locator('main li.post-row').first().waitFor(PATIENCE)
    const row = await someOf(page.locator('main li.post-row'), scene)
    if (!row) return 'no row'
    resolved.add((await row.getAttribute('id', PATIENCE))!)
    await row.hover(PATIENCE)
    await row.getByRole('button', { name: /^(Resolve|Reopen)$/ }).click(PATIENCE)
  },
  async 'resolve with a comment'(scene, browser) {
    browser.resolved.add((await openPost(scene, browser)) ?? '')
    const comment = await someOf(comments(browser.page), scene)
    if (!comment) return 'no comment'
    await chooseOfComment(comment, 'Resolve with this comment')
  },
  async 'resolve with a note, or reopen'(scene, browser) {
    const { page } = browser
    browser.resolved.add((await openPost(scene, browser)) ?? '')
    if ((await page.locator('main .resolution').count()) > 0) {
      await page.getByRole('button', { name: 'Resolution actions' }).click(PATIENCE)
      await choose(page, 'Reopen')
      if (scene.random.below(3) === 0) await page.getByRole('button', { name: 'Undo' }).first().click(PATIENCE)
      return
    }
    await page.locator('.post-top').getByRole('button', { name: 'Resolve', exact: true }).click(PATIENCE)
    await write(page.locator('form[aria-label=Note]'), scene.random.below(2) ? newText(scene) : '')
  },
  async 'react to a post'(scene, browser) {
    await openPost(scene, browser)
    await react(scene, browser.page.locator('.post-body > .reactions'))
  },
  async 'react to a comment'(scene, browser) {
    await openPost(scene, browser)
    const comment = await someOf(comments(browser.page), scene)
    if (!comment) return 'no comment'
    await react(scene, comment)
  },
  async 'save a post, or not'(scene, browser) {
    await openPost(scene, browser)
    await browser.page.keyboard.press('Escape')
    await browser.page.locator('main article[aria-label=Post]').focus(PATIENCE)
    await browser.page.keyboard.press('s')
  },
  async 'pin a post, or not'(scene, browser) {
    await openPost(scene, browser)
    await browser.page.getByRole('button', { name: 'Post actions' }).click(PATIENCE)
    await browser.page.getByRole('menuitem', { name: /^(Unpin|Pin to channel)$/ }).click(PATIENCE)
  },
  async 'follow a post'(scene, browser) {
    await openPost(scene, browser)
    await browser.page
      .locator('.post-top')
      .getByRole('button', { name: /^Notifications/ })
      .click(PATIENCE)
    await (await someOf(browser.page.getByRole('menuitemradio'), scene))?.click(PATIENCE)
  },
  async 'follow a channel'(scene, { page }) {
    await go(page, `/channels/${scene.random.pick(scene.channelIds)}`)
    await openChannelMenu(page)
    await page.getByRole('menuitemradio').first().waitFor(PATIENCE)
    await (await someOf(page.getByRole('menuitemradio'), scene))?.click(PATIENCE)
  },
  async 'join or leave a channel'(scene, { page }) {
    await go(page, '/channels')
    const button = page.locator('main').getByRole('button', { name: /^(Join|Joined) / })
    await button.first().waitFor(PATIENCE)
    const chosen = await someOf(button, scene)
    const isJoined = (await chosen?.textContent())?.startsWith('Joined')
    await chosen?.click(PATIENCE)
    if (isJoined) await choose(page, 'Leave channel')
    const dialog = page.getByRole('dialog').getByRole('button', { name: 'Leave' })
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape')
  },
  async 'mark a post as unread'(scene, browser) {
    await openPost(scene, browser)
    await chooseOfPost(browser.page, 'Mark as unread')
  },
  async 'mark a comment as unread'(scene, browser) {
    await openPost(scene, browser)
    const comment = await someOf(comments(browser.page), scene)
    if (!comment) return 'no comment'
    await chooseOfComment(comment, 'Mark as unread')
  },
  async 'mark a channel as read'(scene, { page }) {
    await go(page, `/channels/${scene.random.pick(scene.channelIds)}`)
    await openChannelMenu(page)
    await choose(page, 'Mark all as read')
  },
  async 'archive or mark an entry'(scene, { page }) {
    await go(page, scene.random.pick(['/inbox', '/inbox?tab=unread', '/inbox?tab=archived']))
    const links = page.locator('main li[id^=inb_] a[data-row]')
    await links.first().waitFor(PATIENCE)
    await (await someOf(links, scene))?.focus(PATIENCE)
    await page.keyboard.press(scene.random.pick(['e', 'u', 'u']))
  },
  async 'mark the inbox as read'(_, { page }) {
    await go(page, '/inbox')
    await page.getByRole('button', { name: 'Mark all as read' }).click(PATIENCE)
  },
  async 'send a message'(scene, browser) {
    await openThread(scene, browser)
    await write(browser.page.locator('form[aria-label=Message]'), newText(scene))
  },
  async 'reply to, edit, delete or mark a message'(scene, browser) {
    const { page } = browser
    await openThread(scene, browser)
    const message = await someOf(page.locator('li.message[id]'), scene)
    if (!message) return 'no message'
    await message.hover(PATIENCE)
    const what = scene.random.pick(['Reply', 'Edit', 'Delete', 'Mark as unread'])
    if (what === 'Reply') {
      await message.getByRole('button', { name: 'Reply' }).click(PATIENCE)
      return write(page.locator('form[aria-label=Message]'), newText(scene))
    }
    await message.getByRole('button', { name: 'Message actions' }).click(PATIENCE)
    await choose(page, what)
    if (what === 'Edit') await write(page.locator('form[aria-label="Edit message"]'), newText(scene))
    if (what === 'Delete') await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click(PATIENCE)
  },
  async 'react to a message'(scene, browser) {
    await openThread(scene, browser)
    const message = await someOf(browser.page.locator('li.message[id]'), scene)
    if (!message) return 'no message'
    await message.hover(PATIENCE)
    await react(scene, message)
  },
}

/** What happens meanwhile, without a browser. */
export const throughApi: Record<string, (scene: Scene) => Promise<unknown>> = {
  async comment(scene) {
    const post_id = await somePostId(scene)
    if (post_id) await scene.root.comments.create({ post_id, content_markdown: newText(scene) })
  },
  async reply(scene) {
    const post_id = await somePostId(scene)
    const { data } = await scene.root.comments.list({ post_id: post_id!, parent_id: 'root' })
    if (data.length > 0)
      await scene.root.comments.create({
        post_id: post_id!,
        parent_id: scene.random.pick(data).id,
        content_markdown: newText(scene),
      })
  },
  async 'edit or delete a comment'(scene) {
    const { data } = await scene.root.comments.list({ post_id: (await somePostId(scene))! })
    if (data.length === 0) return
    const { id } = scene.random.pick(data)
    if (scene.random.below(2)) await scene.root.comments.delete({ id })
    else await scene.root.comments.update({ id, content_markdown: newText(scene) })
  },
  post: (scene) =>
    scene.random.pick(scene.people).posts.create({
      channel_id: scene.random.pick(scene.channelIds),
      title: `Post ${++words}`,
      content_markdown: newText(scene),
    }),
  async 'resolve or reopen'(scene) {
    const post_id = await somePostId(scene)
    if (scene.random.below(2)) await scene.root.posts.unresolve({ post_id: post_id! })
    else await scene.root.posts.resolve({ post_id: post_id!, content_markdown: newText(scene) })
  },
  async react(scene) {
    const subject_id = (await somePostId(scene))!
    const emoji = scene.random.pick(['🎉', '🍰'])
    const who = scene.random.pick(scene.people)
    if (scene.random.below(3)) await who.reactions.add({ subject_id, emoji })
    else await who.reactions.remove({ subject_id, emoji })
  },
  message: (scene) => scene.root.messages.create({ thread_id: scene.threadId, content_markdown: newText(scene) }),
  'rename a channel': (scene) =>
    scene.root.channels.update({ id: scene.random.pick(scene.channelIds), name: `channel ${++words}` }),
  async 'remove from a private channel'(scene) {
    await scene.root.channels.removeMember({
      channel_id: scene.secretId,
      member_id: scene.random.pick(scene.people).id,
    })
  },
  async 'add to a channel'(scene) {
    await scene.root.channels.addMember({
      channel_id: scene.random.pick([...scene.channelIds, scene.secretId]),
      member_id: scene.random.pick(scene.people).id,
    })
  },
  'change a role': (scene) =>
    scene.root.members.update({ id: scene.viewer.id, role: scene.random.pick(['viewer', 'member', 'guest']) }),
  async 'delete a post'(scene) {
    if (scene.random.below(3) === 0) await scene.root.posts.delete({ id: (await somePostId(scene))! })
  },
}
