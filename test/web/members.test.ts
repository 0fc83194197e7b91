import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signedIn } from '../session/browser'
import { world } from '../world'
import { openPage, PHONE, test, waitForHidden, waitForValue, waitForVisible } from './browser'

const names = (page: Page) => page.locator('table tbody th .member-name > span').allTextContents()
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search members' })

async function act(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe('members', () => {
  test('members are searched, filtered and sorted, and new ones appear live', async () => {
    const cast = await world()
    const { root } = cast
    await root.members.create({ email: 'jose@example.com', display_name: 'José Núñez', role: 'viewer' })
    await root.members.create({ email: 'zoe@example.com', display_name: 'Zoë Åkerman', role: 'member' })
    const page = await openPage(cast, cast.ada, '/posts')
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Members' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Members' }))
    await waitForValue(async () => (await names(page)).slice(0, 2), ['Zoë Åkerman', 'José Núñez'])
    await waitForVisible(page.getByText('7 members'))

    await search(page).pressSequentially('NUNEZ')
    await waitForValue(() => names(page), ['José Núñez'])
    await waitForValue(() => page.locator('mark').allTextContents(), ['Núñez'])
    await waitForVisible(page.getByText('1 match', { exact: true }))
    await waitForValue(() => new URL(page.url()).search, '?q=NUNEZ')
    await search(page).fill('nobody at all')
    await waitForVisible(page.getByText('No results for “nobody at all”'))
    await page.getByRole('button', { name: 'Show all members' }).click()
    await waitForValue(() => search(page).inputValue(), '')

    await page.getByRole('combobox', { name: 'Role' }).selectOption('Viewers')
    await waitForValue(() => names(page), ['José Núñez', 'Vic Viewer'])
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Oldest first')
    await waitForValue(() => names(page), ['Vic Viewer', 'José Núñez'])
    await page.reload()
    await waitForValue(() => names(page), ['Vic Viewer', 'José Núñez'])

    const new1 = { email: 'una@example.com', display_name: 'Una Novak', role: 'viewer' } as const
    const una = await root.members.create(new1)
    await waitForValue(() => names(page), ['Vic Viewer', 'José Núñez', 'Una Novak'])
    await root.members.update({ id: cast.vic.id, role: 'member' })
    await waitForValue(() => names(page), ['José Núñez', 'Una Novak'])
    await root.members.update({ id: una.id, is_deactivated: true })
    await waitForVisible(row(page, 'Una Novak').getByText('Deactivated'))

    // Typing adds no history entries.
    await page.goBack()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Posts' }))
  })

  test('an admin invites a member, changes their role and deactivates them', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.root, '/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail addresses').fill('nia.okafor@example.com')
    await dialog.getByRole('combobox', { name: 'Role' }).click()
    await page
      .getByRole('listbox')
      .getByRole('option', { name: /^Viewer/ })
      .click()
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await waitForVisible(row(page, 'Nia Okafor').getByText('Viewer', { exact: true }))
    await act(page, 'Nia Okafor', 'New sign-in link')
    const link = await dialog.getByLabel('Link').inputValue()
    await waitForVisible(dialog.getByText(/^Works once, until /))
    await dialog.getByRole('button', { name: 'Done' }).click()

    const { pathname, hash } = new URL(link)
    const nia = await openPage(cast, undefined, pathname + hash)
    await nia.getByRole('button', { name: 'Sign in' }).click()
    await nia.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Members' }).click()
    await waitForVisible(row(nia, 'Nia Okafor').getByText('you'))
    const write = nia.getByRole('button', { name: /^New direct message/ })
    expect(await write.count()).toBe(0)

    await act(page, 'Nia Okafor', 'Change role')
    await dialog.getByRole('radio', { name: /^Member/ }).check()
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await waitForVisible(row(page, 'Nia Okafor').getByText('Member', { exact: true }))
    await waitForVisible(row(nia, 'Nia Okafor').getByText('Member', { exact: true }))
    await waitForVisible(write)

    await act(page, 'Nia Okafor', 'Deactivate')
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await waitForVisible(row(page, 'Nia Okafor').getByText('Deactivated'))
    const [known] = (await cast.root.members.list({ q: 'nia.okafor@' })).data
    await waitForValue(async () => (await cast.root.members.get({ id: known!.id })).is_deactivated, true)
    await page.getByRole('button', { name: 'Actions for Nia Okafor' }).click()
    const refused = page.getByRole('menuitem', { name: 'New sign-in link (Deactivated members cannot sign in.)' })
    expect(await refused.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('menuitem', { name: 'Reactivate' }).click()
    await waitForHidden(row(page, 'Nia Okafor').getByText('Deactivated'))

    await act(page, 'Root Admin', 'Deactivate')
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await waitForVisible(page.getByText(/Root Admin is the last active admin\. Make someone else an admin first\./))
    await waitForHidden(row(page, 'Root Admin').getByText('Deactivated'))
  })

  test('an admin sees a member’s unused sign-in link and can revoke it', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.root, `/members/${cast.bob.id}`)
    const fact = page.locator('.member-facts > div').filter({ hasText: 'Sign-in link' })
    await waitForVisible(fact.getByText('None'))
    await act(page, 'Bob Moore', 'New sign-in link')
    const dialog = page.getByRole('dialog')
    const link = await dialog.getByLabel('Link').inputValue()
    await waitForVisible(dialog.getByText(/earlier links no longer work/))
    await dialog.getByRole('button', { name: 'Done' }).click()
    await waitForVisible(fact.getByText(/^Created .+ by Root Admin, expires /))
    await fact.getByRole('button', { name: 'Revoke sign-in link' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await waitForVisible(fact.getByText('None'))
    await waitForValue(async () => (await cast.root.signInLinks.list()).total_count, 0)
    const { pathname, hash } = new URL(link)
    const bob = await openPage(cast, undefined, pathname + hash)
    await waitForVisible(bob.getByText('This link is no longer valid'))

    // Updated live when a link is created or used, and hidden from other members.
    await cast.root.members.createSignInLink({ member_id: cast.bob.id })
    await waitForVisible(fact.getByText(/by Root Admin/))
    await signedIn(cast, cast.bob)
    await waitForVisible(fact.getByText('None'))
    const ada = await openPage(cast, cast.ada, `/members/${cast.bob.id}`)
    await waitForVisible(ada.getByText('Joined'))
    expect(await ada.getByText('Sign-in link').count()).toBe(0)
  })

  test('a member sees no actions of admins', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/members', PHONE)
    await waitForVisible(page.getByRole('list', { name: 'Members' }))
    expect(await page.getByRole('table').count()).toBe(0)
    await page.getByRole('list', { name: 'Members' }).getByRole('link', { name: 'Bob Moore' }).click()
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'Bob Moore' }))
    await waitForValue(() => page.title().then((title) => title.startsWith('Bob Moore · ')), true)
    await waitForVisible(page.getByRole('link', { name: 'bob@example.com' }))
    expect(await page.getByRole('button', { name: 'Actions for Bob Moore' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Message' }).click()
    await page.waitForURL(`**/threads/new?with=${cast.bob.id}`)
    await waitForVisible(page.getByText('Bob Moore', { exact: true }))
  })

  test('a guest sees only members they share a channel or thread with', async () => {
    const cast = await world()
    await cast.bob.messages.createDirect({ member_id: cast.gus.id, content_markdown: 'Welcome.' })
    const page = await openPage(cast, cast.gus, '/members')
    await waitForValue(async () => (await names(page)).sort(), ['Bob Moore', 'Gus Guest you'])
    await page.goto(`${cast.baseUrl}/members/${cast.ada.id}`)
    await waitForVisible(page.getByText('This member does not exist, or you cannot see them.'))
  })

  test('a profile shows job title, local time and posts, and follows its changes', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    await ada.posts.create({ channel_id: general.id, title: 'From Ada', content_markdown: 'Hello' })
    await bob.posts.create({ channel_id: general.id, title: 'From Bob', content_markdown: 'Hello' })
    const page = await openPage(cast, bob, `/members/${ada.id}`)
    const posts = page.getByRole('region', { name: 'Posts' })
    await waitForVisible(posts.getByRole('link', { name: 'From Ada' }))
    expect(await posts.getByRole('link', { name: 'From Bob' }).count()).toBe(0)
    expect(await page.getByText('Local time').count()).toBe(0)

    const own = await openPage(cast, ada, `/members/${ada.id}`)
    await own.getByRole('button', { name: 'Edit profile' }).click()
    await own.getByLabel('Job title').fill('Head of engines')
    await own.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await own.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByText('Head of engines'))
    await waitForVisible(page.getByText('9 h ahead of you'))
    await waitForVisible(page.getByText('Tokyo (Asia)'))
    await ada.posts.create({ channel_id: general.id, title: 'Another', content_markdown: 'Hello' })
    await waitForVisible(posts.getByRole('link', { name: 'Another' }))
    await waitForVisible(posts.getByRole('heading', { name: 'Posts 2' }))
    await own.getByRole('link', { name: 'View your profile' }).click()
    await waitForVisible(own.getByText('same time as you').or(own.getByText('9 h ahead of you')))
  })
})
