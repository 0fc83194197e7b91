import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Role } from '../../src/contract/members'
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
    await cast.root.channels.addMember({ channel_id: cast.general.id, member_id: cast.gus.id })
    await waitForVisible(page.getByRole('main').getByRole('button', { name: 'New post' }))
    await waitForHidden(page.getByText('You are not in a channel yet'))
  })
})

describe('the settings of channels', () => {
  test('name the default channels, and say whether members create channels', async () => {
    const cast = await world()
    const { root, ada, general } = cast
    const [page, other] = [await openPage(cast, root, '/settings/channels'), await openPage(cast, ada, '/channels')]
    await waitForVisible(page.getByText('There are none'))
    await page.getByRole('combobox', { name: 'Add a channel' }).click()
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
    const { id } = await cast.root.channels.create({ name: 'alerts' })
    const page = await openPage(cast, cast.ada, '/settings/hooks')
    await page.getByRole('button', { name: 'New incoming webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Grafana')
    await dialog.getByRole('combobox').selectOption({ label: 'alerts' })
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await waitForValue(async () => (await cast.ada.hooks.list()).data[0]?.target.id, id)
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
