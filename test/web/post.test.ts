import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { callTool } from '../mcp/agent'
import { type Person, type World, world } from '../world'
import {
  chooseChannel,
  holdNotices,
  openPage,
  PHONE,
  test,
  waitForFocus,
  waitForHidden,
  waitForValue,
  waitForVisible,
} from './browser'

const text = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const title = (page: Page) => page.getByRole('heading', { level: 1 })
const comments = (page: Page) => page.locator('section.comments')
const findComment = (page: Page, words: string) => comments(page).getByRole('article').filter({ hasText: words })
const resolution = (page: Page) => page.getByRole('region', { name: 'Resolution' })
const getFocusLabel = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
const getDrafts = (page: Page) => page.evaluate(() => localStorage.getItem('parley:drafts') ?? '{}')

const createLunchPost = ({ general }: World, who: Person) =>
  who.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: 'Where do we **eat**?' })

async function choose(page: Page, menu: Locator, entry: string) {
  await menu.click()
  await page.getByRole('menuitem', { name: entry }).click()
}
const commentMenu = (comment: Locator) => comment.getByRole('button', { name: 'Comment actions' })
const postMenu = (page: Page) => page.getByRole('button', { name: 'Post actions' })

const undo = (page: Page) => page.getByRole('button', { name: 'Undo' })
const isFocused = (element: Element) => element === document.activeElement

describe('writing a post', () => {
  test('a post is written with mentions and a preview, and its draft survives a reload', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    await text(page, 'Title').fill('Lunch?')
    await text(page, 'Text').click()
    await page.keyboard.type('Where shall we ')
    await page.keyboard.press('Control+b')
    await page.keyboard.type('eat')
    await page.keyboard.press('End')
    await page.keyboard.type(', @bob')
    await waitForVisible(page.getByRole('option', { name: 'Bob Moore' }))
    await page.keyboard.press('Enter')
    await page.keyboard.type('and @bo')
    await page.getByRole('option', { name: 'Bot App' }).click()
    const written = 'Where shall we **eat**, @Bob Moore and @Bot '
    await waitForValue(() => text(page, 'Text').inputValue(), written)

    await page.reload()
    await waitForValue(() => text(page, 'Text').inputValue(), written)
    await waitForValue(() => text(page, 'Title').inputValue(), 'Lunch?')
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await waitForVisible(preview.getByRole('link', { name: '@Bob Moore' }))
    expect(await preview.locator('strong').textContent()).toBe('eat')
    await page.getByRole('button', { name: 'Preview' }).click()
    await text(page, 'Title').press('Enter')
    await waitForValue(() => getFocusLabel(page), 'Text')
    await text(page, 'Title').press('Control+Enter')

    await page.waitForURL(/\/posts\/post_/)
    await waitForValue(() => title(page).textContent(), 'Lunch?')
    await waitForVisible(page.getByRole('article', { name: 'Post' }).getByRole('link', { name: '@Bot' }))
    const [post] = (await cast.ada.posts.list({})).data
    expect(page.url()).toBe(post!.url)
    const source = await cast.raw(cast.ada, `/v2/posts/${post!.id}`, { headers: { Accept: 'text/markdown' } })
    expect(await source.text()).toBe(`Where shall we **eat**, <@${cast.bob.id}> and <@${cast.bot.id}>`)
    await waitForValue(() => getDrafts(page), '{}')

    await choose(page, postMenu(page), 'Edit')
    await waitForValue(() => text(page, 'Text').inputValue(), written.trim())
    await text(page, 'Text').fill('At @Bob Moore’s?')
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByRole('article', { name: 'Post' }).getByText('At @Bob Moore’s?'))
    await choose(page, postMenu(page), 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`**/channels/${cast.general.id}`)
    await waitForValue(async () => (await cast.ada.posts.list({})).data.length, 0)
  })

  test('publishing needs a channel, and what cannot be sent waits', async () => {
    const cast = await world()
    await cast.root.channels.create({ name: 'news' })
    const page = await openPage(cast, cast.ada, '/posts/new', { ...PHONE, expectedErrors: /Failed to load resource/ })
    const publish = page.getByRole('button', { name: 'Publish' })
    await waitForValue(() => publish.getAttribute('title'), 'Choose a channel first.')
    await chooseChannel(page, 'news')

    const area = text(page, 'Text')
    await area.fill('See the plan')
    await area.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(8, 12))
    await area.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'https://example.com/plan')
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await waitForValue(() => area.inputValue(), 'See the [plan](https://example.com/plan)')
    await area.press('End')
    await page.keyboard.type('\n- one\ntwo')
    await waitForValue(() => area.inputValue(), 'See the [plan](https://example.com/plan)\n- one\n- two')

    await page.route('**/v2/posts', (route) => route.abort())
    await publish.click()
    await page.waitForURL(/\/channels\/chan_/)
    expect((await cast.ada.posts.list({})).data).toHaveLength(0)
    await page.unroute('**/v2/posts')
    await waitForVisible(page.getByRole('main').getByRole('listitem').filter({ hasText: 'See the plan' }))
    expect((await cast.ada.posts.list({})).data).toHaveLength(1)
  })
})

