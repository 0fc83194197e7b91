import { describe, expect, onTestFinished } from 'bun:test'
import type { Page } from 'playwright-core'
import { choosePassword, signedIn } from '../session/browser'
import { deliver, isSigned, openReceiver } from '../webhooks/receiver'
import { type World, world } from '../world'
import { becomes, hides, shows, test, visit } from './browser'

const you = (page: Page) => page.locator('.index-foot')
const picture = (page: Page) => you(page).locator('img').getAttribute('src')
const row = (page: Page, list: string, text: string) =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: text })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click()
const secretOf = async (page: Page, title: string) =>
  (await page.getByRole('region', { name: title }).locator('code').first().textContent())!

describe('settings of one’s own', () => {
  test('change the name and the picture everywhere, and light to dark', async () => {
    const cast = await world()
    const page = await visit(cast, cast.vic, '/settings')
    await page.waitForURL('**/settings/profile')
    await shows(page.getByText('vic@example.com'))
    await page.getByLabel('Name').fill('Victoria')
    await press(page, 'Save')
    await shows(you(page).getByText('Victoria'))

    const initials = await picture(page)
    await page
      .getByLabel('Picture file')
      .setInputFiles({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no') })
    await shows(page.getByText('This file cannot be read as a picture.'))
    const buffer = await page.screenshot()
    await page.getByLabel('Picture file').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer })
    await press(page, 'Use this picture')
    await becomes(async () => (await picture(page)) !== initials, true)
    await page.getByRole('button', { name: 'Remove' }).click()
    await becomes(() => picture(page), initials)

    await page.getByRole('link', { name: 'Appearance' }).click()
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    await page.getByLabel('Dark').check()
    await becomes(ground, 'dark')
    await page.reload()
    await becomes(ground, 'dark')
    await page.getByRole('link', { name: 'About' }).click()
    await shows(page.getByRole('link', { name: 'API reference' }))
  })

  test('set a password, sign in with it, and take it away', async () => {
    const cast = await world()
    const { root } = cast
    const email = `root@${cast.slug}.example.com`
    const page = await visit(cast, root, '/settings/security')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('a horse, a staple')
    await page.getByLabel('The same again').fill('a horse, a stable')
    await press(page, 'Set password')
    await shows(page.getByText('It is not the same.'))
    await page.getByLabel('The same again').fill('a horse, a staple')
    await press(page, 'Set password')
    await shows(page.getByRole('button', { name: 'Change password' }))

    const other = await visit(cast, undefined, '/sign-in')
    await other.getByLabel('E-mail').fill(email)
    await other.getByLabel('Password').fill('a horse, a stable')
    await press(other, 'Sign in')
    await shows(other.getByRole('alert').getByText('Wrong e-mail or password.'))
    await other.getByLabel('Password').fill('a horse, a staple')
    await press(other, 'Sign in')
    await shows(you(other).getByText('Root Admin'))

    await page.getByLabel('Current password').fill('something else')
    await press(page, 'Remove password')
    await shows(page.getByText('Wrong password.'))
    await page.getByLabel('Current password').fill('a horse, a staple')
    await press(page, 'Remove password')
    await shows(page.getByRole('button', { name: 'Set password' }))
    expect((await root.me.get()).has_password).toBe(false)
  })

  test('use the password of another workspace, for who knows it', async () => {
    const [here, there] = [await world(), await world()]
    const email = `${crypto.randomUUID()}@example.com`
    const join = async (cast: World) => {
      const { id } = await cast.root.members.create({ email, display_name: 'Eve', role: 'member' })
      return cast.tokenFor(id, ['admin'])
    }
    await choosePassword(there, await join(there), 'a horse, a staple')
    const eve = await join(here)
    const page = await visit(here, eve, '/settings/security')
    const fill = async (password: string) => {
      await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password)
      await page.getByLabel('The same again').fill(password)
      await press(page, 'Set password')
    }
    await fill('a horse, a stable')
    await shows(page.getByText('You already have a password, in another workspace. Enter it to use it here too.'))
    await page.getByLabel('Current password').fill('a horse, a staple')
    await fill('a horse, a stable')
    await shows(page.getByRole('button', { name: 'Change password' }))
    expect((await eve.me.get()).has_password).toBe(true)
  })

  test('end a session, and all of them', async () => {
    const cast = await world()
    const { ada } = cast
    const [page, other] = [await visit(cast, ada, '/settings/security'), await visit(cast, ada, '/posts')]
    await signedIn(cast, ada, {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    })
    await page.reload()
    await becomes(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count(), 3)
    await shows(row(page, 'Sessions', 'This browser'))
    await row(page, 'Sessions', 'Firefox').getByRole('button').click()
    await hides(row(page, 'Sessions', 'Firefox'))
    await becomes(async () => (await ada.sessions.list()).total_count, 2)

    await page.evaluate(() => localStorage.setItem('parley:drafts', '{"post:new":"Mine"}'))
    await press(page, 'Sign out everywhere')
    await inDialog(page, 'Sign out everywhere')
    await page.waitForURL('**/sign-in')
    expect(await page.evaluate(() => localStorage.getItem('parley:drafts'))).toBeNull()
    await other.waitForURL('**/sign-in?**')
    expect((await ada.sessions.list()).total_count).toBe(0)
  })

  test('make a token that works until it is revoked', async () => {
    const cast = await world()
    const page = await visit(cast, cast.ada, '/settings/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Backup')
    expect(await page.getByRole('radio', { name: 'Everything, as an admin' }).getAttribute('aria-disabled')).toBe(
      'true',
    )
    await page.getByLabel('Read and write').check()
    await page.getByLabel('How long').selectOption('A year')
    await press(page, 'Create token')
    const token = await secretOf(page, 'Backup')
    expect(await page.getByRole('region', { name: 'Backup' }).locator('code').last().textContent()).toBe(
      `curl -H "Authorization: Bearer ${token}" ${cast.baseUrl}/v2/me`,
    )
    const me = await cast.as(token).me.get()
    expect(me).toMatchObject({ author: { id: cast.ada.id }, scopes: ['write'] })

    await shows(row(page, 'Tokens', 'Backup').getByText('Reads and writes'))
    await press(page, 'I have kept it')
    await press(page, 'Revoke Backup')
    await inDialog(page, 'Revoke')
    await hides(row(page, 'Tokens', 'Backup'))
    await becomes(async () => (await cast.raw({ token } as never, '/v2/me')).status, 401)
  })
})

