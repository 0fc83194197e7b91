import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { insertChannel } from '../../src/store/content/channels'
import { type World, world } from '../world'
import {
  holdNotices,
  openPage,
  PHONE,
  test,
  waitForFocus,
  waitForHidden,
  waitForValue,
  waitForVisible,
} from './browser'

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })
const main = (page: Page) => page.getByRole('main')
const people = (page: Page) => page.getByRole('list', { name: 'Members', exact: true }).getByRole('listitem')
const rows = (page: Page) => page.getByRole('table', { name: 'Channels' }).locator('tbody').getByRole('row')
const row = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) })
const listNames = (page: Page) => rows(page).getByRole('link').allTextContents()
const openTab = (page: Page, name: string | RegExp) => main(page).getByRole('link', { name }).click()

const ONLY_MEMBER = 'You are the only member of this private channel. Archive it instead.'

/** Many channels that nobody is in, as there are in a large workspace. */
async function addChannels(cast: World, count: number, toName: (at: number) => string) {
  const [now] = [Date.now()]
  await cast.server.parley.engine.write(async (db) => {
    for (let at = 0; at < count; at++)
      await insertChannel(db, {
        id: cast.server.parley.newId('chan', now + at),
        workspace_key: cast.workspaceKey,
        name: toName(at),
        name_fold: toName(at),
        description: '',
        is_private: false,
        is_default: false,
        creator_id: null,
        created_at: now + at,
      })
  })
  // Nothing that was read before is current any more.
  return cast.root.channels.create({ name: 'latest' })
}

