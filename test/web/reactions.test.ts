import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { picture } from '../me/pictures'
import { world } from '../world'
import { openPage, PHONE, test, waitForFocus, waitForHidden, waitForValue, waitForVisible } from './browser'

const chip = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

describe('reactions', () => {
  test('are shown with one request for a page of records, toggled, and updated live', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'We are live' })
    const comments = []
    for (const content_markdown of ['Great', 'At last', 'Yes', 'Well done', 'Cake?', 'Tomorrow'])
      comments.push(await bob.comments.create({ post_id: post.id, content_markdown }))
    const [first] = comments
    const { url } = await root.emoji.set({ name: 'shipit', file: await picture() })
    await bob.reactions.add({ subject_id: post.id, emoji: '🎉' })
    await root.reactions.add({ subject_id: post.id, emoji: '🎉' })
    await root.reactions.add({ subject_id: first!.id, emoji: '👍' })

    const page = await openPage(cast, ada, '/')
    const requests: string[] = []
    page.on('request', (request) => void (request.url().includes('/v2/reactions') && requests.push(request.url())))
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    const party = chip(page, 'Bob Moore and Root Admin reacted with 🎉')
    await waitForVisible(party)
    await waitForVisible(chip(page, 'Root Admin reacted with 👍'))
    // For the post and for its comments, and for each once more when the stream of events has begun: never one for each record.
    expect(requests.length).toBeLessThanOrEqual(4)

    await party.click()
    const own = chip(page, 'Bob Moore, Root Admin and Ada Lovelace reacted with 🎉')
    await waitForValue(() => own.getAttribute('aria-pressed'), 'true')
    await bob.reactions.remove({ subject_id: post.id, emoji: '🎉' })
    const two = chip(page, 'Root Admin and Ada Lovelace reacted with 🎉')
    await waitForVisible(two)
    await two.click()
    await waitForVisible(chip(page, 'Root Admin reacted with 🎉'))

    await page.getByRole('button', { name: 'Add reaction' }).first().click()
    await page.getByRole('combobox', { name: 'Search emoji' }).fill('shipit')
    await waitForVisible(page.getByRole('option', { name: 'shipit' }))
    await page.keyboard.press('Enter')
    const custom = chip(page, 'Ada Lovelace reacted with :shipit:')
    await waitForVisible(custom)
    expect(await custom.locator('img').getAttribute('src')).toBe(url)
    await page.getByRole('button', { name: 'Who reacted' }).first().click()
    await waitForVisible(page.getByRole('dialog', { name: 'Reactions' }).getByText('Ada Lovelace'))
    await page.keyboard.press('Escape')
    await waitForHidden(page.getByRole('dialog', { name: 'Reactions' }))
    await page.keyboard.press('j')
    await waitForFocus(page.getByRole('article', { name: 'Comment by Bob Moore' }).first())
    await page.keyboard.press('+')
    await page.getByRole('combobox', { name: 'Search emoji' }).fill('cake')
    await waitForVisible(page.getByRole('option').first())
    await page.keyboard.press('Enter')
    await waitForValue(async () => (await root.reactions.list({ ids: [first!.id] })).data[0]?.reactions.length, 2)
    await waitForValue(
      async () => (await root.reactions.list({ ids: [post.id] })).data[0]!.reactions.map(({ emoji }) => emoji),
      ['🎉', 'shipit'],
    )
  })

  test('of messages can be added by touch, and a viewer sees why not', async () => {
    const cast = await world()
    const { ada, bob, vic, general } = cast
    const { id, thread_id } = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Lunch?' })
    await ada.reactions.add({ subject_id: id, emoji: '🍕' })
    const page = await openPage(cast, bob, `/threads/${thread_id}`, PHONE)
    const pizza = chip(page, 'Ada Lovelace reacted with 🍕')
    // They come with the messages, so that they do not move what is below.
    await waitForVisible(page.locator('.message').getByText('Lunch?'))
    expect(await pizza.count()).toBe(1)
    await pizza.click()
    await waitForVisible(chip(page, 'Ada Lovelace and Bob Moore reacted with 🍕'))

    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Read this' })
    await ada.reactions.add({ subject_id: post.id, emoji: '👀' })
    const viewer = await openPage(cast, vic, `/posts/${post.id}`)
    await waitForValue(() => chip(viewer, 'Ada Lovelace reacted with 👀').getAttribute('aria-disabled'), 'true')
  })

  test('with custom emoji: an admin adds one and deletes it', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.root, '/settings/workspace')
    await page.getByRole('textbox', { name: 'Emoji name' }).fill('party')
    // Larger than what a browser sends after a page is closed, even compressed; sent while another tab is shown.
    const noise = await picture('png', [300, 300], (x, y) => [
      (x * x * y) % 251,
      (x * y * y) % 241,
      (x * 7 + y * 13) % 239,
    ])
    expect(noise.size).toBeGreaterThan(64 * 1024)
    const buffer = Buffer.from(await noise.arrayBuffer())
    await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }))
    await page.getByLabel('Picture', { exact: true }).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
    await page.getByRole('button', { name: 'Add emoji' }).click()
    await waitForVisible(page.getByText(':party:', { exact: true }))
    await page.getByRole('button', { name: 'Delete :party:' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await waitForValue(() => page.getByText(':party:', { exact: true }).count(), 0)
    expect((await cast.root.emoji.list()).data).toEqual([])
  })
})
