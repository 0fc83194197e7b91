import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signedIn } from '../session/browser'
import { world } from '../world'
import { becomes, hides, PHONE, shows, test, visit } from './browser'

const names = (page: Page) => page.locator('table tbody th .member-name > span').allTextContents()
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search members' })

async function act(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe('the members', () => {
  test('are found as one types, by role, in an order, and come in live', async () => {
    const cast = await world()
    const { root } = cast
    await root.members.create({ email: 'jose@example.com', display_name: 'José Núñez', role: 'viewer' })
    await root.members.create({ email: 'zoe@example.com', display_name: 'Zoë Åkerman', role: 'member' })
    const page = await visit(cast, cast.ada, '/posts')
    await page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Members' }).click()
    await shows(page.getByRole('heading', { level: 1, name: 'Members' }))
    await becomes(async () => (await names(page)).slice(0, 2), ['Zoë Åkerman', 'José Núñez'])
    await shows(page.getByText('7 members'))

    await search(page).pressSequentially('NUNEZ')
    await becomes(() => names(page), ['José Núñez'])
    await becomes(() => page.locator('mark').allTextContents(), ['Núñez'])
    await shows(page.getByText('1 match', { exact: true }))
    expect(new URL(page.url()).search).toBe('?q=NUNEZ')
    await search(page).fill('nobody at all')
    await shows(page.getByText('No results for “nobody at all”'))
    await page.getByRole('button', { name: 'Show all members' }).click()
    await becomes(() => search(page).inputValue(), '')

    await page.getByRole('combobox', { name: 'Role' }).selectOption('Viewers')
    await becomes(() => names(page), ['José Núñez', 'Vic Viewer'])
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Oldest first')
    await becomes(() => names(page), ['Vic Viewer', 'José Núñez'])
    await page.reload()
    await becomes(() => names(page), ['Vic Viewer', 'José Núñez'])

    const new1 = { email: 'una@example.com', display_name: 'Una Novak', role: 'viewer' } as const
    const una = await root.members.create(new1)
    await becomes(() => names(page), ['Vic Viewer', 'José Núñez', 'Una Novak'])
    await root.members.update({ id: cast.vic.id, role: 'member' })
    await becomes(() => names(page), ['José Núñez', 'Una Novak'])
    await root.members.update({ id: una.id, is_deactivated: true })
    await shows(row(page, 'Una Novak').getByText('Deactivated'))

    // What was typed is no step of the way back.
    await page.goBack()
    await shows(page.getByRole('heading', { level: 1, name: 'All posts' }))
  })

  test('are invited, change their role, and are deactivated by an admin', async () => {
    const cast = await world()
    const page = await visit(cast, cast.root, '/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail address').fill('ada@example.com')
    await dialog.getByLabel('Name').fill('Nia Okafor')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await shows(dialog.getByText('ada@example.com is a member of this workspace already.'))
    await dialog.getByLabel('E-mail address').fill('nia@example.com')
    await dialog.getByRole('radio', { name: /^Viewer/ }).check()
    await dialog.getByRole('button', { name: 'Invite' }).click()
    const link = await dialog.getByLabel('Link').inputValue()
    await shows(dialog.getByText(/^Works once, until /))
    await dialog.getByRole('button', { name: 'Done' }).click()
    await shows(row(page, 'Nia Okafor').getByText('Viewer', { exact: true }))

    const { pathname, hash } = new URL(link)
    const nia = await visit(cast, undefined, pathname + hash)
    await nia.getByRole('button', { name: 'Sign in' }).click()
    await nia.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name: 'Members' }).click()
    await shows(row(nia, 'Nia Okafor').getByText('you'))
    const write = nia.getByRole('button', { name: /^New post/ })
    expect(await write.getAttribute('aria-disabled')).toBe('true')

    await act(page, 'Nia Okafor', 'Change role')
    await dialog.getByRole('radio', { name: /^Member/ }).check()
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await shows(row(page, 'Nia Okafor').getByText('Member', { exact: true }))
    await shows(row(nia, 'Nia Okafor').getByText('Member', { exact: true }))
    await becomes(() => write.getAttribute('aria-disabled'), null)

    await act(page, 'Nia Okafor', 'Deactivate')
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await shows(row(page, 'Nia Okafor').getByText('Deactivated'))
    const [known] = (await cast.root.members.list({ q: 'nia@' })).data
    await becomes(async () => (await cast.root.members.get({ id: known!.id })).is_deactivated, true)
    await page.getByRole('button', { name: 'Actions for Nia Okafor' }).click()
    const refused = page.getByRole('menuitem', { name: 'New sign-in link (Deactivated members cannot sign in.)' })
    expect(await refused.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('menuitem', { name: 'Reactivate' }).click()
    await hides(row(page, 'Nia Okafor').getByText('Deactivated'))

    await act(page, 'Root Admin', 'Deactivate')
    await dialog.getByRole('button', { name: 'Deactivate' }).click()
    await shows(page.getByText(/Root Admin is the last active admin\. Make someone else an admin first\./))
    await hides(row(page, 'Root Admin').getByText('Deactivated'))
  })

  test('show an admin the sign-in link that is open, who may revoke it', async () => {
    const cast = await world()
    const page = await visit(cast, cast.root, `/members/${cast.bob.id}`)
    const fact = page.locator('.member-facts > div').filter({ hasText: 'Sign-in link' })
    await shows(fact.getByText('None'))
    await act(page, 'Bob Moore', 'New sign-in link')
    const dialog = page.getByRole('dialog')
    const link = await dialog.getByLabel('Link').inputValue()
    await shows(dialog.getByText(/earlier links no longer work/))
    await dialog.getByRole('button', { name: 'Done' }).click()
    await shows(fact.getByText(/^Created .+ by Root Admin, expires /))
    await fact.getByRole('button', { name: 'Revoke sign-in link' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await shows(fact.getByText('None'))
    await becomes(async () => (await cast.root.signInLinks.list()).total_count, 0)
    const { pathname, hash } = new URL(link)
    const bob = await visit(cast, undefined, pathname + hash)
    await shows(bob.getByText('This link is no longer valid'))

    // Live, also where a link is used; and nothing of it for others.
    await cast.root.members.createSignInLink({ member_id: cast.bob.id })
    await shows(fact.getByText(/by Root Admin/))
    await signedIn(cast, cast.bob)
    await shows(fact.getByText('None'))
    const ada = await visit(cast, cast.ada, `/members/${cast.bob.id}`)
    await shows(ada.getByText('Joined'))
    expect(await ada.getByText('Sign-in link').count()).toBe(0)
  })

  test('have a page; what only admins may do is shown, with the reason', async () => {
    const cast = await world()
    const page = await visit(cast, cast.ada, '/members', PHONE)
    expect(await page.getByRole('table').count()).toBe(0)
    await page.getByRole('list', { name: 'Members' }).getByRole('link', { name: 'Bob Moore' }).click()
    await shows(page.getByRole('heading', { level: 1, name: 'Bob Moore' }))
    expect(await page.title()).toStartWith('Bob Moore · ')
    await shows(page.getByRole('link', { name: 'bob@example.com' }))
    await page.getByRole('button', { name: 'Actions for Bob Moore' }).click()
    for (const action of ['Change role', 'New sign-in link', 'Deactivate']) {
      const item = page.getByRole('menuitem', { name: `${action} (Only admins can do this.)` })
      expect(await item.getAttribute('aria-disabled')).toBe('true')
    }
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Message' }).click()
    await page.waitForURL(`**/threads/new?with=${cast.bob.id}`)
    await shows(page.getByText('Bob Moore'))
  })

  test('are for a guest those they share a place with', async () => {
    const cast = await world()
    await cast.bob.messages.createDirect({ member_id: cast.gus.id, content_markdown: 'Welcome.' })
    const page = await visit(cast, cast.gus, '/members')
    await becomes(async () => (await names(page)).sort(), ['Bob Moore', 'Gus Guest you'])
    await page.goto(`${cast.baseUrl}/members/${cast.ada.id}`)
    await shows(page.getByText('This member does not exist, or you cannot see them.'))
  })
})
