import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import { holdNotices, openPage, test, waitForFocus, waitForHidden, waitForValue, waitForVisible } from './browser'

const index = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })
const details = (page: Page, name: string) => page.getByRole('dialog', { name })
const people = (page: Page) => page.getByRole('list', { name: 'Members', exact: true }).getByRole('listitem')

const ONLY_MEMBER = 'You are the only member of this private channel. Archive it instead.'

async function choose(page: Page, channel: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${channel}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe('channels', () => {
  test('an admin creates, renames and makes a channel private, and adds and removes members', async () => {
    const cast = await world()
    const { root, ada } = cast
    const [page, other] = await Promise.all([openPage(cast, root, '/channels'), openPage(cast, ada, '/channels')])
    await page.getByRole('main').getByRole('button', { name: 'New channel' }).click()
    await waitForFocus(page.getByRole('dialog').getByLabel('Name'))
    await page.keyboard.type('general')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await waitForVisible(page.getByText('There is already a channel named “general”.'))
    await page.getByLabel('Name').fill('news')
    await page.getByLabel('Description (optional)').fill('What the press says')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'news' }))
    const { data } = await root.channels.list({ name: 'news' })
    const [news] = data
    await waitForValue(() => new URL(page.url()).pathname, `/channels/${news!.id}`)
    await waitForVisible(page.getByText('What the press says'))
    await waitForVisible(other.getByRole('main').getByRole('link', { name: 'news' }))

    await page.getByRole('button', { name: 'Channel actions' }).click()
    await page.getByRole('menuitem', { name: 'Details and members' }).click()
    const dialog = details(page, 'news')
    await dialog.getByLabel('Name').fill('Press')
    await dialog.getByLabel('Description').fill('Everything in print')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(details(page, 'Press'))
    await waitForVisible(other.getByRole('main').getByRole('link', { name: 'Press' }))
    await waitForVisible(other.getByText('Everything in print'))

    await details(page, 'Press').getByRole('combobox').fill('love')
    await page.getByRole('option', { name: 'Ada Lovelace' }).click()
    await details(page, 'Press').getByRole('combobox').fill('bot')
    await page.getByRole('option', { name: 'Bot' }).click()
    await waitForValue(async () => (await root.channels.members({ channel_id: news!.id })).total_count, 3)
    await waitForValue(() => people(page).count(), 3)

    await details(page, 'Press').getByLabel('Private').check()
    await waitForValue(async () => (await root.channels.get({ id: news!.id })).is_private, true)
    await waitForVisible(other.getByRole('listitem').filter({ hasText: 'Press' }).getByText('Private'))
    await details(page, 'Press').getByRole('button', { name: 'Remove Ada Lovelace' }).click()
    await waitForValue(() => people(page).count(), 2)
    await page.keyboard.press('Escape')
    await waitForHidden(details(page, 'Press'))
    await waitForVisible(page.getByRole('main').getByText('Private', { exact: true }))
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
    await waitForHidden(index(page).getByRole('link', { name: 'plans' }))
    await waitForVisible(other.getByRole('heading', { name: 'Post not found' }))
    await waitForValue(() => page.evaluate(() => localStorage.getItem('parley:recents')), '[]')
  })

  test('leaving a private channel needs confirmation, and its last member cannot leave', async () => {
    const cast = await world()
    const { root, ada } = cast
    const { id } = await root.channels.create({ name: 'secret', private: true })
    const page = await openPage(cast, root, `/channels?open=${id}`)
    const last = details(page, 'secret').getByRole('button', { name: 'Leave channel' })
    await waitForValue(() => last.getAttribute('title'), ONLY_MEMBER)
    await waitForValue(() => people(page).count(), 1)

    await root.channels.addMember({ channel_id: id, member_id: ada.id })
    await waitForValue(() => people(page).count(), 2)
    await waitForValue(() => last.getAttribute('aria-disabled'), null)
    await page.getByRole('button', { name: 'Leave channel' }).click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await waitForVisible(page.getByText('Channel not found'))
    await waitForHidden(index(page).getByRole('link', { name: 'secret' }))
  })

  test('a member joins and leaves a channel, and sees how active it is', async () => {
    const cast = await world()
    const { root, ada, general } = cast
    const [page, other] = await Promise.all([openPage(cast, ada, '/channels'), openPage(cast, root, '/channels')])
    const entry = (of: Page) => of.getByRole('list', { name: 'Channels' }).getByRole('listitem')
    await waitForVisible(entry(page).getByText('1 member · 0 posts', { exact: true }))
    await page.getByRole('button', { name: 'Join general' }).focus()
    await page.keyboard.press('Enter')
    await waitForVisible(page.getByRole('button', { name: 'Leave general' }))
    await waitForVisible(entry(other).getByText(/^2 members/))
    await ada.posts.create({ channel_id: general.id, content_markdown: 'Hello' })
    await waitForVisible(entry(page).getByText(/^2 members · 1 post · active /))

    // Also from its own page, and in step with another browser.
    await holdNotices(page)
    await page.getByRole('button', { name: 'Leave general' }).click()
    await waitForVisible(page.getByText('You left general'))
    await page.getByRole('main').getByRole('link', { name: 'general', exact: true }).click()
    await page.getByRole('button', { name: 'Join general' }).click()
    await waitForHidden(page.getByRole('button', { name: 'Join general' }))
    await waitForValue(async () => (await ada.channels.list({ joined: true })).total_count, 1)
    await root.channels.removeMember({ channel_id: general.id, member_id: ada.id })
    await waitForVisible(page.getByRole('button', { name: 'Join general' }))
    expect((await ada.channels.list({ joined: true })).total_count).toBe(0)
  })

  test('an archived channel can be restored by Undo and from the archive', async () => {
    const cast = await world()
    const { root, general } = cast
    const page = await openPage(cast, root, `/channels/${general.id}?details`)
    const archive = () => details(page, 'general').getByRole('button', { name: 'Archive channel' }).click()
    const link = index(page).getByRole('link', { name: 'general', exact: true })
    await waitForVisible(link)
    await holdNotices(page)
    await archive()
    await waitForHidden(link)
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForVisible(link)
    await waitForValue(async () => (await root.channels.list()).total_count, 1)

    await choose(page, 'general', 'Archive channel')
    await waitForVisible(page.getByText('No channels yet'))
    await page.getByRole('link', { name: 'Archived' }).click()
    await page.getByRole('button', { name: 'Unarchive general' }).click()
    await waitForVisible(page.getByText('No archived channels'))
    await waitForVisible(link)
  })

  test('a member cannot change a channel and sees why', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/channels')
    const refuses = async (name: string) => {
      const button = page.getByRole('button', { name: `${name} (Only admins can do this.)` }).last()
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    }
    await refuses('New channel')
    await refuses('Archived')
    await page.getByRole('button', { name: 'Actions for general' }).click()
    for (const action of ['Make private', 'Archive channel']) {
      const item = page.getByRole('menuitem', { name: `${action} (Only admins can do this.)` })
      expect(await item.getAttribute('aria-disabled')).toBe('true')
    }
    await page.getByRole('menuitem', { name: 'Details and members' }).click()
    await waitForValue(() => people(page).count(), 1)
    await refuses('Save')
    await refuses('Archive channel')
    const secret = page.getByRole('checkbox', { name: 'Private' })
    await secret.click({ force: true })
    expect(await secret.isChecked()).toBe(false)
    expect(await cast.events()).toEqual(['session.created'])
    expect(await page.getByRole('combobox').getAttribute('aria-disabled')).toBe('true')
  })
})
