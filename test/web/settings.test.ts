import { describe, expect, onTestFinished } from 'bun:test'
import type { Page } from 'playwright-core'
import { choosePassword, signedIn } from '../session/browser'
import { deliver, isSigned, openReceiver } from '../webhooks/receiver'
import { type World, world } from '../world'
import { holdNotices, openPage, test, waitForFocus, waitForHidden, waitForValue, waitForVisible } from './browser'

const accountLink = (page: Page) => page.locator('.sidebar-foot')
const picture = (page: Page) =>
  accountLink(page)
    .locator('.avatar')
    .evaluate((avatar) => avatar.getAttribute('src') ?? avatar.getAttribute('data-letters'))
const row = (page: Page, list: string, text: string) =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: text })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click()
const getSecret = async (page: Page, title: string) =>
  (await page.getByRole('region', { name: title }).locator('code').first().textContent())!

describe('personal settings', () => {
  test('a member changes their name, picture and theme', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.vic, '/settings')
    await page.waitForURL('**/settings/profile')
    await waitForValue(() => page.getByLabel('E-mail').inputValue(), 'vic@example.com')
    await page.getByLabel('Name').fill('Victoria')
    await press(page, 'Save')
    await waitForVisible(accountLink(page).getByText('Victoria'))

    const initials = await picture(page)
    await page
      .getByLabel('Picture file')
      .setInputFiles({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no') })
    await waitForVisible(page.getByText('This file is not a supported picture.'))
    const buffer = await page.screenshot()
    await page.getByLabel('Picture file').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer })
    await press(page, 'Use this picture')
    await waitForValue(async () => (await picture(page)) !== initials, true)
    await page.getByRole('button', { name: 'Remove' }).click()
    await waitForValue(() => picture(page), initials)

    await page.getByRole('link', { name: 'Appearance' }).click()
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    await page.getByLabel('Dark').check()
    await waitForValue(ground, 'dark')
    await page.reload()
    await waitForValue(ground, 'dark')
    await page.getByRole('link', { name: 'About' }).click()
    await waitForVisible(page.getByRole('link', { name: 'API reference' }))
  })

  test('a member sets a password, signs in with it and removes it', async () => {
    const cast = await world()
    const { root } = cast
    const email = `root@${cast.slug}.example.com`
    const page = await openPage(cast, root, '/settings/security')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('a horse, a staple')
    await page.getByLabel('Confirm password').fill('a horse, a stable')
    await press(page, 'Set password')
    await waitForVisible(page.getByText('The passwords do not match.'))
    await page.getByLabel('Confirm password').fill('a horse, a staple')
    await press(page, 'Set password')
    await waitForVisible(page.getByRole('button', { name: 'Change password' }))

    const other = await openPage(cast, undefined, '/sign-in')
    await other.getByLabel('E-mail').fill(email)
    await other.getByLabel('Password').fill('a horse, a stable')
    await press(other, 'Sign in')
    await waitForVisible(other.getByRole('alert').getByText('Wrong e-mail or password.'))
    await other.getByLabel('Password').fill('a horse, a staple')
    await press(other, 'Sign in')
    await waitForVisible(accountLink(other).getByText('Root Admin'))

    await page.getByLabel('Current password').fill('something else')
    await press(page, 'Remove password')
    await waitForVisible(page.getByText('Wrong password.'))
    await page.getByLabel('Current password').fill('a horse, a staple')
    await press(page, 'Remove password')
    await waitForVisible(page.getByRole('button', { name: 'Set password' }))
    expect((await root.me.get()).has_password).toBe(false)
  })

  test('a password from another workspace can be used by entering it', async () => {
    const [here, there] = [await world(), await world()]
    const email = `${crypto.randomUUID()}@example.com`
    const join = async (cast: World) => {
      const { id } = await cast.root.members.create({ email, display_name: 'Eve', role: 'member' })
      return cast.tokenFor(id, ['admin'])
    }
    await choosePassword(there, await join(there), 'a horse, a staple')
    const eve = await join(here)
    const page = await openPage(here, eve, '/settings/security')
    const fill = async (password: string) => {
      await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password)
      await page.getByLabel('Confirm password').fill(password)
      await press(page, 'Set password')
    }
    await fill('a horse, a stable')
    await waitForVisible(
      page.getByText('You already have a password, in another workspace. Enter it to use it here too.'),
    )
    await page.getByLabel('Current password').fill('a horse, a staple')
    await fill('a horse, a stable')
    await waitForVisible(page.getByRole('button', { name: 'Change password' }))
    expect((await eve.me.get()).has_password).toBe(true)
  })

  test('a member ends one session, then all of them', async () => {
    const cast = await world()
    const { ada } = cast
    const [page, other] = [await openPage(cast, ada, '/settings/security'), await openPage(cast, ada, '/posts')]
    await signedIn(cast, ada, {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    })
    await page.reload()
    await waitForValue(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count(), 3)
    await waitForVisible(row(page, 'Sessions', 'This browser'))
    await row(page, 'Sessions', 'Firefox').getByRole('button').click()
    await waitForHidden(row(page, 'Sessions', 'Firefox'))
    await waitForValue(async () => (await ada.sessions.list()).total_count, 2)

    await page.evaluate(() => localStorage.setItem('parley:drafts', '{"post:new":"Mine"}'))
    await press(page, 'Sign out everywhere')
    await inDialog(page, 'Sign out everywhere')
    await page.waitForURL('**/sign-in')
    await waitForValue(() => page.evaluate(() => localStorage.getItem('parley:drafts')), null)
    await other.waitForURL('**/sign-in?**')
    expect((await ada.sessions.list()).total_count).toBe(0)
  })

  test('a token works until it is revoked', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/settings/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Backup')
    // What only admins can grant is not offered.
    expect(await page.getByRole('radio').count()).toBe(2)
    await page.getByLabel('Read and write').check()
    await page.getByLabel('Expiration').selectOption('1 year')
    await press(page, 'Create token')
    const token = await getSecret(page, 'Backup')
    expect(await page.getByRole('region', { name: 'Backup' }).locator('code').last().textContent()).toBe(
      `curl -H "Authorization: Bearer ${token}" ${cast.baseUrl}/v2/me`,
    )
    const me = await cast.as(token).me.get()
    expect(me).toMatchObject({ author: { id: cast.ada.id }, scopes: ['write'] })

    await waitForVisible(row(page, 'Tokens', 'Backup').getByText('Read and write'))
    await press(page, 'Done')
    await press(page, 'Revoke Backup')
    await inDialog(page, 'Revoke')
    await waitForHidden(row(page, 'Tokens', 'Backup'))
    await waitForValue(async () => (await cast.raw({ token } as never, '/v2/me')).status, 401)
  })
})