describe('a post', () => {
  test('comments and replies are added, edited and deleted live', async () => {
    const cast = await world()
    const post = await createLunchPost(cast, cast.ada)
    const [page, bob] = await Promise.all([
      openPage(cast, cast.ada, `/posts/${post.id}`),
      openPage(cast, cast.bob, `/posts/${post.id}`),
    ])
    await waitForVisible(page.getByText('No comments yet'))
    await waitForVisible(bob.getByText('No comments yet'))
    await page.keyboard.press('c')
    await waitForFocus(text(page, 'Comment'))
    await page.keyboard.type('At _noon_.')
    await page.keyboard.press('Control+Enter')
    await waitForVisible(findComment(page, 'At noon.'))
    await waitForValue(() => text(page, 'Comment').inputValue(), '')
    await waitForVisible(findComment(bob, 'At noon.'))
    await waitForVisible(bob.getByRole('heading', { name: '1 comment' }))

    await findComment(bob, 'At noon.').focus()
    await bob.keyboard.press('r')
    await waitForFocus(text(bob, 'Reply to Ada Lovelace'))
    await bob.keyboard.type('Too late.')
    await bob.keyboard.press('Control+Enter')
    await waitForVisible(findComment(page, 'Too late.'))
    await waitForHidden(text(bob, 'Reply to Ada Lovelace'))
    expect(await comments(page).getByRole('article').allTextContents()).toHaveLength(2)

    await findComment(page, 'At noon.').hover()
    await choose(page, commentMenu(findComment(page, 'At noon.')), 'Edit')
    await waitForValue(() => text(page, 'Edit comment').inputValue(), 'At _noon_.')
    await text(page, 'Edit comment').fill('At one.')
    await text(page, 'Edit comment').press('Control+Enter')
    await waitForVisible(findComment(bob, 'At one.'))
    await waitForValue(() => getFocusLabel(page), 'Comment by Ada Lovelace')

    await findComment(page, 'At one.').hover()
    await choose(page, commentMenu(findComment(page, 'At one.')), 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    for (const one of [page, bob]) {
      await waitForVisible(one.getByText('This comment was deleted.'))
      await waitForVisible(one.getByRole('heading', { name: '2 comments' }))
    }
    await waitForValue(() => getFocusLabel(page), 'Deleted comment')
    await findComment(bob, 'Too late.').hover()
    await choose(bob, commentMenu(findComment(bob, 'Too late.')), 'Delete')
    await bob.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    for (const one of [page, bob]) {
      await waitForHidden(one.getByText('This comment was deleted.'))
      await waitForVisible(one.getByRole('heading', { name: 'Comments', exact: true }))
    }
    expect((await cast.ada.comments.list({ post_id: post.id })).data).toEqual([])

    await text(bob, 'Comment').fill('Then I')
    await cast.ada.posts.delete({ id: post.id })
    await waitForVisible(bob.getByText('This post was deleted.'))
    expect(await text(bob, 'Comment').inputValue()).toBe('Then I')
  })

  test('a post is resolved with a note or a comment, reopened, and reopening is undone', async () => {
    const cast = await world()
    const post = await createLunchPost(cast, cast.ada)
    const answer = await cast.bob.comments.create({ post_id: post.id, content_markdown: 'In the park.' })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`)
    await waitForVisible(findComment(page, 'In the park.'))
    await page.keyboard.press('e')
    await waitForValue(() => getFocusLabel(page), 'Note')
    await text(page, 'Note').fill('We eat **outside**.')
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await waitForVisible(resolution(page).getByText('We eat outside.'))
    await waitForHidden(page.getByRole('dialog'))

    await holdNotices(page)
    await page.keyboard.press('e')
    await waitForHidden(resolution(page))
    await waitForValue(async () => (await cast.ada.posts.get({ id: post.id })).resolution, null)
    await undo(page).click()
    await waitForVisible(resolution(page).getByText('We eat outside.'))

    await findComment(page, 'In the park.').hover()
    await findComment(page, 'In the park.').getByRole('button', { name: 'Resolve with this comment' }).click()
    await waitForVisible(resolution(page).getByText('In the park.'))
    await waitForVisible(findComment(page, 'In the park.').getByText('Answer'))
    await resolution(page).getByRole('link', { name: 'View comment' }).click()
    await waitForValue(() => page.evaluate(() => location.hash), `#${answer.id}`)
    await waitForValue(
      async () => (await cast.ada.posts.get({ id: post.id })).resolution?.resolved_comment?.id,
      answer.id,
    )

    await cast.bob.comments.update({ id: answer.id, content_markdown: 'By the lake.' })
    await waitForVisible(resolution(page).getByText('By the lake.'))
    await waitForVisible(findComment(page, 'By the lake.').getByText(/^edited /))
    await cast.bob.posts.unresolve({ post_id: post.id })
    await waitForHidden(resolution(page))
    await waitForVisible(page.getByRole('button', { name: 'Resolve', exact: true }))
  })

  test('Undo disappears with the next change to the post, and never replaces a newer resolution', async () => {
    const cast = await world()
    const post = await createLunchPost(cast, cast.ada)
    await cast.ada.posts.resolve({ post_id: post.id, content_markdown: 'At noon.' })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`)
    await waitForVisible(resolution(page).getByText('At noon.'))
    await holdNotices(page)
    await page.keyboard.press('e')
    await waitForVisible(undo(page))
    await cast.bob.posts.resolve({ post_id: post.id, content_markdown: 'At one.' })
    await waitForVisible(resolution(page).getByText('At one.'))
    await waitForHidden(undo(page))

    await page.keyboard.press('e')
    await waitForVisible(undo(page))
    await cast.bob.comments.create({ post_id: post.id, content_markdown: 'Why?' })
    await waitForHidden(undo(page))

    // The page does not hear of the newer resolution: Undo is refused by the server.
    await cast.bob.posts.resolve({ post_id: post.id, content_markdown: 'At two.' })
    await waitForVisible(resolution(page).getByText('At two.'))
    await page.keyboard.press('e')
    await waitForVisible(undo(page))
    await page.route('**/resolution', async (route) => {
      await cast.bob.posts.resolve({ post_id: post.id, content_markdown: 'At three.' })
      await route.continue()
    })
    await undo(page).click()
    await waitForVisible(page.getByText('The post has been resolved by someone else'))
    await waitForVisible(resolution(page).getByText('At three.'))
    expect((await cast.ada.posts.get({ id: post.id })).resolution).toMatchObject({
      resolved_html: '<p>At three.</p>',
      resolved_by: { id: cast.bob.id },
    })
  })

  test('deleting the answer warns first, and the resolution says that it was deleted', async () => {
    const cast = await world()
    const post = await createLunchPost(cast, cast.ada)
    const answer = await cast.bob.comments.create({ post_id: post.id, content_markdown: 'In the park.' })
    await cast.ada.posts.resolve({ post_id: post.id, comment_id: answer.id })
    const [page, bob] = await Promise.all([
      openPage(cast, cast.ada, `/posts/${post.id}`, PHONE),
      openPage(cast, cast.bob, `/posts/${post.id}`),
    ])
    await waitForVisible(resolution(page).getByText('In the park.'))
    await waitForVisible(findComment(page, 'In the park.').getByRole('button', { name: 'Reply' }))

    await waitForVisible(findComment(bob, 'In the park.'))
    await bob.keyboard.press('j')
    await waitForValue(() => getFocusLabel(bob), 'Comment by Bob Moore')
    await findComment(bob, 'In the park.').getByRole('button', { name: 'Comment actions' }).press('Enter')
    await bob.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    const question = bob.getByRole('dialog', { name: 'Delete the answer to this post?' })
    await waitForVisible(question.getByText('The post stays resolved, but without this answer.'))
    await waitForValue(() => question.getByRole('button', { name: 'Cancel' }).evaluate(isFocused), true)
    await question.getByRole('button', { name: 'Delete' }).press('Enter')
    for (const one of [page, bob])
      await waitForVisible(resolution(one).getByText('The comment that answered this was deleted.'))
    await page.reload()
    await waitForVisible(resolution(page).getByText('The comment that answered this was deleted.'))
    await waitForVisible(resolution(page).getByText(/by Ada Lovelace\s+· /))
  })

  test('a post is edited, and others see when; its headings differ in size', async () => {
    const cast = await world()
    const content_markdown = '# One\n\n## Two\n\n### Three\n\n#### Four\n\nText'
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, title: 'Sizes', content_markdown })
    for (let at = 0; at < 3; at++) await cast.bob.comments.create({ post_id: post.id, content_markdown: `Hm ${at}.` })
    const page = await openPage(cast, cast.bob, '/posts')
    const asked: string[] = []
    page.on('request', (request) => void (request.url().includes('/v2/edits') && asked.push(request.url())))
    await page.getByRole('link', { name: 'Sizes' }).first().click()
    await waitForVisible(findComment(page, 'Hm 2.'))
    await waitForValue(() => asked.length > 0, true)
    // One for the post and its comments, and the same once more if the stream of events began only then.
    expect(asked.length).toBeLessThanOrEqual(2)
    for (const url of asked) expect(new URL(url).searchParams.get('ids')!.split(',')).toHaveLength(4)
    expect(await page.getByText(/^edited/).count()).toBe(0)
    const sizes = await page
      .getByRole('article', { name: 'Post' })
      .locator(':is(h1, h2, h3, h4)')
      .evaluateAll((all) => all.map((heading) => Number.parseFloat(getComputedStyle(heading).fontSize)))
    expect(sizes).toEqual([...new Set(sizes)].sort((one, other) => other - one))
    expect(sizes).toHaveLength(4)

    await cast.ada.posts.update({ id: post.id, title: 'Sizes of headings' })
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Sizes of headings' }))
    await waitForVisible(page.getByText(/^edited /))
    await callTool(cast.ada, 'comment', { post_id: post.id, content_markdown: 'Written by an agent.' })
    await waitForVisible(findComment(page, 'Written by an agent.').getByText('via test-agent'))
    const { url } = await cast.root.hooks.create({ name: 'Bob Moore', post_id: post.id })
    await fetch(url, { method: 'POST', body: '{"text":"Not by Bob."}' })
    await waitForVisible(findComment(page, 'Not by Bob.').getByText('App', { exact: true }))
    await callTool(cast.ada, 'resolve_post', { post_id: post.id, action: 'resolve' })
    await waitForVisible(page.getByRole('region', { name: 'Resolution' }).getByText('via test-agent'))
    const margin = page.getByRole('complementary', { name: 'About this post' })
    expect(await margin.innerText()).not.toContain('#general')
    await waitForValue(() => margin.locator('dt').allTextContents(), ['State', 'Participants'])

    // A notice goes by itself.
    await margin.getByRole('button', { name: 'Copy link' }).click()
    await waitForHidden(page.getByRole('button', { name: 'Dismiss' }))
  })

  test('a permalink opens at its comment, and new comments are marked', async () => {
    const cast = await world()
    const post = await createLunchPost(cast, cast.ada)
    const all: string[] = []
    for (let at = 0; at < 130; at++)
      all.push((await cast.bob.comments.create({ post_id: post.id, content_markdown: `Number ${at}.` })).id)
    const reply = await cast.bob.comments.create({
      post_id: post.id,
      parent_id: all[120],
      content_markdown: 'So far down.',
    })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}#${reply.id}`)
    await waitForValue(() => page.locator('.comment.linked').getAttribute('id'), reply.id)
    await waitForValue(() => findComment(page, 'So far down.').evaluate((row) => row === document.activeElement), true)
    await waitForValue(() => findComment(page, 'So far down.').evaluate(isInWindow), true)
    await page.keyboard.press('j')
    await waitForValue(() => page.evaluate(() => document.activeElement?.textContent?.includes('Number 121.')), true)

    await waitForValue(async () => {
      await comments(page).getByRole('article').first().scrollIntoViewIfNeeded()
      return findComment(page, 'Number 0.').count()
    }, 1)
    await page.goto(`${cast.baseUrl}/posts`)
    await waitForVisible(page.getByRole('link', { name: 'Lunch?' }))
    const other = await cast.bob.posts.create({ channel_id: cast.general.id, content_markdown: 'Tea?' })
    await cast.bob.comments.create({ post_id: other.id, content_markdown: 'Old.' })
    await page.getByRole('link', { name: 'Tea?' }).click()
    await waitForVisible(findComment(page, 'Old.'))
    await waitForValue(async () => (await cast.ada.unread.posts({ ids: [other.id] })).data[0]!.is_unread, false)
    await page.goBack()
    // While the post is shown, a new comment is read at once.
    await waitForVisible(page.getByRole('link', { name: 'Tea?' }))
    const dot = page.getByRole('listitem').filter({ hasText: 'Tea?' }).getByRole('img', { name: 'Unread' })
    await waitForHidden(dot)
    await cast.bob.comments.create({ post_id: other.id, content_markdown: 'Fresh.' })
    await waitForVisible(dot)
    await page.getByRole('link', { name: 'Tea?' }).click()
    await waitForVisible(comments(page).getByRole('separator', { name: 'New' }))
    expect(await comments(page).locator('ol').first().innerText()).toMatch(/Old\..*New.*Fresh\./s)
  })

  test('a post is opened at its top, also on a phone, where its tools come after its comments', async () => {
    const cast = await world()
    const post = await createLunchPost(cast, cast.ada)
    for (let at = 0; at < 20; at++)
      await cast.bob.comments.create({ post_id: post.id, content_markdown: `Number ${at}.` })
    const page = await openPage(cast, cast.ada, '/posts', PHONE)
    await waitForVisible(page.getByRole('link', { name: 'Lunch?' }))
    await page.route(/\/v2\/(?!.*comments)/, async (route) => {
      await Bun.sleep(500)
      await route.continue()
    })
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await waitForVisible(findComment(page, 'Number 0.'))
    await waitForVisible(page.getByRole('button', { name: 'Resolve' }))
    await page.waitForTimeout(1_500)
    expect(await page.evaluate(() => scrollY)).toBe(0)
  })

  test('a viewer cannot write and sees why; a guest cannot open the post', async () => {
    const cast = await world()
    const post = await createLunchPost(cast, cast.ada)
    await cast.bob.comments.create({ post_id: post.id, content_markdown: 'In the park.' })
    const why = 'Viewers can read but not write. An admin can change your role.'
    const page = await openPage(cast, cast.vic, `/posts/${post.id}`)
    await findComment(page, 'In the park.').hover()
    expect(await text(page, 'Comment').getAttribute('placeholder')).toBe(why)
    expect(await text(page, 'Comment').isEditable()).toBe(false)
    for (const name of [/^Resolve \(/, /^Reply/, /^Resolve with this comment/, /^Comment \(/]) {
      const button = page.getByRole('button', { name })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await button.getAttribute('title')).toBe(why)
    }
    await postMenu(page).click()
    await waitForVisible(page.getByRole('menuitem', { name: 'Copy link' }))
    // What the role never has is not there.
    expect(await page.getByRole('menuitem', { name: /^(Edit|Delete)/ }).count()).toBe(0)

    const gus = await openPage(cast, cast.gus, `/posts/${post.id}`)
    await waitForVisible(gus.getByRole('heading', { name: 'Post not found' }))
    await cast.root.channels.addMember({ channel_id: cast.general.id, member_id: cast.gus.id })
    await gus.reload()
    await text(gus, 'Comment').fill('May I come too?')
    await gus.getByRole('button', { name: 'Comment', exact: true }).click()
    await waitForVisible(findComment(page, 'May I come too?'))
    await findComment(gus, 'In the park.').hover()
    await commentMenu(findComment(gus, 'In the park.')).click()
    await waitForVisible(gus.getByRole('menuitem', { name: 'Copy link' }))
    expect(await gus.getByRole('menuitem', { name: /^(Edit|Delete)/ }).count()).toBe(0)
  })
})

const isInWindow = (element: Element) => {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
}
