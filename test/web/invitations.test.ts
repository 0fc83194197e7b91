import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { mailWorld, tokenIn } from '../mail/world'
import { startTestServer } from '../server'
import { type World, world } from '../world'
import { openPage, PHONE, test, waitForFocus, waitForHidden, waitForValue, waitForVisible } from './browser'

const dialogOf = (page: Page) => page.getByRole('dialog')
const addresses = (page: Page) => dialogOf(page).getByLabel('E-mail addresses')
const entries = (page: Page) => dialogOf(page).locator('.chip-field').first().locator('.entry-text').allTextContents()
const linkField = (page: Page) => dialogOf(page).getByLabel('Invite link', { exact: true })

async function choose(page: Page, label: string, option: string) {
  await dialogOf(page).getByRole('combobox', { name: label }).click()
  await page
    .getByRole('listbox')
    .getByRole('option', { name: new RegExp(`^${option}`) })
    .click()
}

async function addChannel(page: Page, name: string) {
  await dialogOf(page).getByRole('combobox', { name: 'Channels' }).fill(name)
  await page.getByRole('listbox').getByRole('option', { name }).click()
}

/** Pastes into the field that has the focus. */
const paste = (page: Page, text: string) =>
  page.evaluate((data) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', data)
    document.activeElement!.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
  }, text)

const openLink = (cast: World, url: string) => {
  const { pathname, hash } = new URL(url)
  return openPage(cast, undefined, pathname + hash, { expectedErrors: /410/ })
}

const isGone = (page: Page) => page.getByRole('heading', { name: 'This link is no longer valid' })

