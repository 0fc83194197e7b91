import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Person } from '../world'
import { world } from '../world'
import { becomes, hides, PHONE, shows, test, visit } from './browser'

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const message = (page: Page, text: string) => page.locator('.message').filter({ hasText: text })
const inList = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Threads' }).getByRole('listitem').filter({ hasText: title })
const scroller = (page: Page) => page.getByRole('region', { name: 'Messages' })
const below = (page: Page) =>
  scroller(page).evaluate(({ scrollHeight, scrollTop, clientHeight }) =>
    Math.round(scrollHeight - scrollTop - clientHeight),
  )

async function say(page: Page, text: string) {
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

describe('threads', () => {
  test('a direct message reaches the other at once, and is answered', async () => {
    const cast = await world()
    const [ada, bob] = await Promise.all([visit(cast, cast.ada, '/threads'), visit(cast, cast.bob, '/threads')])
    await Promise.all([shows(ada.getByText('No threads yet')), shows(bob.getByText('No threads yet'))])
    await ada.getByRole('button', { name: 'Start a thread' }).click()
    await pick(ada, 'Bob Moore')
    await ada.keyboard.press('Escape')
    await say(ada, 'Are you *there*?')
    await ada.waitForURL(/\/threads\/thr_/)
    await shows(ada.getByRole('heading', { level: 1, name: 'Bob Moore' }))
    await shows(message(ada, 'Are you there?').locator('em'))
    await becomes(() => composer(ada).evaluate((area) => area === document.activeElement), true)

    await shows(inList(bob, 'Ada Lovelace').getByRole('img', { name: 'Unread' }))
    await inList(bob, 'Ada Lovelace').getByRole('link').click()
    await shows(message(bob, 'Are you there?'))
    await hides(inList(bob, 'Ada Lovelace').getByRole('img', { name: 'Unread' }))
    await message(bob, 'Are you there?').hover()
    await bob.getByRole('button', { name: 'Reply', exact: true }).click()
    await say(bob, 'Always.')
    const answer = message(ada, 'Always.')
    await shows(answer.getByRole('button', { name: 'In reply to Ada Lovelace Are you there?' }))
    await answer.getByRole('button', { name: /^In reply to/ }).click()
    await becomes(() => message(ada, 'Are you there?').first().getAttribute('class'), 'message linked')
    await becomes(() => composer(bob).inputValue(), '')
    await becomes(() => message(bob, 'Always.').count(), 1)
    await shows(inList(ada, 'Bob Moore').getByText('2 messages'))
    expect((await cast.ada.threads.list()).data[0]).toMatchObject({ is_direct: true, messages_count: 2 })
  })

  test('a thread of several: titled, changed and taken back under the eyes of the others', async () => {
    const cast = await world()
    const vic = await visit(cast, cast.vic, '/threads')
    const ada = await visit(cast, cast.ada, `/threads/new?with=${cast.bob.id}`)
    await shows(ada.getByText('Bob Moore'))
    await pick(ada, 'Vic Viewer')
    await ada.keyboard.press('Escape')
    await ada.getByLabel('Title').fill('Summer party')
    await say(ada, 'Who brings the cake?')
    await shows(ada.getByRole('heading', { level: 1, name: 'Summer party' }))
    await inList(vic, 'Summer party').getByRole('link').click()
    await shows(message(vic, 'Who brings the cake?'))

    // Viewers read; that they may not write is said where one would.
    expect(await composer(vic).isDisabled()).toBe(true)
    await shows(vic.getByRole('button', { name: 'Send (Viewers can read but not write.' }))
    await message(vic, 'cake').hover()
    await vic.getByRole('button', { name: 'Message actions' }).click()
    expect(await vic.getByRole('menuitem', { name: /^Edit/ }).getAttribute('aria-disabled')).toBe('true')
    await vic.keyboard.press('Escape')

    await message(ada, 'cake').hover()
    await ada.getByRole('button', { name: 'Message actions' }).click()
    await ada.getByRole('menuitem', { name: 'Edit' }).click()
    const text = ada.getByRole('textbox', { name: 'Edit message' })
    await becomes(() => text.inputValue(), 'Who brings the cake?')
    await text.fill('Who brings the salad?')
    await text.press('Control+Enter')
    await shows(message(vic, 'salad').getByText('edited'))
    await message(ada, 'salad').hover()
    await ada.getByRole('button', { name: 'Message actions' }).click()
    await ada.getByRole('menuitem', { name: 'Delete' }).click()
    await ada.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await shows(vic.getByText('No messages yet'))

    await ada.getByRole('button', { name: '3 participants' }).click()
    await becomes(
      async () => (await ada.getByRole('dialog').getByRole('listitem').allTextContents()).sort(),
      ['Ada Lovelace', 'Bob Moore', 'Vic Viewer'],
    )
    // Who is not in it finds nothing.
    const root = await visit(cast, cast.root, new URL(ada.url()).pathname)
    await shows(root.getByText('It does not exist, or you are not a participant.'))
  })

  test('history comes in above and keeps the place; the end is followed only from the end', async () => {
    const cast = await world()
    const { thread, ids } = await longThread(cast.ada, [cast.bob], 170)
    const page = await visit(cast, cast.bob, `/threads/${thread.id}`)
    await shows(message(page, 'Note 170.'))
    await becomes(() => below(page), 0)
    await cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'Still at the end.' })
    await shows(message(page, 'Still at the end.'))
    await becomes(() => below(page), 0)

    // What one looks at stays where it is while what is older comes in above.
    const top = (id: string) => page.locator(`#${id}`).evaluate((row) => Math.round(row.getBoundingClientRect().top))
    const loaded = () => page.locator('.message').count()
    const before = await loaded()
    const seen = ids[ids.length - before + 10]!
    await page.locator(`#${seen}`).evaluate((row) => row.scrollIntoView({ block: 'start' }))
    const place = await top(seen)
    await becomes(async () => (await loaded()) > before, true)
    expect(await top(seen)).toBe(place)
    await cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'Far below.' })
    await shows(page.getByRole('button', { name: 'New messages' }))
    expect(await top(seen)).toBe(place)
    await page.getByRole('button', { name: 'New messages' }).click()
    await becomes(() => below(page), 0)
    await hides(page.getByRole('button', { name: 'New messages' }))

    // What comes while older messages are on their way is not lost by their coming.
    const other = await visit(cast, cast.bob, '/threads')
    const gate = Promise.withResolvers<void>()
    const asked = other.waitForRequest(/messages\?after=/)
    await other.route(/messages\?after=/, (route) => gate.promise.then(() => route.continue()))
    await inList(other, 'History').getByRole('link').click()
    await asked
    await cast.ada.messages.create({ thread_id: thread.id, content_markdown: 'In between.' })
    await shows(message(other, 'In between.'))
    const few = await other.locator('.message').count()
    gate.resolve()
    await becomes(async () => (await other.locator('.message').count()) > few, true)
    expect(await message(other, 'In between.').count()).toBe(1)

    // A link to the first one finds it, however far back.
    await page.goto(`${cast.baseUrl}/threads/${thread.id}#${ids[0]}`)
    await page.reload()
    await becomes(() => page.locator('.message.linked').getAttribute('id'), ids[0]!)
    await becomes(() => page.evaluate(() => document.activeElement?.closest('.message')?.id), ids[0]!)
    expect(await page.locator(`#${ids[0]}`).isVisible()).toBe(true)
  })

  test('what could not be sent is not lost, and on a phone list and thread take turns', async () => {
    const cast = await world()
    const { thread } = await longThread(cast.bob, [cast.ada], 1)
    const page = await visit(cast, cast.ada, '/threads', { ...PHONE, expects: /ERR_INTERNET_DISCONNECTED|ERR_FAILED/ })
    await inList(page, 'History').getByRole('link').click()
    await shows(message(page, 'Note 1.'))
    await hides(page.getByRole('list', { name: 'Threads' }))
    await composer(page).fill('A draft')
    await page.reload()
    await becomes(() => composer(page).inputValue(), 'A draft')

    await page.route('**/v2/threads/*/messages', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await shows(page.getByText('The server could not be reached.'))
    await becomes(() => composer(page).inputValue(), 'A draft')
    await becomes(() => page.locator('.message').count(), 1)
    await page.unroute('**/v2/threads/*/messages')
    await page.route(
      '**/v2/threads/*/messages',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await shows(page.getByText('The server could not be reached.'))
    await becomes(() => composer(page).inputValue(), 'A draft')
    await page.getByRole('button', { name: 'Send' }).click()
    await becomes(() => composer(page).inputValue(), '')
    await becomes(() => message(page, 'A draft').count(), 1)
    expect((await cast.bob.threads.get({ id: thread.id })).messages_count).toBe(2)
    await page.getByRole('link', { name: 'All threads' }).click()
    await shows(inList(page, 'History').getByText('2 messages'))
  })
})