describe('settings of admins', () => {
  test('make an app with a token, and delete it', async () => {
    const cast = await world()
    const page = await visit(cast, cast.root, '/settings/apps')
    await shows(row(page, 'Apps', 'Bot'))
    await press(page, 'New app')
    await page.keyboard.type('Bot')
    await press(page, 'Create app')
    await shows(page.getByRole('dialog').getByText('already'))
    await page.getByLabel('Name').fill('Deployer')
    await press(page, 'Create app')
    await shows(page.getByRole('heading', { level: 1, name: 'Deployer' }))
    await press(page, 'New token')
    await page.keyboard.type('Pipeline')
    await press(page, 'Create token')
    const app = cast.as(await secretOf(page, 'Pipeline'))
    expect(await app.me.get()).toMatchObject({ author: { name: 'Deployer', type: 'app' }, scopes: ['read'] })

    await press(page, 'Delete app')
    await inDialog(page, 'Delete app')
    await shows(row(page, 'Apps', 'Bot'))
    await hides(row(page, 'Apps', 'Deployer'))
    await becomes(async () => (await cast.root.apps.list()).data.map(({ name }) => name), ['Bot'])
    await expect(app.me.get()).rejects.toMatchObject({ status: 401 })
  })

  test('make a webhook, try it, see what was delivered, and send it again', async () => {
    const cast = await world()
    const receiver = openReceiver()
    onTestFinished(() => void receiver.stop())
    const page = await visit(cast, cast.root, '/settings/webhooks')
    await press(page, 'New webhook')
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByLabel('Only some events').check()
    await page.getByLabel('post.created').check()
    await press(page, 'Create webhook')
    const secret = await secretOf(page, 'Secret of the webhook')
    await page.getByRole('link', { name: receiver.url }).click()
    await shows(page.getByText('post.created · made'))

    const arrived = async (count: number) => {
      await becomes(async () => {
        await deliver(cast.server)
        return receiver.received.length
      }, count)
    }
    await press(page, 'Send a test')
    await arrived(1)
    expect(receiver.received[0]!.event.type).toBe('webhook.ping' as never)
    expect(isSigned(receiver.received[0]!, secret)).toBe(true)
    await shows(row(page, 'Deliveries', 'webhook.ping').getByText('Delivered'))
    await page.getByRole('link', { name: 'webhook.ping' }).click()
    await shows(page.getByRole('dialog').getByText('Thanks'))
    await inDialog(page, 'Send again')
    await arrived(2)
    await becomes(() => page.getByRole('dialog').getByText('Thanks').count(), 2)
    await page.keyboard.press('Escape')

    const { id } = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Hello' })
    await arrived(3)
    expect((receiver.received[2]!.event.data as { id: string }).id).toBe(id)
    await shows(row(page, 'Deliveries', 'post.created').getByText('Delivered'))
    await press(page, 'Failed')
    await shows(page.getByText('None of these'))
    await press(page, 'All')

    await press(page, 'Pause')
    await shows(page.getByRole('main').getByText('Paused', { exact: true }))
    await press(page, 'Switch on')
    await page.getByRole('button', { name: 'More for this webhook' }).click()
    await page.getByRole('menuitem', { name: 'New secret' }).click()
    await inDialog(page, 'Give a new secret')
    expect(await secretOf(page, 'New secret of the webhook')).not.toBe(secret)
    await page.getByRole('button', { name: 'More for this webhook' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await inDialog(page, 'Delete webhook')
    await shows(page.getByText('No webhooks yet'))
  })

  test('replay what a webhook missed', async () => {
    const cast = await world()
    const receiver = openReceiver()
    onTestFinished(() => void receiver.stop())
    const { data: before } = await cast.root.events.list()
    const webhook = await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] })
    await cast.root.webhooks.update({ id: webhook.id, is_enabled: false })
    await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Missed' })
    await cast.root.webhooks.update({ id: webhook.id, is_enabled: true })

    const page = await visit(cast, cast.root, `/settings/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'More for this webhook' }).click()
    await page.getByRole('menuitem', { name: 'Replay' }).click()
    await page.keyboard.type('nonsense')
    await inDialog(page, 'Replay')
    await shows(page.getByRole('dialog').locator('.wrong'))
    await page.getByLabel('The last event').fill(before.at(-1)!.id)
    await inDialog(page, 'Replay')
    await hides(page.getByRole('dialog'))
    await becomes(async () => {
      await deliver(cast.server)
      return receiver.types()
    }, ['post.created'])
    await shows(row(page, 'Deliveries', 'post.created'))
  })

  test('see the webhook of another admin without its address, and may only disable or delete it', async () => {
    const cast = await world()
    const member = { email: `amy@${cast.slug}.example.com`, display_name: 'Amy', role: 'admin' } as const
    const amy = await cast.tokenFor((await cast.root.members.create(member)).id, ['admin'])
    const { id } = await amy.webhooks.create({ url: 'https://example.com/path-secret', types: ['post.created'] })

    const page = await visit(cast, cast.root, '/settings/webhooks')
    await shows(page.getByText('Owned by Amy · post.created'))
    await page.getByRole('link', { name: 'https://example.com/…' }).click()
    await shows(page.getByText('Only Amy can see what this webhook delivered.'))
    const refuses = async (role: 'button' | 'menuitem', name: string) =>
      expect(await page.getByRole(role, { name }).getAttribute('aria-disabled')).toBe('true')
    for (const name of ['Send a test', 'Edit']) await refuses('button', `${name} (Only its owner, Amy, can do this.)`)
    await page.getByRole('button', { name: 'More for this webhook' }).click()
    for (const name of ['Replay …', 'New secret …']) await refuses('menuitem', name)
    await page.keyboard.press('Escape')
    expect(await page.content()).not.toContain('path-secret')

    await press(page, 'Disable')
    await inDialog(page, 'Disable webhook')
    await shows(page.getByText('Switched off: Disabled by Root Admin.'))
    await refuses('button', 'Switch on (Only its owner, Amy, can do this.)')
    expect(await amy.webhooks.get({ id })).toMatchObject({
      is_enabled: false,
      disabled_reason: 'Disabled by Root Admin.',
    })
    await page.getByRole('button', { name: 'More for this webhook' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await inDialog(page, 'Delete webhook')
    await shows(page.getByText('No webhooks yet'))
    await expect(amy.webhooks.get({ id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('are shown to members with why they may not', async () => {
    const cast = await world()
    const page = await visit(cast, cast.ada, '/settings/apps')
    await shows(row(page, 'Apps', 'Bot'))
    const refuses = async (name: string) =>
      expect(await page.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
    await refuses('New app (Only admins can do this.)')
    await refuses('Tokens of Bot')
    await page.getByRole('link', { name: 'Webhooks (for admins)' }).click()
    await shows(page.getByText('Webhooks are for admins'))
    await refuses('New webhook (Only admins can do this.)')
    const guest = await visit(cast, cast.gus, '/settings/tokens')
    const newToken = guest.getByRole('button', { name: 'New token (Only members and admins' })
    expect(await newToken.getAttribute('aria-disabled')).toBe('true')
  })
})