describe('inviting people', () => {
  test('several addresses are typed and pasted, wrong ones are marked, and each has a result', async () => {
    await using cast = await mailWorld()
    const { root, mailbox, deliver } = cast
    const releases = await root.channels.create({ name: 'releases' })
    await root.channels.update({ id: cast.general.id, default: true })
    // Whoever invites need not be in the channels.
    for (const { id } of [releases, cast.general]) await root.channels.leave({ channel_id: id })
    const page = await openPage(cast, root, '/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await waitForVisible(page.getByRole('heading', { name: `Invite people to ${cast.slug}` }))
    await waitForFocus(addresses(page))
    const send = dialogOf(page).getByRole('button', { name: /^Send/ })
    expect(await send.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.type('nia@acme.example,ada@example.com ')
    await paste(
      page,
      'Luca Ferri <luca.ferri@acme.example>\n"Okafor, Jo" <jo@acme.example>; mei@acme\nNIA@acme.example',
    )
    await waitForValue(
      () => entries(page),
      ['NIA@acme.example', 'ada@example.com', 'luca.ferri@acme.example', 'jo@acme.example', 'mei@acme'],
    )
    await waitForVisible(dialogOf(page).getByText('“mei@acme” is not an address.'))
    await waitForVisible(dialogOf(page).getByText('4 of 5 addresses are ready'))
    await dialogOf(page).getByRole('button', { name: 'Correct mei@acme' }).click()
    await waitForValue(() => addresses(page).inputValue(), 'mei@acme')
    await page.keyboard.press('End')
    await page.keyboard.type('.example')
    await page.keyboard.press('Enter')
    await waitForVisible(dialogOf(page).getByText('5 of 5 addresses are ready'))
    await dialogOf(page).getByRole('button', { name: 'Remove jo@acme.example' }).click()
    await choose(page, 'Role', 'Viewer')
    await waitForVisible(dialogOf(page).getByText('#general is for everyone.'))
    expect(await dialogOf(page).getByRole('button', { name: 'Remove general' }).count()).toBe(0)
    await addChannel(page, 'releases')
    await dialogOf(page).getByRole('button', { name: 'Send 4 invitations' }).click()

    await waitForVisible(page.getByRole('heading', { name: '3 people invited' }))
    const results = dialogOf(page).getByRole('list', { name: 'Addresses' })
    await waitForVisible(
      results.getByRole('listitem').filter({ hasText: 'ada@example.com' }).getByText('Already a member'),
    )
    await dialogOf(page).getByRole('button', { name: 'Done' }).click()
    await waitForVisible(page.getByRole('row').filter({ hasText: 'Luca Ferri' }).getByText('Viewer', { exact: true }))
    await deliver()
    expect(mailbox.mails.flatMap(({ to }) => to).sort()).toEqual([
      ...['luca.ferri@acme.example', 'mei@acme.example', 'nia@acme.example'],
    ])
    expect((await root.channels.members({ channel_id: releases.id })).total_count).toBe(3)
  })

  test('guests need a channel, and the dialog says so before anything is sent', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.root, '/members?invite', PHONE)
    await addresses(page).fill('nia@acme.example')
    await choose(page, 'Role', 'Guest')
    const send = dialogOf(page).getByRole('button', { name: 'Send invitation' })
    await waitForValue(() => send.getAttribute('title'), 'Choose a channel: guests see nothing else.')
    await addChannel(page, 'general')
    await waitForValue(() => send.getAttribute('title'), null)
    await send.click()
    await waitForVisible(page.getByRole('heading', { name: '1 person invited' }))
    expect(await cast.root.members.list({ q: 'nia@' })).toMatchObject({ data: [{ role: 'guest' }] })
  })

  test('on a server without mail, each person gets a link to pass on', async () => {
    const cast = await world(await startTestServer())
    const page = await openPage(cast, cast.root, '/members?invite')
    await addresses(page).fill('nia@acme.example, luca@acme.example,')
    await dialogOf(page).getByRole('button', { name: 'Invite 2 people' }).click()
    await waitForVisible(dialogOf(page).getByText(/^This server sends no e-mail/))
    await waitForVisible(dialogOf(page).getByRole('button', { name: 'Copy all' }))
    const url = await dialogOf(page).getByRole('textbox', { name: 'Link for nia@acme.example' }).inputValue()
    const nia = await openLink(cast, url)
    await nia.getByRole('button', { name: 'Sign in' }).click()
    await nia.waitForURL('**/posts')
  })

  test('says how many can be invited at once and in a day, and keeps the addresses', async () => {
    await using cast = await mailWorld()
    const { root } = cast
    const page = await openPage(cast, root, '/members?invite', { expectedErrors: /429/ })
    await addresses(page).focus()
    const many = (count: number, part: string) => Array.from({ length: count }, (_, at) => `${part}-${at}@acme.example`)
    await paste(page, many(51, 'nia').join('\n'))
    await waitForValue(
      () => dialogOf(page).getByRole('button', { name: /^Send/ }).getAttribute('title'),
      'Invite at most 50 people at once.',
    )
    await dialogOf(page).getByRole('button', { name: 'Remove nia-50@acme.example' }).click()
    for (let day = 0; day < 10; day++)
      await root.invitations.create({ emails: many(49, `day-${day}`), role: 'member' }).catch(() => undefined)
    await dialogOf(page).getByRole('button', { name: 'Send 50 invitations' }).click()
    await waitForVisible(
      dialogOf(page)
        .getByRole('alert')
        .getByText(/500 .*\d+ are left/),
    )
    expect(await entries(page)).toHaveLength(50)
    await Promise.all([page].map((each) => each.context().close()))
  })

  test('only admins see that people can be invited', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/members?invite')
    await waitForVisible(page.getByRole('row').filter({ hasText: 'Ada Lovelace' }))
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
    expect(await dialogOf(page).count()).toBe(0)
  })
})

