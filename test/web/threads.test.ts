import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { callTool } from '../mcp/agent'
import { type Person, world } from '../world'
import {
  holdNotices,
  openPage,
  PHONE,
  test,
  waitForFocus,
  waitForHidden,
  waitForRest,
  waitForValue,
  waitForVisible,
} from './browser'

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const message = (page: Page, text: string) => page.locator('.message').filter({ hasText: text })
const inList = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Threads' }).getByRole('listitem').filter({ hasText: title })
const scroller = (page: Page) => page.getByRole('region', { name: 'Messages' })
const below = (page: Page) =>
  scroller(page).evaluate(({ scrollHeight, scrollTop, clientHeight }) =>
    Math.round(scrollHeight - scrollTop - clientHeight),
  )

async function sendMessage(page: Page, text: string) {
  await composer(page).fill(text)
  await composer(page).press('Control+Enter')
}

async function pick(page: Page, name: string) {
  await page.getByRole('combobox', { name: 'To' }).fill(name)
  await page.getByRole('option', { name }).click()
}

async function longThread(ada: Person, others: Person[], count: number) {
  const thread = await ada.threads.create({ title: 'History', member_ids: others.map(({ id }) => id) })
  const ids: string[] = []
  for (let at = 1; at <= count; at++)
    ids.push((await ada.messages.create({ thread_id: thread.id, content_markdown: `Note ${at}.` })).id)
  return { thread, ids }
}

/** Chooses someone with the keyboard alone, in the field that has the focus. */
async function typeName(page: Page, typed: string, name: string) {
  await page.keyboard.type(typed)
  await waitForVisible(page.locator('[role=option][data-active-item]').filter({ hasText: name }))
  await page.keyboard.press('Enter')
  await waitForVisible(page.getByRole('button', { name: `Remove ${name}` }))
}