describe('admin settings', () => {
  test('an admin creates an app with a token and deletes it', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.root, '/settings/apps')
    await waitForVisible(row(page, 'Apps', 'Bot'))
    await press(page, 'New app')
    await waitForFocus(page.getByRole('dialog').getByLabel('Name'))
    await page.keyboard.type('Bot')
    await press(page, 'Create app')
    await waitForVisible(page.getByRole('dialog').getByText('already'))
    await page.getByLabel('Name').fill('Deployer')
    await press(page, 'Create app')
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Deployer' }))
    await press(page, 'New token')
    await waitForFocus(page.getByRole('dialog').getByLabel('Name'))
    await page.keyboard.type('Pipeline')
    await press(page, 'Create token')
    const app = cast.as(await getSecret(page, 'Pipeline'))
    expect(await app.me.get()).toMatchObject({ author: { name: 'Deployer', type: 'app' }, scopes: ['read'] })

    await press(page, 'Delete app')
    await inDialog(page, 'Delete app')
    await waitForVisible(row(page, 'Apps', 'Bot'))
    await waitForHidden(row(page, 'Apps', 'Deployer'))
    await waitForValue(async () => (await cast.root.apps.list()).data.map(({ name }) => name), ['Bot'])
    await expect(app.me.get()).rejects.toMatchObject({ status: 401 })
  })

  test('an admin creates, tests and redelivers a webhook, rotates its secret and deletes it', async () => {
    const cast = await world()
    const receiver = openReceiver()
    onTestFinished(() => void receiver.stop())
    const page = await openPage(cast, cast.root, '/settings/webhooks')
    await press(page, 'New webhook')
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('Selected events').check()
    await page.getByLabel('post.created').check()
    await press(page, 'Create webhook')
    const secret = await getSecret(page, 'Webhook secret')
    await page.getByRole('link', { name: receiver.url }).click()
    await waitForVisible(page.getByText('post.created · created'))

    const arrived = async (count: number) => {
      await waitForValue(async () => {
        await deliver(cast.server)
        return receiver.received.length
      }, count)
    }
    await press(page, 'Send a test')
    await arrived(1)
    expect(receiver.received[0]!.event.type).toBe('webhook.ping' as never)
    expect(isSigned(receiver.received[0]!, secret)).toBe(true)
    await waitForVisible(row(page, 'Deliveries', 'webhook.ping').getByText('Delivered'))
    await page.getByRole('link', { name: 'webhook.ping' }).click()
    await waitForVisible(page.getByRole('dialog').getByText('Thanks'))
    await inDialog(page, 'Send again')
    await arrived(2)
    await waitForValue(() => page.getByRole('dialog').getByText('Thanks').count(), 2)
    await page.keyboard.press('Escape')

    const { id } = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Hello' })
    await arrived(3)
    expect((receiver.received[2]!.event.data as { id: string }).id).toBe(id)
    await waitForVisible(row(page, 'Deliveries', 'post.created').getByText('Delivered'))
    await page.getByRole('link', { name: 'Failed' }).click()
    await waitForVisible(page.getByText('No deliveries with this status'))
    await page.getByRole('link', { name: 'All', exact: true }).click()

    await press(page, 'Pause')
    await waitForVisible(page.getByRole('main').getByText('Paused', { exact: true }))
    await press(page, 'Turn on')
    await page.getByRole('button', { name: 'Webhook actions' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
    await inDialog(page, 'Rotate secret')
    expect(await getSecret(page, 'New webhook secret')).not.toBe(secret)
    await page.getByRole('button', { name: 'Webhook actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await inDialog(page, 'Delete webhook')
    await waitForVisible(page.getByText('No webhooks yet'))
  })

  test('an admin replays the events a webhook missed', async () => {
    const cast = await world()
    const receiver = openReceiver()
    onTestFinished(() => void receiver.stop())
    const { data: before } = await cast.root.events.list()
    const webhook = await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] })
    await cast.root.webhooks.update({ id: webhook.id, is_enabled: false })
    await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Missed' })
    await cast.root.webhooks.update({ id: webhook.id, is_enabled: true })

    const page = await openPage(cast, cast.root, `/settings/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'Webhook actions' }).click()
    await page.getByRole('menuitem', { name: 'Replay' }).click()
    await waitForFocus(page.getByLabel('Replay after event'))
    await page.keyboard.type('nonsense')
    await inDialog(page, 'Replay')
    await waitForVisible(page.getByRole('dialog').locator('.field-error'))
    await page.getByLabel('Replay after event').fill(before.at(-1)!.id)
    await inDialog(page, 'Replay')
    await waitForHidden(page.getByRole('dialog'))
    await waitForValue(async () => {
      await deliver(cast.server)
      return receiver.types()
    }, ['post.created'])
    await waitForVisible(row(page, 'Deliveries', 'post.created'))
  })

  test('the webhook of another admin can only be disabled or deleted, and its URL is hidden', async () => {
    const cast = await world()
    const member = { email: `amy@${cast.slug}.example.com`, display_name: 'Amy', role: 'admin' } as const
    const amy = await cast.tokenFor((await cast.root.members.create(member)).id, ['admin'])
    const { id } = await amy.webhooks.create({ url: 'https://example.com/path-secret', types: ['post.created'] })

    const page = await openPage(cast, cast.root, '/settings/webhooks')
    await waitForVisible(page.getByText('Owned by Amy · post.created'))
    await page.getByRole('link', { name: 'https://example.com/…' }).click()
    await waitForVisible(page.getByText('Only Amy can see the deliveries of this webhook.'))
    const refuses = async (role: 'button' | 'menuitem', name: string) =>
      expect(await page.getByRole(role, { name }).getAttribute('aria-disabled')).toBe('true')
    for (const name of ['Send a test', 'Edit']) await refuses('button', `${name} (Only the owner, Amy, can do this.)`)
    await page.getByRole('button', { name: 'Webhook actions' }).click()
    for (const name of ['Replay…', 'Rotate secret…']) await refuses('menuitem', name)
    await page.keyboard.press('Escape')
    expect(await page.content()).not.toContain('path-secret')

    await press(page, 'Disable')
    await inDialog(page, 'Disable webhook')
    await waitForVisible(page.getByText('Turned off: Disabled by Root Admin.'))
    await refuses('button', 'Turn on (Only the owner, Amy, can do this.)')
    expect(await amy.webhooks.get({ id })).toMatchObject({
      is_enabled: false,
      disabled_reason: 'Disabled by Root Admin.',
    })
    await page.getByRole('button', { name: 'Webhook actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await inDialog(page, 'Delete webhook')
    await waitForVisible(page.getByText('No webhooks yet'))
    await expect(amy.webhooks.get({ id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a member does not see the settings of admins, also not by their address', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/settings/profile')
    const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
    const own = [
      'Profile',
      'Appearance',
      'Notifications',
      'Password and sessions',
      'Access tokens',
      'Incoming webhooks',
    ]
    await waitForValue(() => links.allTextContents(), [...own, 'Groups', 'About'])
    for (const part of ['workspace', 'channels', 'apps', 'webhooks']) {
      await page.goto(`${cast.baseUrl}/settings/${part}`)
      await waitForVisible(page.getByText('For admins only'))
      expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
    }
    const guest = await openPage(cast, cast.gus, '/settings/tokens')
    await waitForVisible(guest.getByText('Only members and admins can create tokens.'))
    expect(await guest.getByRole('button', { name: /^New token/ }).count()).toBe(0)
  })
})

describe('incoming webhooks', () => {
  test('a member creates one, tests it, and deletes it', async () => {
    const cast = await world()
    const { ada, general } = cast
    await ada.channels.join({ channel_id: general.id })
    const page = await openPage(cast, ada, '/settings/hooks')
    await press(page, 'New incoming webhook')
    await page.getByLabel('Name').fill('Grafana')
    await page.getByLabel('Posts to').selectOption({ label: 'general' })
    await inDialog(page, 'Create')
    const url = await getSecret(page, 'Address of Grafana')
    await fetch(url, { method: 'POST', body: '{"text":"*Disk* is full"}' })
    await press(page, 'Done')
    await waitForVisible(row(page, 'Incoming webhooks', 'Posts to general'))

    await holdNotices(page)
    await press(page, 'Send a test with Grafana')
    await press(page, 'Open')
    await waitForVisible(page.getByText('This is a test of the incoming webhook. Ada Lovelace sent it'))
    expect((await ada.posts.list()).data.map(({ title }) => title).at(-1)).toBe('Disk is full')
    await page.goBack()
    await waitForVisible(row(page, 'Incoming webhooks', 'last used'))
    await press(page, 'Actions for Grafana')
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await inDialog(page, 'Delete')
    await waitForVisible(page.getByText('No incoming webhooks yet'))
    expect((await fetch(url, { method: 'POST', body: '{"text":"x"}' })).status).toBe(404)
  })
})