async function chooseFrom(page: Page, menu: string, item: string) {
  await main(page).getByRole('button', { name: menu }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

describe('channels', () => {
  test('an admin creates, renames and makes a channel private, and adds and removes members', async () => {
    const cast = await world()
    const { root, ada } = cast
    const [page, other] = await Promise.all([openPage(cast, root, '/channels'), openPage(cast, ada, '/channels')])
    await main(page).getByRole('button', { name: 'Create channel' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a channel' })
    await waitForFocus(dialog.getByLabel('Name'))
    await page.keyboard.type('general')
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    await waitForVisible(page.getByText('There is already a channel named “general”.'))
    await dialog.getByLabel('Name').fill('news')
    await dialog.getByLabel('Description (optional)').fill('What the press says')
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'news' }))
    const { data } = await root.channels.list({ name: 'news' })
    const [news] = data
    await waitForValue(() => new URL(page.url()).pathname, `/channels/${news!.id}`)
    await waitForVisible(page.getByText('What the press says'))
    await waitForVisible(sidebar(page).getByRole('link', { name: 'news' }))
    await waitForVisible(row(other, 'news'))

    await openTab(page, 'About')
    await main(page).getByLabel('Name').fill('Press')
    await main(page).getByLabel('Description').fill('Everything in print')
    await main(page).getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Press' }))
    await waitForVisible(row(other, 'Press').getByText('Everything in print'))

    await main(page).getByRole('combobox').fill('love')
    await page.getByRole('option', { name: 'Ada Lovelace' }).click()
    await main(page).getByRole('combobox').fill('bot')
    await page.getByRole('option', { name: 'Bot' }).click()
    await waitForValue(async () => (await root.channels.members({ channel_id: news!.id })).total_count, 3)
    await waitForValue(() => people(page).count(), 3)
    await waitForVisible(sidebar(other).getByRole('link', { name: 'Press' }))

    await main(page).getByLabel('Private').check()
    await waitForValue(async () => (await root.channels.get({ id: news!.id })).is_private, true)
    await waitForVisible(row(other, 'Press').getByText('Private'))
    await page.getByRole('button', { name: 'Remove Ada Lovelace' }).click()
    await waitForValue(() => people(page).count(), 2)
    await waitForHidden(sidebar(other).getByRole('link', { name: 'Press' }))
    await waitForVisible(main(page).getByText('Private', { exact: true }).first())

    await main(page).getByLabel('Private').click()
    await page.getByRole('button', { name: 'Make public' }).click()
    await waitForValue(async () => (await root.channels.get({ id: news!.id })).is_private, false)
  })

  test('a channel that became private disappears at once for members who are not in it', async () => {
    const cast = await world()
    const { root, ada } = cast
    const { id } = await root.channels.create({ name: 'plans' })
    const post = await root.posts.create({ channel_id: id, title: 'A plan', content_markdown: 'Soon.' })
    const page = await openPage(cast, ada, `/channels/${id}`, { expectedErrors: /Failed to load resource/ })
    await waitForVisible(page.getByRole('link', { name: 'A plan' }))
    const other = await openPage(cast, ada, `/posts/${post.id}`, { expectedErrors: /Failed to load resource/ })
    await waitForVisible(other.getByText('Soon.'))
    await root.channels.update({ id, private: true })
    await waitForVisible(page.getByRole('heading', { name: 'Channel not found' }))
    await waitForVisible(other.getByRole('heading', { name: 'Post not found' }))
    await waitForValue(() => page.evaluate(() => localStorage.getItem('parley:recents')), '[]')
  })

  test('leaving a private channel needs confirmation, and its last member cannot leave', async () => {
    const cast = await world()
    const { root, ada } = cast
    const { id } = await root.channels.create({ name: 'secret', private: true })
    const page = await openPage(cast, root, `/channels/${id}`)
    await main(page).getByRole('button', { name: 'Joined', exact: true }).click()
    const leave = page.getByRole('menuitem', { name: 'Leave channel' })
    await waitForValue(() => leave.getAttribute('title'), ONLY_MEMBER)

    await root.channels.addMember({ channel_id: id, member_id: ada.id })
    await waitForValue(() => leave.getAttribute('aria-disabled'), null)
    await leave.click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await waitForValue(() => new URL(page.url()).pathname, '/posts')
    await waitForHidden(sidebar(page).getByRole('link', { name: 'secret' }))
  })

  test('a member joins and leaves a channel, and sees how active it is', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    for (const who of [ada, bob]) await who.channels.leave({ channel_id: general.id })
    const [page, other] = await Promise.all([openPage(cast, ada, '/channels'), openPage(cast, root, '/channels')])
    await waitForVisible(row(page, 'general').getByText('1 member', { exact: true }))
    await page.getByRole('button', { name: 'Join general' }).focus()
    await page.keyboard.press('Enter')
    await waitForVisible(row(page, 'general').getByRole('button', { name: 'Joined general' }))
    await waitForVisible(sidebar(page).getByRole('link', { name: 'general' }))
    await waitForVisible(row(other, 'general').getByText('2 members'))
    await ada.posts.create({ channel_id: general.id, content_markdown: 'Hello' })
    await waitForVisible(row(page, 'general').getByText('now', { exact: true }))

    // Also from its own page, and in step with another browser.
    await holdNotices(page)
    await chooseFrom(page, 'Joined general', 'Leave channel')
    await waitForVisible(page.getByText('You left general'))
    await waitForHidden(sidebar(page).getByRole('link', { name: 'general' }))
    await row(page, 'general').getByRole('link').click()
    await page.getByRole('button', { name: 'Join general' }).click()
    await waitForHidden(page.getByRole('button', { name: 'Join general' }))
    await waitForVisible(sidebar(page).getByRole('link', { name: 'general' }))
    await waitForValue(async () => (await ada.channels.list({ joined: true })).total_count, 1)
    await root.channels.removeMember({ channel_id: general.id, member_id: ada.id })
    await waitForVisible(page.getByRole('button', { name: 'Join general' }))
    expect((await ada.channels.list({ joined: true })).total_count).toBe(0)
  })

  test('an archived channel can be restored by Undo and from the archive', async () => {
    const cast = await world()
    const { root, general } = cast
    const page = await openPage(cast, root, `/channels/${general.id}/about`)
    const link = sidebar(page).getByRole('link', { name: 'general', exact: true })
    await waitForVisible(link)
    await holdNotices(page)
    await main(page).getByRole('button', { name: 'Archive channel' }).click()
    await waitForHidden(link)
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForVisible(link)
    await waitForValue(async () => (await root.channels.list()).total_count, 1)

    await link.click()
    await openTab(page, 'About')
    await main(page).getByRole('button', { name: 'Archive channel' }).click()
    await waitForVisible(page.getByText('No channels yet'))
    await openTab(page, 'Archived 1')
    await page.getByRole('button', { name: 'Unarchive general' }).click()
    await waitForVisible(page.getByText('No archived channels'))
    await waitForVisible(link)
  })

  test('a member creates a channel, and manages it, but not who may see it, unless the workspace leaves that to admins', async () => {
    const cast = await world()
    const { ada, bob, root } = cast
    const page = await openPage(cast, ada, '/posts')
    await sidebar(page).getByRole('button', { name: 'Create channel' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a channel' })
    await dialog.getByLabel('Name').fill('books')
    expect(await dialog.getByLabel('Private').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'books' }))
    await openTab(page, 'About')
    await main(page).getByLabel('Description').fill('What we read')
    await main(page).getByRole('button', { name: 'Save' }).click()
    await main(page).getByRole('combobox').fill('bob')
    await page.getByRole('option', { name: 'Bob Moore' }).click()
    const [books] = (await ada.channels.list({ name: 'books' })).data
    await waitForValue(async () => (await ada.channels.get({ id: books!.id })).members_count, 2)
    await waitForVisible(main(page).getByText('What we read').first())
    await main(page).getByLabel('Name').fill('novels')
    await main(page).getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'novels' }))
    await main(page).getByRole('button', { name: 'Remove Bob Moore' }).click()
    await waitForValue(() => people(page).count(), 1)
    await root.channels.addMember({ channel_id: books!.id, member_id: bob.id })
    expect(await main(page).getByLabel('Private').count()).toBe(0)
    expect(await main(page).getByRole('button', { name: 'Archive channel' }).count()).toBe(0)

    // Only who created it, and admins.
    const other = await openPage(cast, bob, `/channels/${books!.id}/about`)
    await waitForValue(() => people(other).count(), 2)
    expect(await main(other).getByRole('button', { name: 'Save' }).count()).toBe(0)
    await root.workspace.update({ members_create_channels: false })
    const reason = 'Only admins create channels in this workspace. Ask one of them.'
    const button = sidebar(other).getByRole('button', { name: /^Create channel/ })
    await waitForValue(() => button.getAttribute('title'), reason)
  })

  test('an admin chooses which channels everyone joins, which are marked where one browses', async () => {
    const cast = await world()
    const { root } = cast
    const { id } = await root.channels.create({ name: 'news' })
    const page = await openPage(cast, root, `/channels/${id}/about`)
    await main(page).getByLabel('Everyone joins').check()
    await waitForValue(async () => (await root.channels.get({ id })).is_default, true)
    await sidebar(page).getByRole('link', { name: 'Browse channels' }).click()
    await waitForVisible(row(page, 'news').getByText('Everyone', { exact: true }))
    await row(page, 'news').getByRole('link').click()
    await openTab(page, 'About')
    await main(page).getByLabel('Private').check()
    await waitForHidden(main(page).getByLabel('Everyone joins'))
    await waitForValue(async () => (await root.channels.get({ id })).is_default, false)
  })

  test('what a role never has is not shown', async () => {
    const cast = await world()
    await cast.vic.channels.join({ channel_id: cast.general.id })
    const page = await openPage(cast, cast.vic, '/channels')
    await waitForVisible(row(page, 'general'))
    await waitForVisible(main(page).getByRole('link', { name: 'Joined 1' }))
    for (const name of ['Create channel', 'New direct message', 'New post'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    expect(
      await main(page)
        .getByRole('link', { name: /^Archived/ })
        .count(),
    ).toBe(0)
    await row(page, 'general').getByRole('link').click()
    await openTab(page, 'About')
    await waitForValue(() => people(page).count(), 4)
    await waitForVisible(main(page).getByText('Everyone in the workspace except guests'))
    for (const name of ['Save', 'Archive channel', 'Remove Root Admin', 'New post'])
      expect(await main(page).getByRole('button', { name }).count()).toBe(0)
    expect(await main(page).getByRole('textbox').count()).toBe(0)
    expect(await main(page).getByRole('combobox').count()).toBe(0)
  })
})

