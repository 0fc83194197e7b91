import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Role } from '../../src/contract/members'
import { picture } from '../me/pictures'
import { type World, world } from '../world'
import { openPage, PHONE, test, waitForHidden, waitForValue, waitForVisible } from './browser'

const card = (page: Page) => page.getByRole('region', { name: /^Welcome to/ })
const step = (page: Page, name: string) => card(page).getByRole('listitem').filter({ hasText: name })
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })

async function invite({ root, tokenFor }: World, role: Role) {
  const { id } = await root.members.create({ email: 'eve@example.com', display_name: 'Eve Adams', role })
  return tokenFor(id, ['admin'])
}

describe('somebody who was invited', () => {
  test('is welcomed, told where they are, and sets up what is left', async () => {
    const cast = await world()
    const { root, general } = cast
    await root.workspace.update({ name: 'Acme' })
    await root.channels.update({ id: general.id, default: true })
    await root.channels.create({ name: 'news', default: true })
    const eve = await invite(cast, 'member')
    const page = await openPage(cast, eve, '/posts')
    await waitForVisible(card(page).getByRole('heading', { name: 'Welcome to Acme, Eve' }))
    await waitForVisible(card(page).getByText('Root Admin invited you. You are in #general and #news.'))
    for (const name of ['general', 'news']) await waitForVisible(sidebar(page).getByRole('link', { name }))
    // The time zone is known from the browser.
    await waitForVisible(card(page).getByText('1 of 4 done'))
    await waitForVisible(step(page, 'Time zone').getByText('Taken from this browser.'))

    const readPicture = async () => (await root.members.get({ id: eve.id })).user.avatar_urls.base
    const initials = await readPicture()
    await card(page)
      .getByLabel('Picture file')
      .setInputFiles({
        name: 'me.png',
        mimeType: 'image/png',
        buffer: Buffer.from(await (await picture()).arrayBuffer()),
      })
    await waitForValue(async () => (await readPicture()) !== initials, true)
    await card(page).getByLabel('Your name').fill('Eva Adams')
    await card(page).getByRole('button', { name: 'Save' }).click()
    await waitForVisible(card(page).getByText('2 of 4 done'))
    expect((await root.members.get({ id: eve.id })).user.display_name).toBe('Eva Adams')
    await step(page, 'Notifications').getByRole('button', { name: 'Keep as is' }).click()
    await waitForVisible(card(page).getByText('3 of 4 done'))

    await card(page).getByRole('link', { name: 'Set a password' }).click()
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('a horse, a staple')
    await page.getByLabel('Confirm password').fill('a horse, a staple')
    await page.getByRole('button', { name: 'Set password' }).click()
    await waitForVisible(page.getByRole('button', { name: 'Change password' }))
    await sidebar(page).getByRole('link', { name: 'Posts', exact: true }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Posts' }))
    await waitForHidden(card(page))
    await waitForValue(async () => (await eve.me.getSetup()).done.length, 4)
  })

  test('is welcomed as a guest, too, in the channels they were invited to', async () => {
    const cast = await world()
    const { root, general } = cast
    await root.channels.create({ name: 'news', default: true })
    const eve = await invite(cast, 'guest')
    await root.channels.addMember({ channel_id: general.id, member_id: eve.id })
    const page = await openPage(cast, eve, '/posts', PHONE)
    await waitForVisible(card(page).getByText('Root Admin invited you. You are in #general.'))
    await waitForVisible(card(page).getByText('1 of 4 done'))
  })

  test('hides the steps, and finds them again until they are done', async () => {
    const cast = await world()
    const eve = await invite(cast, 'viewer')
    const page = await openPage(cast, eve, '/posts', PHONE)
    await card(page).getByRole('button', { name: 'Hide for now' }).click()
    await waitForHidden(card(page))
    await page.reload()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Posts' }))
    expect(await card(page).count()).toBe(0)
    await page.evaluate(() => localStorage.setItem('parley:setup-hidden-until', String(Date.now() - 1)))
    await page.reload()
    await waitForVisible(card(page))
  })

  test('sees nothing of it where all is done', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(page.getByText('No posts yet'))
    expect(await page.getByText('invited you').count()).toBe(0)
  })
})

