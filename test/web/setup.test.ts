import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import { openPage, test, waitForHidden, waitForValue, waitForVisible } from './browser'

const checklist = (page: Page) => page.getByRole('region', { name: /^(Set up|You’re all set)/ })
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })

describe('a new workspace', () => {
  test('a checklist leads the admin through its setup, step by step', async () => {
    const cast = await world()
    const { root, ada } = cast
    await root.workspace.update({ name: 'Home', is_set_up: false })
    const [page, other] = await Promise.all([openPage(cast, root, '/posts'), openPage(cast, ada, '/posts')])
    await waitForVisible(checklist(page).getByText('1 of 4 done'))

    await checklist(page).getByRole('link', { name: 'Name your workspace' }).click()
    await page.getByLabel('Workspace name').fill('Analytical Engines')
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(sidebar(other).getByText('Analytical Engines'))
    await page.goBack()
    await checklist(page).getByRole('link', { name: 'Create a channel' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('news')
    await page.keyboard.press('Enter')
    await waitForVisible(page.getByRole('heading', { level: 1, name: 'news' }))
    await sidebar(page).getByRole('link', { name: 'Posts', exact: true }).click()
    await waitForVisible(checklist(page).getByText('3 of 4 done'))
    await checklist(page).getByRole('link', { name: 'Set a password' }).click()
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('a horse, a staple')
    await page.getByLabel('Confirm password').fill('a horse, a staple')
    await page.getByRole('button', { name: 'Set password' }).click()
    await waitForVisible(page.getByRole('button', { name: 'Change password' }))
    await sidebar(page).getByRole('link', { name: 'Posts', exact: true }).click()
    await checklist(page).getByRole('button', { name: 'Done' }).click()
    await waitForHidden(checklist(page))
    expect((await root.workspace.get()).is_set_up).toBe(true)
    expect(await checklist(other).count()).toBe(0)
  })

  test('an admin dismisses the checklist, and gives the workspace an icon', async () => {
    const cast = await world()
    await cast.root.workspace.update({ is_set_up: false })
    const page = await openPage(cast, cast.root, '/posts')
    const member = await openPage(cast, cast.ada, '/posts')
    await checklist(page).getByRole('button', { name: 'Dismiss checklist' }).click()
    await waitForHidden(checklist(page))

    await page.goto(`${cast.baseUrl}/settings/workspace`)
    const buffer = await page.screenshot()
    await page.getByLabel('Icon file').setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer })
    await page.getByRole('button', { name: 'Use this icon' }).click()
    const icon = sidebar(member).locator('img.workspace-icon')
    await waitForVisible(icon)
    await waitForValue(() => icon.evaluate((image: HTMLImageElement) => image.naturalWidth), 112)
    await page.getByRole('button', { name: 'Remove' }).click()
    await waitForHidden(icon)
  })
})