describe('an invite link', () => {
  test('is made with limits, changed, used and turned off, and its use is shown live', async () => {
    await using cast = await mailWorld()
    const page = await openPage(cast, cast.root, '/members?invite')
    await dialogOf(page).getByRole('button', { name: 'Create a link' }).click()
    await waitForVisible(page.getByRole('heading', { name: 'New invite link' }))
    await choose(page, 'Ends', 'In 7 days')
    await addChannel(page, 'general')
    await dialogOf(page).getByLabel('People who can join').fill('2')
    await dialogOf(page).getByLabel('Only addresses of').fill('acme')
    await dialogOf(page).getByRole('button', { name: 'Create link' }).click()
    await waitForVisible(dialogOf(page).getByText('Must be a domain, such as acme.example.'))
    await dialogOf(page).getByLabel('Only addresses of').fill('@acme.example')
    await dialogOf(page).getByRole('button', { name: 'Create link' }).click()
    await waitForVisible(dialogOf(page).getByText(/^For @acme\.example addresses · as member · 2 uses left · ends /))
    const url = await linkField(page).inputValue()

    const nia = await openLink(cast, url)
    await waitForVisible(nia.getByRole('heading', { name: `Join ${cast.slug}` }))
    await waitForValue(() => new URL(nia.url()).hash, '')
    await nia.getByLabel('E-mail').fill('nia.okafor@acme.example')
    await nia.getByRole('button', { name: 'Continue' }).click()
    await waitForVisible(nia.getByRole('heading', { name: 'Check your e-mail' }))
    await cast.deliver()
    const token = tokenIn(cast.mailbox.to('nia.okafor@acme.example')[0]!.text)
    await nia.goto(`${cast.baseUrl}/join#token=${token}`)
    await waitForValue(() => nia.getByLabel('Your name').inputValue(), 'Nia Okafor')
    await nia.getByLabel('Your name').fill('Nia O.')
    await nia.getByRole('button', { name: /^Join/ }).click()
    await nia.waitForURL('**/posts')
    await waitForVisible(dialogOf(page).getByText(/ · 1 use left · /))

    await dialogOf(page).getByRole('button', { name: 'Change' }).click()
    await waitForValue(() => dialogOf(page).getByLabel('Only addresses of').inputValue(), 'acme.example')
    await dialogOf(page).getByLabel('Only addresses of').fill('')
    await choose(page, 'Role', 'Viewer')
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await waitForVisible(dialogOf(page).getByText(/^For any address · as viewer · 1 use left · ends /))
    expect(await linkField(page).inputValue()).toBe(url)

    await dialogOf(page).getByRole('button', { name: 'Turn off' }).click()
    await dialogOf(page).getByRole('button', { name: 'Turn off for good' }).click()
    await waitForVisible(dialogOf(page).getByRole('button', { name: 'Create a link' }))
    await waitForVisible(isGone(await openLink(cast, url)))
    // Before its server stops, which they would report.
    await Promise.all([page, nia].map((each) => each.context().close()))
  })

  test('gets a new address with a private channel, and says so', async () => {
    const cast = await world()
    const { root } = cast
    await root.channels.create({ name: 'hidden', private: true })
    const { url } = await root.inviteLinks.create({ role: 'member' })
    const page = await openPage(cast, root, '/members?invite')
    await dialogOf(page).getByRole('button', { name: 'Change' }).click()
    await waitForVisible(dialogOf(page).getByText(/If you add a private channel, the link gets a new address/))
    await addChannel(page, 'hidden')
    await dialogOf(page).getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByText('The invite link has a new address. The old one no longer works.'))
    const shown = await linkField(page).inputValue()
    expect(shown).not.toBe(url!)
    expect((await root.inviteLinks.list()).data[0]!.url).toBe(shown)
  })

  test('is in a list of all, without the address where it leads to a private channel of others', async () => {
    const cast = await world()
    const { root, ada, tokenFor } = cast
    await root.members.update({ id: ada.id, role: 'admin' })
    const admin = await tokenFor(ada.id, ['admin'])
    const hidden = await admin.channels.create({ name: 'hidden', private: true })
    await root.inviteLinks.create({ role: 'viewer', max_uses: 7 })
    await admin.inviteLinks.create({ role: 'member', channel_ids: [hidden.id] })
    const page = await openPage(cast, root, '/members?invite')
    const copy = dialogOf(page).getByRole('button', { name: /^Copy/ }).first()
    await waitForValue(() => copy.getAttribute('title'), 'It leads to a private channel you are not in.')
    await dialogOf(page).getByRole('button', { name: '1 more link' }).click()
    await waitForVisible(dialogOf(page).getByText(/as viewer · 7 uses left/))
    await admin.inviteLinks.create({ role: 'viewer', max_uses: 9 })
    await waitForVisible(dialogOf(page).getByText(/as viewer · 9 uses left/))
  })
})

describe('the join page, on a server without mail', () => {
  test('lets people in at once, unless the server knows the address', async () => {
    const cast = await world(await startTestServer())
    const { url } = await cast.root.inviteLinks.create({ role: 'member', max_uses: 1 })
    const page = await openPage(cast, cast.bob, '/posts', { expectedErrors: /409/ })
    await page.goto(`${cast.baseUrl}/join${new URL(url!).hash}`)
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Your name').fill('Nia')
    await page.getByRole('button', { name: /^Join/ }).click()
    await waitForVisible(page.getByText(/already has an account on this server/))
    await page.getByLabel('E-mail').fill('nia@acme.example')
    await page.getByRole('button', { name: /^Join/ }).click()
    await page.waitForURL('**/posts')
    // Whoever was signed in before is not any more.
    await waitForVisible(page.getByRole('link', { name: 'Nia' }))
    await waitForHidden(page.getByRole('link', { name: 'Bob Moore' }))
    await waitForVisible(isGone(await openLink(cast, url!)))
  })
})
