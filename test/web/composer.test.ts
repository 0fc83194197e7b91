import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type Person, type World, world } from '../world'
import { openPage, test, waitForFocus, waitForHidden, waitForValue, waitForVisible } from './browser'

const area = (page: Page, name = 'Text') => page.getByRole('textbox', { name, exact: true })
const select = (text: Locator, start: number, end = start) =>
  text.evaluate((element: HTMLTextAreaElement, range) => element.setSelectionRange(...range), [start, end] as [
    number,
    number,
  ])
const focusLabel = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
const sourceOf = async ({ raw }: World, who: Person, path: string) =>
  (await raw(who, path, { headers: { Accept: 'text/markdown' } })).text()

describe('the toolbar', () => {
  test('formats the selection by mouse, by keyboard and by shortcut, and undoes it', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    const text = area(page)
    const button = (name: string) => page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name })
    const expectText = (expected: string) => waitForValue(() => text.inputValue(), expected)
    await text.fill('one two')
    await select(text, 4, 7)
    await button('Bold').click()
    await expectText('one **two**')
    await page.keyboard.press('Control+i')
    await expectText('one **_two_**')
    await page.keyboard.press('Control+i')
    await button('Bold').click()
    await expectText('one two')
    await select(text, 0, 4)
    await page.keyboard.press('Control+e')
    await expectText('`one` two')
    await select(text, 0, 5)
    await page.keyboard.press('Control+e')
    await expectText('one two')

    // Ctrl+K makes a link of the selection. Without one, it opens the palette.
    await select(text, 0, 3)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('https://example.com')
    await expectText('[one](https://example.com) two')
    await page.keyboard.press('Control+k')
    await waitForFocus(page.getByRole('dialog', { name: 'Search' }).getByRole('combobox'))
    await page.keyboard.press('Escape')
    await waitForHidden(page.getByRole('dialog', { name: 'Search' }))
    await waitForFocus(text)

    await text.fill('one\n\ntwo')
    await select(text, 0, 8)
    await page.keyboard.press('Control+Shift+Digit8')
    await expectText('- one\n\n- two')
    await button('Checklist').click()
    await expectText('- [ ] one\n\n- [ ] two')
    await page.keyboard.press('Control+Shift+Digit9')
    await expectText('one\n\ntwo')
    await button('Code').click()
    await expectText('```\none\n\ntwo\n```')
    await button('Code').click()
    await expectText('one\n\ntwo')
    await page.keyboard.press('Control+z')
    await expectText('```\none\n\ntwo\n```')

    // By keyboard: one stop of Tab, then arrow keys. Focus shows the shortcut.
    await text.fill('a')
    await page.keyboard.press('Tab')
    await waitForValue(() => focusLabel(page), 'Bold')
    await page.keyboard.press('ArrowRight')
    await waitForVisible(page.getByRole('tooltip', { name: 'Italic (Ctrl+I)' }))
    for (const _ of [1, 2, 3]) {
      const before = await focusLabel(page)
      await page.keyboard.press('ArrowRight')
      await waitForValue(async () => (await focusLabel(page)) !== before, true)
    }
    await waitForValue(() => focusLabel(page), 'Checklist')
    await page.keyboard.press('Enter')
    await expectText('- [ ] a')
    await waitForValue(() => focusLabel(page), 'Text')
    await button('Mention').click()
    await expectText('- [ ] a @')
    await waitForFocus(text)
    await page.keyboard.type('bob')
    await page.getByRole('option', { name: 'Bob Moore' }).click()
    await expectText('- [ ] a @Bob Moore ')
    await page.getByRole('button', { name: 'Preview' }).click()
    await waitForVisible(page.getByRole('region', { name: 'Preview' }).getByRole('checkbox', { name: 'a @Bob Moore' }))
  })
})

describe('mentions', () => {
  test('a full name typed by hand mentions its only owner, outside code', async () => {
    const cast = await world()
    for (const email of ['sam1@example.com', 'sam2@example.com'])
      await cast.root.members.create({ email, display_name: 'Sam Same', role: 'member' })
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    const written =
      '@Bob Moore, @Bot: @Bob Moores @Bob @Sam Same bob@Bot `@Bob Moore`\n\n~~~\n@Bob Moore\n~~~\n\n(@Vic Viewer)'
    await area(page).fill(written)
    await area(page).press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    const { bob, bot, vic } = cast
    expect(await sourceOf(cast, cast.ada, `/v2${new URL(page.url()).pathname}`)).toBe(
      `<@${bob.id}>, <@${bot.id}>: @Bob Moores @Bob @Sam Same bob@Bot \`@Bob Moore\`\n\n~~~\n@Bob Moore\n~~~\n\n(<@${vic.id}>)`,
    )
  })
})

describe('mentions of people with any name', () => {
  test('are sent as they were chosen', async () => {
    const cast = await world()
    const names = ['Ann-Kathrin Day', 'Dr. Who? (they/them) [x] {2} ^$ a.*+|b\\', 'Zoë 漢 🎉']
    const ids: string[] = []
    for (const [at, display_name] of names.entries())
      ids.push((await cast.root.members.create({ email: `n${at}@example.com`, display_name, role: 'member' })).id)
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    await area(page).click()
    for (const name of names) {
      await page.keyboard.type(`@${name.slice(0, 3)}`)
      await page.getByRole('option', { name }).click()
    }
    await waitForValue(() => area(page).inputValue(), names.map((name) => `@${name} `).join(''))
    await area(page).press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    expect(await sourceOf(cast, cast.ada, `/v2${new URL(page.url()).pathname}`)).toBe(
      ids.map((id) => `<@${id}>`).join(' '),
    )
  })
})

describe('emoji', () => {
  test('are completed by name and picked by search, the recent ones first', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    const text = area(page)
    await text.click()
    await page.keyboard.type('Done :tad')
    const suggestions = page.getByRole('listbox', { name: 'Emoji suggestions' }).getByRole('option')
    await waitForVisible(suggestions.filter({ hasText: ':tada:' }))
    await page.keyboard.press('Enter')
    await waitForValue(() => text.inputValue(), 'Done 🎉 ')
    await page.keyboard.type(':+1: at 10:30:15 `:tada:` :nothing_like_it:')
    await waitForValue(() => text.inputValue(), 'Done 🎉 👍 at 10:30:15 `:tada:` :nothing_like_it:')

    await text.fill('So ')
    await page.getByRole('button', { name: 'Emoji' }).click()
    const search = page.getByRole('combobox', { name: 'Search emoji' })
    await waitForValue(() => search.evaluate((element) => element === document.activeElement), true)
    const options = page.getByRole('listbox', { name: 'Emoji' }).getByRole('option')
    await waitForValue(() => options.first().textContent(), '🎉')
    await page.keyboard.type('rocket')
    await waitForValue(() => options.first().textContent(), '🚀')
    await page.keyboard.press('Enter')
    await waitForHidden(search)
    await waitForValue(() => text.inputValue(), 'So 🚀')
    await waitForValue(() => focusLabel(page), 'Text')
    await page.getByRole('button', { name: 'Emoji' }).click()
    await waitForFocus(search)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await waitForValue(() => text.inputValue(), 'So 🚀🎉')
    await page.getByRole('button', { name: 'Emoji' }).click()
    await search.fill('nothing like it')
    await waitForVisible(page.getByText('No results for “nothing like it”'))
    await page.keyboard.press('Escape')
    await waitForHidden(search)
  })
})