describe('a guest without a channel', () => {
  test('sees what to do, and no way to write a post', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.gus, '/posts')
    await waitForVisible(page.getByText('You are not in a channel yet'))
    expect(await page.getByRole('main').getByRole('button', { name: 'New post' }).count()).toBe(0)
    // There is nobody to write to, either.
    const thread = await openPage(cast, cast.gus, '/threads/new')
    await waitForVisible(thread.getByText('Nobody to write to yet'))
    expect(await thread.getByRole('main').getByRole('textbox').count()).toBe(0)
    await cast.root.channels.addMember({ channel_id: cast.general.id, member_id: cast.gus.id })
    await waitForVisible(page.getByRole('main').getByRole('button', { name: 'New post' }))
    await waitForHidden(page.getByText('You are not in a channel yet'))
    await waitForVisible(thread.getByRole('textbox', { name: 'Message' }))
    await waitForHidden(thread.getByText('Nobody to write to yet'))
  })
})

describe('the settings of channels', () => {
  test('name the default channels, and say whether members create channels', async () => {
    const cast = await world()
    const { root, ada, general } = cast
    const [page, other] = [await openPage(cast, root, '/settings/channels'), await openPage(cast, ada, '/channels')]
    await waitForVisible(page.getByText('There are none'))
    await root.channels.create({ name: 'secret', private: true })
    await page.getByRole('combobox', { name: 'Add a channel' }).click()
    const secret = page.getByRole('option', { name: /secret/ })
    await waitForVisible(secret.getByText('Private: people are added to it'))
    expect(await secret.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('option', { name: /general/ }).click()
    const row = page.getByRole('list', { name: 'Default channels' }).getByText('general')
    await waitForVisible(row)
    await waitForValue(async () => (await root.channels.get({ id: general.id })).is_default, true)
    await page.getByRole('button', { name: 'Remove general' }).click()
    await waitForHidden(row)

    const create = other.getByRole('main').getByRole('button', { name: /^Create channel/ })
    await waitForValue(() => create.getAttribute('aria-disabled'), null)
    await page.getByLabel('Members can create channels').click()
    await waitForValue(() => create.getAttribute('aria-disabled'), 'true')
    expect((await ada.me.get()).workspace.members_create_channels).toBe(false)
  })
})

describe('an incoming webhook', () => {
  test('can be made for any channel its owner sees', async () => {
    const cast = await world()
    const { ada, root, general } = cast
    await ada.channels.join({ channel_id: general.id })
    const { id } = await root.channels.create({ name: 'alerts' })
    // More than are offered before one looks for one.
    for (let at = 0; at < 50; at++) await root.channels.create({ name: `project-${at}` })
    await root.channels.create({ name: 'alerts-of-others', private: true })
    const page = await openPage(cast, ada, '/settings/hooks')
    const dialog = page.getByRole('dialog', { name: 'New incoming webhook' })
    const create = async (name: string) => {
      await page.getByRole('button', { name: 'New incoming webhook' }).click()
      await dialog.getByLabel('Name').fill(name)
    }
    const targets = async () => (await ada.hooks.list()).data.map(({ target }) => target.id)
    await create('Grafana')
    await dialog.getByLabel('Posts to').selectOption({ label: 'Another channel…' })
    await dialog.getByRole('combobox', { name: 'Channel: none chosen' }).click()
    await page.getByRole('combobox', { name: 'Find a channel' }).fill('alert')
    await page.getByRole('option', { name: /^alerts/ }).click()
    await waitForVisible(dialog.getByRole('combobox', { name: 'Channel: alerts' }))
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await waitForValue(targets, [id])
    await page.getByRole('button', { name: 'Done' }).click()
    await create('Jenkins')
    await dialog.getByLabel('Posts to').selectOption({ label: 'general' })
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await waitForValue(targets, [id, general.id])

    const viewer = await openPage(cast, cast.vic, '/settings/hooks')
    await waitForVisible(viewer.getByText('No incoming webhooks yet'))
    expect(await viewer.getByRole('button', { name: 'New incoming webhook' }).count()).toBe(0)
  })
})

describe('a viewer', () => {
  test('is not offered to start a thread, which their role never can', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.vic, '/threads')
    await waitForVisible(page.getByText('No threads yet'))
    await waitForVisible(page.getByText('Select a thread from the list.'))
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
  })
})
