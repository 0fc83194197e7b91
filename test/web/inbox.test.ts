import { describe } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import { holdNotices, joinedWorld, openPage, PHONE, test, waitForHidden, waitForValue, waitForVisible } from './browser'

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })
const badge = (page: Page, count: number) =>
  sidebar(page).getByRole('link', { name: new RegExp(`^Inbox ?${count} unread$`) })
const noBadge = (page: Page) => sidebar(page).getByRole('link', { name: 'Inbox', exact: true })
const rows = (page: Page) => page.getByRole('list', { name: 'Inbox' }).getByRole('listitem')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const unreadDot = (page: Page, text: string) => row(page, text).getByRole('img', { name: 'Unread' })
const icon = (page: Page) => page.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=icon]')!.href)
const focusedRow = (page: Page) => page.evaluate(() => document.activeElement?.closest('li')?.textContent ?? '')

describe('inbox', () => {
  test('a mention appears in every browser of a member, and reading it on one device clears the others', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const post = await ada.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: 'When?' })
    const desk = await openPage(cast, ada, '/posts')
    const phone = await openPage(cast, ada, '/inbox', PHONE)
    await Promise.all([waitForVisible(noBadge(desk)), waitForVisible(phone.getByText('You’re all caught up'))])

    const comment = await bob.comments.create({ post_id: post.id, content_markdown: `At noon, <@${ada.id}>?` })
    await waitForVisible(badge(desk, 1))
    await waitForValue(() => desk.title().then((title) => title.startsWith('(1) ')), true)
    await waitForValue(async () => (await icon(desk)).includes('icon-unread'), true)
    await waitForVisible(phone.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox 1 unread' }))
    await waitForVisible(unreadDot(phone, 'Bob Moore mentioned you'))

    await sidebar(desk)
      .getByRole('link', { name: /^Inbox/ })
      .click()
    await waitForVisible(row(desk, 'Today'))
    await waitForVisible(row(desk, 'Lunch? · #general'))
    await row(desk, 'At noon').getByRole('link').click()
    await desk.waitForURL(`**/posts/${post.id}#${comment.id}`)
    await waitForVisible(desk.getByRole('article', { name: 'Comment by Bob Moore' }))
    await waitForVisible(noBadge(desk))
    await waitForValue(() => desk.title().then((title) => title.startsWith('Lunch?')), true)
    await waitForValue(async () => (await icon(desk)).includes('icon-unread'), false)
    await waitForHidden(unreadDot(phone, 'Bob Moore mentioned you'))
    await waitForVisible(
      phone.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox', exact: true }),
    )

    await phone.getByRole('button', { name: 'Actions for Lunch?' }).click()
    await phone.getByRole('menuitem', { name: 'Mark as unread' }).click()
    await waitForVisible(badge(desk, 1))
  })

  test('entries are read, archived and restored with the keyboard', async () => {
    const cast = await world()
    const { ada, bob, root, general } = cast
    for (const title of ['First', 'Second', 'Third']) {
      const post = await ada.posts.create({ channel_id: general.id, title, content_markdown: 'Hm?' })
      await bob.comments.create({ post_id: post.id, content_markdown: `About ${title}` })
    }
    await waitForValue(async () => (await ada.unread.get()).inbox_count, 3)
    const page = await openPage(cast, ada, '/inbox')
    await waitForValue(() => rows(page).count(), 3)
    await waitForVisible(page.getByRole('link', { name: 'Unread 3' }))
    await holdNotices(page)

    await page.keyboard.press('j')
    await waitForValue(async () => (await focusedRow(page)).includes('About Third'), true)
    await page.keyboard.press('u')
    await waitForHidden(unreadDot(page, 'About Third'))
    await waitForVisible(badge(page, 2))
    await page.keyboard.press('u')
    await waitForVisible(unreadDot(page, 'About Third'))

    await page.keyboard.press('e')
    await waitForHidden(row(page, 'About Third'))
    await waitForValue(async () => (await focusedRow(page)).includes('About Second'), true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForVisible(row(page, 'About Third'))
    await page.keyboard.press('j')
    await waitForValue(async () => (await focusedRow(page)) !== '', true)
    await page.keyboard.press('e')
    await waitForValue(() => rows(page).count(), 2)

    await page.getByRole('link', { name: 'Archived' }).click()
    await waitForValue(() => rows(page).count(), 1)
    await page.keyboard.press('j')
    await waitForValue(async () => (await focusedRow(page)) !== '', true)
    await page.keyboard.press('e')
    await waitForVisible(page.getByText('Nothing archived'))
    await page.goBack()
    await waitForValue(() => rows(page).count(), 3)

    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await waitForVisible(help.getByText('Mark as read or unread'))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await waitForVisible(noBadge(page))
    await page.getByRole('link', { name: 'Unread', exact: true }).click()
    await waitForVisible(page.getByText('You’re all caught up'))

    const mention = await root.posts.create({
      channel_id: general.id,
      title: 'For you',
      content_markdown: `<@${ada.id}>, look.`,
    })
    await waitForVisible(row(page, 'Root Admin mentioned you'))
    const mentions = page.getByRole('link', { name: 'Mentions' })
    await mentions.click()
    // The list before has one row, too.
    await waitForValue(() => mentions.getAttribute('aria-current'), 'page')
    await waitForValue(() => rows(page).count(), 1)
    await page.keyboard.press('j')
    await waitForValue(async () => (await focusedRow(page)).includes('For you'), true)
    await page.keyboard.press('o')
    await page.waitForURL(`**/posts/${mention.id}`)
    await waitForVisible(noBadge(page))
  })

  test('a mention stays under Mentions, a reaction is told in a sentence, and opening a channel reads its entry', async () => {
    const cast = await world()
    const { ada, bob, root, general } = cast
    const post = await ada.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: 'When?' })
    const added = await root.channels.create({ name: 'lunch' })
    await root.channels.addMember({ channel_id: added.id, member_id: ada.id })
    await bob.comments.create({ post_id: post.id, content_markdown: `At noon, <@${ada.id}>?` })
    await root.comments.create({ post_id: post.id, content_markdown: 'Later' })
    await bob.reactions.add({ subject_id: post.id, emoji: '🎉' })
    const page = await openPage(cast, ada, '/inbox')
    await waitForVisible(row(page, 'Bob Moore reacted 🎉 to your post'))
    await waitForVisible(unreadDot(page, 'Root Admin and 1 other commented on your post'))
    await waitForVisible(unreadDot(page, 'Bob Moore mentioned you'))
    await waitForVisible(badge(page, 3))
    await bob.reactions.remove({ subject_id: post.id, emoji: '🎉' })
    await waitForHidden(row(page, 'Bob Moore reacted'))
    await page.getByRole('link', { name: 'Mentions' }).click()
    await waitForValue(() => rows(page).count(), 1)
    await waitForVisible(row(page, 'Bob Moore mentioned you'))

    await sidebar(page)
      .getByRole('link', { name: /^lunch/ })
      .click()
    await waitForVisible(badge(page, 2))
    await waitForValue(async () => (await ada.inbox.list({ about: ['added'] })).data[0]?.is_unread, false)
  })

  test('opening a channel reads that one was added to it, whatever else is unread and whenever it was', async () => {
    const cast = await world()
    const { ada, bob, root, general } = cast
    const post = await ada.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: 'When?' })
    await bob.comments.create({ post_id: post.id, content_markdown: `At noon, <@${ada.id}>?` })
    await cast.fillInboxes()
    const page = await openPage(cast, ada, '/inbox')
    await waitForVisible(badge(page, 1))
    const added = async (id: string) =>
      (await ada.inbox.list({ about: ['added'] })).data.find(({ subject }) => subject.id === id)?.is_unread

    // The channel is on the page before the inbox knows.
    const first = await root.channels.create({ name: 'first' })
    const { id } = await root.channels.create({ name: 'second', private: true })
    await page.goto(`${cast.baseUrl}/channels/${first.id}`)
    await waitForVisible(page.getByRole('heading', { name: 'first' }))
    await waitForVisible(badge(page, 1))
    await root.channels.addMember({ channel_id: first.id, member_id: ada.id })
    await cast.fillInboxes()
    await waitForValue(() => added(first.id), false)
    await waitForVisible(badge(page, 1))

    await root.channels.addMember({ channel_id: id, member_id: ada.id })
    await root.posts.create({ channel_id: id, title: 'News', content_markdown: 'Unread.' })
    await cast.fillInboxes()
    await waitForVisible(badge(page, 2))
    await sidebar(page)
      .getByRole('link', { name: /^second/ })
      .click()
    await waitForVisible(badge(page, 1))
    await waitForValue(() => added(id), false)
    // Its posts are not.
    await waitForVisible(sidebar(page).getByRole('link', { name: 'second 1 unread' }))
  })

  test('a mention stays under Mentions after it was read, until it is archived', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const post = await bob.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: `<@${ada.id}>?` })
    await cast.fillInboxes()
    const page = await openPage(cast, ada, '/inbox')
    await waitForVisible(badge(page, 1))
    const mentions = page.getByRole('link', { name: 'Mentions' })
    await mentions.click()
    await waitForValue(() => mentions.getAttribute('aria-current'), 'page')
    await waitForVisible(unreadDot(page, 'Bob Moore mentioned you'))
    await row(page, 'Lunch?').getByRole('link').click()
    await page.waitForURL(`**/posts/${post.id}`)
    await waitForVisible(noBadge(page))
    for (const goBack of [() => page.goBack(), () => page.reload()]) {
      await goBack()
      await waitForVisible(row(page, 'Bob Moore mentioned you'))
      await waitForHidden(unreadDot(page, 'Bob Moore mentioned you'))
    }
    await bob.comments.create({ post_id: post.id, content_markdown: 'Or dinner.' })
    await cast.fillInboxes()
    await page.keyboard.press('j')
    await waitForValue(async () => (await focusedRow(page)).includes('mentioned you'), true)
    await page.keyboard.press('u')
    await waitForVisible(unreadDot(page, 'Bob Moore mentioned you'))
    await page.keyboard.press('u')
    await waitForHidden(unreadDot(page, 'Bob Moore mentioned you'))
    await page.keyboard.press('e')
    await waitForVisible(page.getByText('No mentions'))
    await page.getByRole('link', { name: 'Archived' }).click()
    await waitForVisible(row(page, 'Bob Moore mentioned you'))
  })

  test('what a member may no longer see leaves the inbox at once, and a muted channel stays silent', async () => {
    const cast = await joinedWorld()
    const { ada, bob, root, general } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    for (const { id } of [ada, bob]) await root.channels.addMember({ channel_id: secret.id, member_id: id })
    const page = await openPage(cast, ada, '/inbox')
    await waitForVisible(row(page, 'Root Admin added you to #secret'))
    await bob.posts.create({ channel_id: secret.id, title: 'Plan', content_markdown: `<@${ada.id}>, psst.` })
    await waitForVisible(row(page, 'Bob Moore mentioned you'))
    await root.channels.removeMember({ channel_id: secret.id, member_id: ada.id })
    await waitForVisible(page.getByText('You’re all caught up'))
    await waitForVisible(noBadge(page))

    await page
      .getByRole('navigation', { name: 'Sidebar' })
      .getByRole('link', { name: /^general/ })
      .click()
    const menu = page.getByRole('button', { name: 'Joined', exact: true })
    await menu.click()
    await waitForVisible(page.getByRole('menuitemradio', { name: 'Mentions and replies', checked: true }))
    await page.getByRole('menuitemradio', { name: /^Nothing/ }).click()
    await menu.click()
    await waitForVisible(page.getByRole('menuitemradio', { name: /^Nothing/, checked: true }))
    await waitForValue(async () => (await ada.follows.get({ subject_id: general.id })).level, 'none')
    const loud = await root.channels.create({ name: 'loud' })
    await ada.channels.join({ channel_id: loud.id })
    await bob.posts.create({ channel_id: general.id, title: 'Quiet', content_markdown: `<@${ada.id}>?` })
    await bob.posts.create({ channel_id: loud.id, title: 'Loud', content_markdown: `<@${ada.id}>!` })
    await waitForVisible(badge(page, 1))
    await waitForVisible(sidebar(page).getByRole('link', { name: 'loud 1 unread' }))
    await waitForVisible(sidebar(page).getByRole('link', { name: 'general muted', exact: true }))
  })
})