describe('threads', () => {
  test('several people are chosen with the keyboard alone before the message is written', async () => {
    const cast = await world()
    const { ada, bob, vic } = cast
    const page = await openPage(cast, ada, '/threads/new')
    const to = page.getByRole('combobox', { name: 'To' })
    const chosen = () =>
      page.getByRole('button', { name: /^Remove / }).evaluateAll((all) => all.map((each) => each.ariaLabel))
    const expectFocus = (locator: Locator) =>
      waitForValue(() => locator.evaluate((element) => element === document.activeElement), true)
    await expectFocus(to)
    await typeName(page, 'bob', 'Bob Moore')
    await expectFocus(to)
    await typeName(page, 'root', 'Root Admin')
    await expectFocus(to)
    expect(await composer(page).inputValue()).toBe('')
    expect((await ada.threads.list()).total_count).toBe(0)
    // Nobody is added or removed by an Enter too many.
    await page.keyboard.press('Enter')
    expect(await chosen()).toEqual(['Remove Bob Moore', 'Remove Root Admin'])

    await page.keyboard.type('x')
    await page.keyboard.press('Backspace')
    expect(await chosen()).toEqual(['Remove Bob Moore', 'Remove Root Admin'])
    await page.keyboard.press('Backspace')
    await waitForValue(chosen, ['Remove Bob Moore'])
    await expectFocus(to)
    await typeName(page, 'vic', 'Vic Viewer')

    await page.keyboard.press('Tab')
    await expectFocus(page.getByRole('textbox', { name: 'Title' }))
    await page.keyboard.press('Tab')
    await expectFocus(composer(page))
    await page.keyboard.type('Hello, you two.')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/threads\/thr_/)
    const [thread] = (await ada.threads.list()).data
    expect(thread!.members.map(({ id }) => id).sort()).toEqual([ada.id, bob.id, vic.id].sort())
  })

  test('Enter never adds somebody whose name was not typed, however slow the server is', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/threads/new')
    await waitForFocus(page.getByRole('combobox', { name: 'To' }))
    await page.keyboard.press('ArrowDown')
    await waitForVisible(page.getByRole('option', { name: 'Root Admin' }))
    const delivery = Promise.withResolvers<void>()
    await page.route(/[?&]q=/, async (route) => {
      await delivery.promise
      await route.continue()
    })
    const chosen = () =>
      page.getByRole('button', { name: /^Remove / }).evaluateAll((all) => all.map((each) => each.ariaLabel))
    // People who were listed before are still known, and found at once.
    await typeName(page, 'bob', 'Bob Moore')
    await page.keyboard.type('zzz')
    await page.keyboard.press('Enter')
    await page.keyboard.type('z')
    expect(await chosen()).toEqual(['Remove Bob Moore'])
    delivery.resolve()
    await waitForVisible(page.getByText('No results for “zzzz”'))
    expect(await chosen()).toEqual(['Remove Bob Moore'])
  })

  test('the field for people keeps the focus when one is removed or added with the mouse', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/threads/new?with=${cast.bob.id}`)
    const to = page.getByRole('combobox', { name: 'To' })
    const hasFocus = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)
    // Who was chosen before the page was opened needs only the message.
    await waitForValue(() => hasFocus(composer(page)), true)
    await page.keyboard.type('Hello')
    await pick(page, 'Root Admin')
    await waitForVisible(page.getByRole('button', { name: 'Remove Root Admin' }))
    await waitForValue(() => hasFocus(to), true)
    for (const name of ['Bob Moore', 'Root Admin']) {
      await page.getByRole('button', { name: `Remove ${name}` }).click()
      await waitForHidden(page.getByRole('button', { name: `Remove ${name}` }))
      await waitForValue(() => hasFocus(to), true)
    }
    expect(await composer(page).inputValue()).toBe('Hello')
  })

  test('a direct message arrives live and is replied to', async () => {
    const cast = await world()
    const [ada, bob] = await Promise.all([openPage(cast, cast.ada, '/threads'), openPage(cast, cast.bob, '/threads')])
    await Promise.all([
      waitForVisible(ada.getByText('No threads yet')),
      waitForVisible(bob.getByText('No threads yet')),
    ])
    await ada.getByRole('button', { name: 'Start a thread' }).click()
    await pick(ada, 'Bob Moore')
    await ada.keyboard.press('Escape')
    await sendMessage(ada, 'Are you *there*?')
    await ada.waitForURL(/\/threads\/thr_/)
    await waitForVisible(ada.getByRole('heading', { level: 1, name: 'Bob Moore' }))
    await waitForVisible(message(ada, 'Are you there?').locator('em'))
    await waitForValue(() => composer(ada).evaluate((area) => area === document.activeElement), true)
    await waitForValue(() => composer(ada).getAttribute('placeholder'), 'Message Bob Moore')
    const [header] = await message(ada, 'Are you there?').getByRole('paragraph').allInnerTexts()
    expect(header).toMatch(/^Ada Lovelace\s+\d+:\d\d/)

    // Escape closes a list of completions first, then leaves the text, which stays.
    await ada.keyboard.type('Hello @bo')
    await waitForVisible(ada.getByRole('option', { name: 'Bob Moore' }))
    await ada.keyboard.press('Escape')
    await waitForHidden(ada.getByRole('option', { name: 'Bob Moore' }))
    expect(await composer(ada).evaluate((area) => area === document.activeElement)).toBe(true)
    await ada.keyboard.press('Escape')
    await waitForValue(() => ada.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Messages')
    expect(await composer(ada).inputValue()).toBe('Hello @bo')
    await ada.keyboard.press('j')
    await waitForValue(() => message(ada, 'Are you there?').evaluate((row) => row.matches(':focus-within')), true)

    await waitForVisible(inList(bob, 'Ada Lovelace').getByRole('img', { name: 'Unread' }))
    await inList(bob, 'Ada Lovelace').getByRole('link').click()
    await waitForVisible(message(bob, 'Are you there?'))
    await waitForHidden(inList(bob, 'Ada Lovelace').getByRole('img', { name: 'Unread' }))
    await message(bob, 'Are you there?').hover()
    await bob.getByRole('button', { name: 'Reply', exact: true }).click()
    await sendMessage(bob, 'Always.')
    const answer = message(ada, 'Always.')
    await waitForVisible(answer.getByRole('button', { name: 'In reply to Ada Lovelace: Are you there?' }))
    await answer.getByRole('button', { name: /^In reply to/ }).click()
    await waitForValue(() => message(ada, 'Are you there?').first().getAttribute('class'), 'message linked')
    await waitForValue(() => composer(bob).inputValue(), '')
    await waitForValue(() => message(bob, 'Always.').count(), 1)
    await waitForVisible(inList(ada, 'Bob Moore').getByText('Always.'))
    expect((await cast.ada.threads.list()).data[0]).toMatchObject({ is_direct: true, messages_count: 2 })
  })

  test('messages in a group thread are edited and deleted live; others cannot open the thread', async () => {
    const cast = await world()
    const vic = await openPage(cast, cast.vic, '/threads', { expectedErrors: /404/ })
    const ada = await openPage(cast, cast.ada, `/threads/new?with=${cast.bob.id}`)
    await waitForVisible(ada.getByText('Bob Moore'))
    await pick(ada, 'Vic Viewer')
    await ada.keyboard.press('Escape')
    await ada.getByLabel('Title').fill('Summer party')
    await sendMessage(ada, 'Who brings the cake?')
    await waitForVisible(ada.getByRole('heading', { level: 1, name: 'Summer party' }))
    await inList(vic, 'Summer party').getByRole('link').click()
    await waitForVisible(message(vic, 'Who brings the cake?'))

    // A viewer can read, and sees why writing is disabled.
    expect(await composer(vic).isDisabled()).toBe(true)
    await waitForVisible(vic.getByRole('button', { name: 'Send (Viewers can read but not write.' }))
    await message(vic, 'cake').hover()
    await vic.getByRole('button', { name: 'Message actions' }).click()
    await waitForVisible(vic.getByRole('menuitem', { name: 'Copy link' }))
    expect(await vic.getByRole('menuitem', { name: /^(Edit|Delete)/ }).count()).toBe(0)
    await vic.keyboard.press('Escape')
    await vic.getByRole('button', { name: '3 participants' }).click()
    await waitForVisible(vic.getByRole('dialog').getByText('Bob Moore'))
    expect(
      await vic
        .getByRole('dialog')
        .getByRole('button', { name: /^Remove/ })
        .count(),
    ).toBe(0)
    await vic.keyboard.press('Escape')

    await message(ada, 'cake').hover()
    await ada.getByRole('button', { name: 'Message actions' }).click()
    await ada.getByRole('menuitem', { name: 'Edit' }).click()
    const text = ada.getByRole('textbox', { name: 'Edit message' })
    await waitForValue(() => text.inputValue(), 'Who brings the cake?')
    await text.fill('Who brings the salad?')
    await text.press('Control+Enter')
    await waitForVisible(message(vic, 'salad').getByText('edited'))
    const { id } = (await cast.bob.threads.list()).data[0]!
    const agent = await callTool(cast.bob, 'send_message', { to: id, content_markdown: 'Written by an agent.' })
    await waitForVisible(message(vic, 'Written by an agent.').getByText('via test-agent'))
    await waitForVisible(message(ada, 'Written by an agent.'))
    await cast.bob.messages.delete({ id: agent.data.message.id })
    // Its disappearance moves the other message away from the pointer.
    await waitForHidden(message(ada, 'Written by an agent.'))
    await message(ada, 'salad').hover()
    await ada.getByRole('button', { name: 'Message actions' }).click()
    await ada.getByRole('menuitem', { name: 'Delete' }).click()
    await ada.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await waitForVisible(vic.getByText('No messages yet'))

    await ada.getByRole('button', { name: '3 participants' }).click()
    await waitForValue(
      async () => (await ada.getByRole('dialog').getByRole('listitem').allTextContents()).sort(),
      ['Ada LovelaceLeave', 'Bob Moore', 'Vic Viewer'],
    )
    // Someone who is not a participant cannot open the thread.
    const root = await openPage(cast, cast.root, new URL(ada.url()).pathname)
    await waitForVisible(root.getByText("It doesn't exist, or you aren't one of its participants."))

    // People who are added can; people who are removed cannot any more.
    await ada.getByRole('dialog').getByRole('combobox').fill('Root')
    await ada.getByRole('option', { name: 'Root Admin' }).click()
    await waitForVisible(inList(root, 'Summer party'))
    await ada.getByRole('dialog').getByRole('button', { name: 'Remove Vic Viewer' }).click()
    await waitForVisible(vic.getByText('Thread not found'))
    await waitForHidden(inList(vic, 'Summer party'))
    await holdNotices(ada)
    await ada.getByRole('dialog').getByRole('button', { name: 'Leave thread' }).click()
    await ada.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await waitForVisible(ada.getByText('You left Summer party'))
    await waitForHidden(inList(ada, 'Summer party'))
  })

  test('older messages load without moving the visible ones, and only the end follows new messages', async () => {
    const cast = await world()
    const { thread, ids } = await longThread(cast.ada, [cast.bob], 170)
    const page = await openPage(cast, cast.bob, `/threads/${thread.id}`)
    await waitForVisible(message(page, 'Note 170.'))
    await waitForValue(() => below(page), 0)
    await cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'Still at the end.' })
    await waitForVisible(message(page, 'Still at the end.'))
    await waitForValue(() => below(page), 0)

    // Visible messages stay in position while older ones load above.
    const top = (id: string, scrollTo = false) =>
      page.locator(`#${id}`).evaluate((row, isScrolled) => {
        if (isScrolled) row.scrollIntoView({ block: 'start' })
        return Math.round(row.getBoundingClientRect().top)
      }, scrollTo)
    const loaded = () => page.locator('.message').count()
    const before = await waitForRest(loaded)
    const seen = ids[ids.length - before + 10]!
    let position = await top(seen, true)
    await waitForValue(async () => {
      if ((await loaded()) > before) return true
      position = await top(seen, true)
      return false
    }, true)
    const hasNotMoved = async () => Math.abs((await top(seen)) - position) <= 1
    await waitForValue(hasNotMoved, true)
    await cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'Far below.' })
    await waitForVisible(page.getByRole('button', { name: 'New messages' }))
    await waitForValue(hasNotMoved, true)
    await page.getByRole('button', { name: 'New messages' }).click()
    await waitForValue(() => below(page), 0)
    await waitForHidden(page.getByRole('button', { name: 'New messages' }))

    // A message that arrives while older ones load is kept.
    const other = await openPage(cast, cast.bob, '/threads')
    const gate = Promise.withResolvers<void>()
    const asked = other.waitForRequest(/messages\?after=/)
    await other.route(/messages\?after=/, (route) => gate.promise.then(() => route.continue()))
    await inList(other, 'History').getByRole('link').click()
    await asked
    await cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'In between.' })
    await waitForVisible(message(other, 'In between.'))
    const few = await other.locator('.message').count()
    gate.resolve()
    await waitForValue(async () => (await other.locator('.message').count()) > few, true)
    expect(await message(other, 'In between.').count()).toBe(1)

    // A link to a message in the middle opens a page around it, which continues in both directions.
    const middle = ids[85]!
    await page.goto('about:blank')
    const linked = page.waitForRequest(/\/messages\?/)
    await page.goto(`${cast.baseUrl}/threads/${thread.id}#${middle}`)
    expect((await linked).url()).toEndWith(`/messages?around=${middle}`)
    await waitForValue(() => page.evaluate(() => document.activeElement?.closest('.message')?.id), middle)
    await waitForVisible(page.getByRole('button', { name: 'Latest messages' }))
    await waitForVisible(message(page, 'Note 110.'))
    expect(await message(page, 'Note 170.').count()).toBe(0)
    await waitForVisible(message(page, 'Note 120.'))
    const isInView = () =>
      page.locator(`#${middle}`).evaluate((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return top > 100 && bottom < innerHeight - 100
      })
    await waitForValue(isInView, true)
    await page.locator(`#${ids[61]}`).evaluate((row) => row.scrollIntoView())
    await waitForVisible(message(page, 'Note 50.'))
    await page.getByRole('button', { name: 'Latest messages' }).click()
    await waitForVisible(message(page, 'Far below.'))

    // A link to the first message loads and focuses it.
    await page.goto(`${cast.baseUrl}/threads/${thread.id}#${ids[0]}`)
    await page.reload()
    await waitForValue(() => page.locator('.message.linked').getAttribute('id'), ids[0]!)
    await waitForValue(() => page.evaluate(() => document.activeElement?.closest('.message')?.id), ids[0]!)
    expect(await page.locator(`#${ids[0]}`).isVisible()).toBe(true)
  })

  test('a message that cannot be sent waits, and is sent once; on a phone, list and thread are separate', async () => {
    const cast = await world()
    const { thread } = await longThread(cast.bob, [cast.ada], 1)
    const page = await openPage(cast, cast.ada, '/threads', {
      ...PHONE,
      expectedErrors: /ERR_INTERNET_DISCONNECTED|ERR_FAILED/,
    })
    await inList(page, 'History').getByRole('link').click()
    await waitForVisible(message(page, 'Note 1.'))
    await waitForHidden(page.getByRole('list', { name: 'Threads' }))
    await composer(page).fill('A draft')
    await page.reload()
    await waitForValue(() => composer(page).inputValue(), 'A draft')

    await page.route('**/v2/threads/*/messages', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await waitForVisible(page.locator('.message.pending').getByText('Will be sent when you are back online'))
    await waitForValue(() => composer(page).inputValue(), '')
    await page.unroute('**/v2/threads/*/messages')
    await page.route(
      '**/v2/threads/*/messages',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await waitForHidden(page.locator('.message.pending'))
    await waitForValue(() => message(page, 'A draft').count(), 1)
    expect((await cast.bob.threads.get({ id: thread.id })).messages_count).toBe(2)
    await page.getByRole('link', { name: 'All threads' }).click()
    await waitForVisible(inList(page, 'History').getByText('You: A draft'))
  })
})