describe('browsing channels', () => {
  test('they are filtered, and sorted by activity, name, members or how well they match', async () => {
    const cast = await world()
    const { root, ada, bob, vic } = cast
    const made: Record<string, string> = {}
    for (const name of ['project-10', 'project-2', 'old project', 'Project'])
      made[name] = (await root.channels.create({ name, description: `About ${name}` })).id
    for (const who of [ada, bob, vic]) await who.channels.join({ channel_id: made['project-2']! })
    await root.channels.delete({ id: (await root.channels.create({ name: 'project-1' })).id })
    await ada.posts.create({ channel_id: made['old project']!, content_markdown: 'Hello' })

    const page = await openPage(cast, root, '/channels')
    await waitForValue(async () => (await listNames(page))[0], 'old project')
    for (const tab of ['All 5', 'Joined 5', 'Archived 1'])
      await waitForVisible(main(page).getByRole('link', { name: tab }))
    const sortBy = async (order: string) => {
      await main(page)
        .getByRole('button', { name: /^Sort by/ })
        .click()
      await page.getByRole('menuitemradio', { name: order }).click()
    }
    await sortBy('Name')
    await waitForValue(async () => (await listNames(page)).slice(0, 3), ['general', 'old project', 'Project'])
    await sortBy('Members')
    await waitForValue(async () => (await listNames(page))[0], 'project-2')
    await sortBy('Last post')
    await waitForValue(async () => (await listNames(page))[0], 'old project')

    const filter = main(page).getByRole('textbox', { name: 'Filter by name or description' })
    await filter.fill('project')
    await waitForVisible(main(page).getByRole('button', { name: 'Sort by: Best match' }))
    await waitForValue(async () => (await listNames(page)).length, 4)
    await waitForValue(async () => (await listNames(page))[0], 'Project')
    await waitForValue(async () => (await listNames(page)).at(-1), 'old project')
    await waitForVisible(main(page).getByRole('link', { name: 'All 4' }))
    await openTab(page, 'Archived 1')
    await waitForVisible(page.getByRole('button', { name: 'Unarchive project-1' }))
    await page.reload()
    await waitForVisible(page.getByRole('button', { name: 'Unarchive project-1' }))
    await main(page).getByRole('button', { name: 'Clear filter' }).click()
    await openTab(page, /^Joined/)
    await waitForValue(async () => (await listNames(page)).length, 5)
  })

  test('a filter that nothing matches offers to create a channel of that name', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.root, '/channels')
    await main(page).getByRole('textbox', { name: 'Filter by name or description' }).fill('payroll')
    await waitForVisible(page.getByRole('heading', { name: 'No channels match “payroll”' }))
    await page.getByRole('button', { name: 'Create #payroll' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a channel' })
    await waitForValue(() => dialog.getByLabel('Name').inputValue(), 'payroll')
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'payroll' }))
  })

  test('of a thousand channels, each can be opened, found and reached by scrolling', async () => {
    const cast = await world()
    const { root, ada } = cast
    await addChannels(cast, 1_000, (at) => `project-${at + 1}`)
    const { data } = await root.channels.list({ name: 'project-997' })
    const page = await openPage(cast, ada, `/channels/${data[0]!.id}`)
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'project-997' }))
    await waitForVisible(page.getByText('No posts yet'))
    expect(
      await sidebar(page)
        .getByRole('link', { name: /^project/ })
        .count(),
    ).toBe(0)

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('project-998')
    await page.getByRole('option', { name: 'project-998' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'project-998' }))

    // A hundred others match, too.
    await page.goto(`${cast.baseUrl}/posts/new`)
    await page.getByRole('combobox', { name: /^Channel: / }).click()
    await page.getByRole('combobox', { name: 'Find a channel' }).fill('project-1')
    const found = page.getByRole('listbox').getByRole('option').locator('b')
    await waitForValue(async () => (await found.allTextContents())[0], 'project-1')
    await page.keyboard.press('Escape')

    await sidebar(page).getByRole('link', { name: 'Browse channels' }).click()
    await waitForVisible(main(page).getByRole('link', { name: 'All 1,002' }))
    await page.goto(`${cast.baseUrl}/channels?sort=name`)
    await waitForVisible(row(page, 'general'))
    await waitForValue(async () => {
      await page.mouse.move(640, 600)
      await page.mouse.wheel(0, 20_000)
      return (await row(page, 'project-300').count()) > 0
    }, true)
    await main(page).getByRole('button', { name: 'Join project-300' }).click()
    await waitForVisible(sidebar(page).getByRole('link', { name: 'project-300' }))
  })
})

