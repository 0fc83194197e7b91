import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type Person, type World, world } from '../world'
import { openPage, PHONE, test, waitForHidden, waitForValue, waitForVisible } from './browser'

const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })
const section = (page: Page, name: string) => sidebar(page).getByRole('group', { name })
const link = (page: Page, name: string | RegExp) => sidebar(page).getByRole('link', { name, exact: true })
const listLinks = (within: Locator) =>
  within
    .getByRole('link')
    .evaluateAll((links) => links.map((each) => each.querySelector('.sidebar-label')?.textContent))
const top = async (of: Locator) => (await of.boundingBox())!.y
const bottom = async (of: Locator) => {
  const { y, height } = (await of.boundingBox())!
  return y + height
}

/** The channels that someone is in, by name: these and no others. */
async function join({ root, general }: World, who: Person, ...names: string[]) {
  const ids: Record<string, string> = {}
  await who.channels.leave({ channel_id: general.id })
  for (const name of names) {
    const { id } = await root.channels.create({ name })
    await root.channels.addMember({ channel_id: id, member_id: who.id })
    ids[name] = id
  }
  return ids
}

async function chooseFrom(page: Page, name: string, item: string) {
  await link(page, new RegExp(`^${name}`)).hover()
  await sidebar(page)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('the sidebar', () => {
  test('lists the channels one joined, as people sort names, and how to find the others', async () => {
    const cast = await world()
    const { ada, root } = cast
    await join(cast, ada, 'project-10', 'project-2', 'Été', 'design')
    await root.channels.create({ name: 'others' })
    const page = await openPage(cast, ada, '/posts')
    const channels = section(page, 'Channels')
    await waitForValue(() => listLinks(channels), ['design', 'Été', 'project-2', 'project-10'])
    await waitForValue(async () => (await listLinks(sidebar(page))).slice(0, 4), ['Inbox', 'Posts', 'Threads', 'Saved'])
    await link(page, 'Browse channels').click()
    await page.getByRole('main').getByRole('button', { name: 'Join others' }).click()
    await waitForValue(() => listLinks(channels), ['design', 'Été', 'others', 'project-2', 'project-10'])
    await root.channels.update({ id: (await root.channels.list({ name: 'others' })).data[0]!.id, name: 'project-1' })
    await waitForValue(() => listLinks(channels), ['design', 'Été', 'project-1', 'project-2', 'project-10'])
  })

  test('favourites come first, in an order of their own that keys, the menu and the mouse change', async () => {
    const cast = await world()
    const { ada } = cast
    const ids = await join(cast, ada, 'books', 'design', 'product', 'releases', 'support')
    const page = await openPage(cast, ada, '/posts')
    const other = await openPage(cast, ada, '/posts')
    const favorites = section(page, 'Favourites')
    const channels = section(page, 'Channels')
    await waitForValue(() => listLinks(channels), ['books', 'design', 'product', 'releases', 'support'])
    expect(await favorites.count()).toBe(0)

    for (const name of ['releases', 'design', 'product']) await chooseFrom(page, name, 'Add to favourites')
    await waitForValue(() => listLinks(favorites), ['releases', 'design', 'product'])
    await waitForValue(() => listLinks(channels), ['books', 'support'])
    await waitForValue(() => listLinks(section(other, 'Favourites')), ['releases', 'design', 'product'])

    await link(page, 'product').focus()
    await page.keyboard.press('Alt+ArrowUp')
    await waitForValue(() => listLinks(favorites), ['releases', 'product', 'design'])
    await page.keyboard.press('Alt+ArrowUp')
    await waitForValue(() => listLinks(favorites), ['product', 'releases', 'design'])
    await page.keyboard.press('Alt+ArrowDown')
    await waitForValue(() => listLinks(favorites), ['releases', 'product', 'design'])
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('product')
    await chooseFrom(page, 'design', 'Move up')
    await waitForValue(() => listLinks(favorites), ['releases', 'design', 'product'])

    // Onto the upper half of a row: in front of it.
    await link(page, 'product').dragTo(link(page, 'releases'), { targetPosition: { x: 40, y: 4 } })
    await waitForValue(() => listLinks(favorites), ['product', 'releases', 'design'])
    await link(page, 'support').dragTo(link(page, 'releases'), { targetPosition: { x: 40, y: 4 } })
    await waitForValue(() => listLinks(favorites), ['product', 'support', 'releases', 'design'])
    await waitForValue(() => listLinks(channels), ['books'])
    await waitForValue(() => listLinks(section(other, 'Favourites')), ['product', 'support', 'releases', 'design'])

    await chooseFrom(page, 'support', 'Remove from favourites')
    await chooseFrom(page, 'releases', 'Remove from favourites')
    await waitForValue(() => listLinks(channels), ['books', 'releases', 'support'])
    await link(page, 'support').focus()
    await page.keyboard.press('Alt+ArrowUp')
    await waitForValue(() => listLinks(channels), ['books', 'support', 'releases'])
    await waitForValue(() => ada.sidebar.get(), {
      favorite_ids: [ids.product!, ids.design!],
      channel_ids: [ids.books!, ids.support!, ids.releases!],
    })
    await waitForValue(() => listLinks(section(other, 'Channels')), ['books', 'support', 'releases'])
  })

  test('a folded section still shows what is unread, and stays folded on every device', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const ids = await join(cast, ada, 'design', 'product')
    const page = await openPage(cast, ada, '/posts')
    await waitForVisible(link(page, 'design'))
    await section(page, 'Channels').getByRole('button', { name: 'Channels', expanded: true }).click()
    await waitForHidden(link(page, 'design'))
    await bob.posts.create({ channel_id: ids.product!, content_markdown: 'Hello' })
    await waitForVisible(link(page, 'product 1 unread'))
    expect(await link(page, 'design').count()).toBe(0)
    await waitForValue(async () => (await ada.me.getPreferences()).folded_sections, ['channels'])

    const other = await openPage(cast, ada, '/inbox')
    await waitForVisible(link(other, 'product 1 unread'))
    await waitForHidden(link(other, 'design'))
    await section(other, 'Channels').getByRole('button', { name: 'Channels', expanded: false }).click()
    await waitForVisible(link(other, 'design'))
  })

  test('unread channels are bold with a count, muted ones are dimmed, and drafts are named', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const ids = await join(cast, ada, 'design', 'lunch', 'product')
    const page = await openPage(cast, ada, '/posts')
    await waitForVisible(link(page, 'design'))
    const weight = (name: string) => link(page, name).evaluate((each) => Number(getComputedStyle(each).fontWeight))
    const usual = await weight('product')
    await bob.posts.create({ channel_id: ids.design!, content_markdown: 'Hello' })
    await waitForVisible(link(page, 'design 1 unread'))
    expect(await weight('design 1 unread')).toBeGreaterThan(usual)

    await chooseFrom(page, 'lunch', 'Mute channel')
    await waitForVisible(link(page, 'lunch muted'))
    await bob.posts.create({ channel_id: ids.lunch!, content_markdown: 'Hello' })
    await chooseFrom(page, 'design', 'Mark as read')
    await waitForVisible(link(page, 'design'))
    await waitForVisible(link(page, 'lunch muted'))
    await chooseFrom(page, 'lunch', 'Unmute channel')
    await waitForHidden(link(page, /lunch muted/))

    await ada.drafts.save({ subject_id: ids.product!, content_markdown: 'Not yet' })
    await waitForVisible(link(page, /^product.*Draft/))
    await chooseFrom(page, 'product', 'Leave channel')
    await waitForHidden(link(page, /^product/))
  })

  test('only the channels scroll: direct messages and Browse channels stay in reach of fifty', async () => {
    const cast = await world()
    const { ada, bob, root, vic } = cast
    const names = Array.from({ length: 50 }, (_, at) => `channel-${at + 1}`)
    const ids = await join(cast, ada, ...names)
    for (const who of [bob, root]) await who.messages.createDirect({ member_id: ada.id, content_markdown: 'Hello' })
    const page = await openPage(cast, ada, '/posts')
    await waitForVisible(link(page, 'channel-1'))
    await waitForVisible(link(page, /^Root Admin/))
    const height = page.viewportSize()!.height
    for (const name of ['Browse channels', /^Bob Moore/, /^Root Admin/, 'Ada Lovelace'])
      expect(await bottom(link(page, name))).toBeLessThanOrEqual(height)
    expect(await top(link(page, 'channel-50'))).toBeGreaterThan(height)
    const [before, browse] = [await top(link(page, /^Inbox/)), await top(link(page, 'Browse channels'))]
    await link(page, 'channel-1').hover()
    await page.mouse.wheel(0, 5_000)
    await waitForValue(async () => (await bottom(link(page, 'channel-50'))) <= browse, true)
    expect(await top(link(page, /^Inbox/))).toBe(before)
    expect(await top(link(page, 'Browse channels'))).toBe(browse)
    // The heading of the section stays, too.
    expect(await top(section(page, 'Channels').getByRole('heading'))).toBeLessThan(browse)

    // What is opened from elsewhere is scrolled to.
    await page.goto(`${cast.baseUrl}/channels/${ids['channel-40']}`)
    await waitForVisible(link(page, 'channel-40'))
    await waitForValue(async () => (await bottom(link(page, 'channel-40'))) <= browse, true)

    // With few channels, the rest follows directly.
    const few = await openPage(cast, vic, '/posts')
    await waitForVisible(section(few, 'Channels'))
    const gap = async () => (await top(link(few, 'Browse channels'))) - (await bottom(section(few, 'Channels')))
    await waitForValue(async () => (await gap()) < 12, true)
  })

  test('at most four direct messages are listed, those that are unread in any case', async () => {
    const cast = await world()
    const { ada, root } = cast
    const others: Person[] = []
    for (const at of [1, 2, 3, 4, 5, 6]) {
      const display_name = `Person ${at}`
      const { id } = await root.members.create({ email: `person-${at}@example.com`, display_name, role: 'member' })
      others.push(await cast.tokenFor(id, ['write']))
    }
    const page = await openPage(cast, ada, '/inbox')
    for (const who of others) {
      const { thread_id } = await who.messages.createDirect({ member_id: ada.id, content_markdown: 'Hello' })
      if (who !== others[0]) await ada.reads.set({ subject_id: thread_id })
    }
    const direct = section(page, 'Direct messages')
    await waitForValue(() => listLinks(direct), ['Person 6', 'Person 5', 'Person 4', 'Person 1'])
    await waitForVisible(link(page, 'Person 1 1 unread'))
    await direct.getByRole('button', { name: 'Direct messages' }).click()
    await waitForValue(() => listLinks(direct), ['Person 1'])
  })

  test('on a phone, it is a drawer above the bottom bar, whose entries it does not repeat', async () => {
    const cast = await world()
    const { ada } = cast
    await join(cast, ada, 'design', 'product')
    const page = await openPage(cast, ada, '/posts', PHONE)
    const bar = page.getByRole('navigation', { name: 'Main' })
    await page.getByRole('button', { name: 'Open sidebar' }).click()
    await waitForVisible(link(page, 'design'))
    await waitForValue(async () => (await bottom(sidebar(page))) <= (await top(bar)), true)
    for (const name of ['Inbox', 'Posts', 'Threads']) {
      expect(await link(page, name).isVisible()).toBe(false)
      await waitForVisible(bar.getByRole('link', { name }))
    }
    for (const name of ['Saved', 'design', 'Browse channels'])
      expect((await link(page, name).boundingBox())!.height).toBe(44)

    // A long press opens the menu of a channel.
    await link(page, 'product').dispatchEvent('contextmenu')
    await page.getByRole('menuitem', { name: 'Add to favourites' }).click()
    await waitForValue(() => listLinks(section(page, 'Favourites')), ['product'])
    await bar.getByRole('link', { name: 'Threads' }).click()
    await waitForHidden(link(page, 'design'))
  })
})