describe('the head of a channel', () => {
  test('says who is in it, and has a star and a menu for what one hears of it', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    await root.channels.update({ id: general.id, description: 'News and questions' })
    for (const who of [ada, bob]) await who.channels.join({ channel_id: general.id })
    await bob.posts.create({ channel_id: general.id, title: 'Offsite', content_markdown: 'Where?' })
    const page = await openPage(cast, ada, `/channels/${general.id}`)
    await waitForVisible(main(page).getByRole('link', { name: '3 members' }))
    await waitForVisible(main(page).getByText('News and questions'))
    await waitForVisible(sidebar(page).getByRole('link', { name: 'general 1 unread' }))

    await main(page).getByRole('button', { name: 'Add to favourites' }).click()
    await waitForVisible(
      sidebar(page)
        .getByRole('group', { name: 'Favourites' })
        .getByRole('link', { name: /^general/ }),
    )
    await waitForVisible(main(page).getByRole('button', { name: 'Remove from favourites', pressed: true }))
    await waitForValue(() => ada.sidebar.get(), { favorite_ids: [general.id], channel_ids: [] })

    const menu = main(page).getByRole('button', { name: 'Joined', exact: true })
    await chooseFrom(page, 'Joined', 'Mark all as read')
    await waitForVisible(sidebar(page).getByRole('link', { name: 'general', exact: true }))
    for (const [choice, level] of [
      ['All posts', 'all'],
      ['Mentions and replies', 'mentions'],
      ['Nothing, mute the channel', 'none'],
    ] as const) {
      await menu.click()
      await page.getByRole('menuitemradio', { name: choice }).click()
      await waitForValue(async () => (await ada.follows.get({ subject_id: general.id })).level, level)
      await menu.click()
      await waitForVisible(page.getByRole('menuitemradio', { name: choice, checked: true }))
      await page.keyboard.press('Escape')
    }
    await waitForVisible(sidebar(page).getByRole('link', { name: 'general muted' }))
    await chooseFrom(page, 'Joined', 'Remove from favourites')
    await waitForHidden(sidebar(page).getByRole('group', { name: 'Favourites' }))
    await chooseFrom(page, 'Joined', 'Leave channel')
    await waitForVisible(main(page).getByRole('button', { name: 'Join general' }))
    await waitForHidden(sidebar(page).getByRole('link', { name: /^general/ }))
  })

  test('its tabs are posts, files and what it is about, and the choice beside them shows and sorts posts', async () => {
    const cast = await world()
    const { ada, general } = cast
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Done', content_markdown: 'Was it?' })
    await ada.posts.resolve({ post_id: id })
    await ada.posts.create({ channel_id: general.id, title: 'Open', content_markdown: 'Is it?' })
    const page = await openPage(cast, ada, `/channels/${general.id}`)
    const choice = main(page).getByRole('button', { name: /^Show/ })
    await waitForVisible(main(page).getByRole('button', { name: 'Show: All posts, newest' }))
    await choice.click()
    await page.getByRole('menuitemradio', { name: 'Open posts' }).click()
    await waitForHidden(main(page).getByRole('link', { name: 'Done', exact: true }))
    await choice.click()
    await page.getByRole('menuitemradio', { name: 'Last activity' }).click()
    await waitForVisible(main(page).getByRole('button', { name: 'Show: Open posts, last activity' }))
    await waitForVisible(main(page).getByRole('link', { name: 'Open', exact: true }))
    await openTab(page, 'Files')
    await waitForVisible(page.getByText('No files yet'))
    await openTab(page, 'Posts')
    await waitForVisible(main(page).getByRole('link', { name: 'Done', exact: true }))
  })

  test('on a phone, it fits', async () => {
    const cast = await world()
    const { root } = cast
    const { id } = await root.channels.create({ name: 'a-name-that-is-as-long-as-names-can-be-'.repeat(2) })
    const page = await openPage(cast, root, `/channels/${id}`, PHONE)
    await waitForVisible(main(page).getByRole('button', { name: 'Joined', exact: true }))
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
    await openTab(page, 'About')
    await waitForVisible(main(page).getByLabel('Name'))
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
  })
})