describe('one word for one thing', () => {
  test('direct messages and threads have the same names in the sidebar, on their pages, in the palette and among the keys', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const page = await openPage(cast, ada, '/posts')
    const heading = page.getByRole('heading', { level: 1 })
    await section(page, 'Direct messages').getByRole('button', { name: 'New direct message' }).click()
    await waitForValue(() => heading.textContent(), 'New direct message')
    await waitForValue(() => page.title(), `New direct message · ${cast.slug}`)
    await page.goto(`${cast.baseUrl}/threads/new?with=${bob.id}`)
    await waitForValue(() => heading.textContent(), 'New direct message')
    await page.goto(`${cast.baseUrl}/threads/new`)
    await waitForValue(() => heading.textContent(), 'New thread')
    await link(page, 'Threads').click()
    await waitForValue(() => heading.textContent(), 'Threads')
    await waitForValue(() => page.title(), `Threads · ${cast.slug}`)

    await page.keyboard.press('?')
    for (const name of ['Go to threads', 'Browse channels'])
      await waitForVisible(page.getByRole('dialog').getByText(name, { exact: true }))
    await page.keyboard.press('Escape')
    for (const [text, name] of [
      ['direct', 'New direct message'],
      ['threads', 'Threads'],
      ['browse', 'Browse channels'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill(text)
      await page.getByRole('option', { name, exact: true }).click()
      await waitForValue(() => heading.textContent(), name === 'Browse channels' ? 'Channels' : name)
    }
  })
})
