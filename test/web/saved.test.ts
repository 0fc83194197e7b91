import { describe, expect } from 'bun:test'
import { world } from '../world'
import {
  holdNotices,
  openPage,
  pressSequence,
  test,
  waitForFocus,
  waitForHidden,
  waitForValue,
  waitForVisible,
} from './browser'

describe('pinned and saved posts', () => {
  test('a post that someone pins appears at the top of the channel for everyone, until it is unpinned', async () => {
    const cast = await world()
    const { ada, vic, general } = cast
    const posts = []
    for (const title of ['One', 'Two', 'Three', 'Four'])
      posts.push(await ada.posts.create({ channel_id: general.id, title, content_markdown: 'Text' }))
    const reader = await openPage(cast, vic, `/channels/${general.id}`)
    const page = await openPage(cast, ada, `/posts/${posts[0]!.id}`)
    await page.getByRole('button', { name: 'Post actions' }).click()
    await page.getByRole('menuitem', { name: 'Pin to channel' }).click()
    const pins = reader.getByRole('region', { name: 'Pinned posts' })
    await waitForVisible(pins.getByRole('link', { name: 'One' }))
    for (const { id: post_id } of posts.slice(1)) await ada.pins.set({ post_id })
    await pins.getByRole('button', { name: 'Show all 4' }).click()
    await waitForValue(() => pins.getByRole('link').allTextContents(), ['Four', 'Three', 'Two', 'One'])

    await page.getByRole('button', { name: 'Post actions' }).click()
    await page.getByRole('menuitem', { name: 'Unpin' }).click()
    await waitForHidden(pins.getByRole('link', { name: 'One' }))
    await reader.goto(`${cast.baseUrl}/posts/${posts[1]!.id}`)
    await reader.getByRole('button', { name: 'Post actions' }).click()
    expect(await reader.getByRole('menuitem', { name: /^Unpin/ }).getAttribute('aria-disabled')).toBe('true')
  })

  test('a post is saved with a key, gets a reminder, and is removed and restored on the page of saved posts', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const post = await bob.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: 'When?' })
    const page = await openPage(cast, ada, '/posts')
    await waitForVisible(page.getByRole('link', { name: 'Lunch?' }))
    await holdNotices(page)
    await page.keyboard.press('j')
    await waitForFocus(page.getByRole('link', { name: 'Lunch?' }))
    await page.keyboard.press('s')
    await waitForVisible(page.getByRole('status').getByText('Saved', { exact: true }))
    await pressSequence(page, 'g', 's')
    await page.waitForURL('**/saved')
    const row = page.getByRole('list', { name: 'Saved posts' }).getByRole('listitem')
    await waitForVisible(row.getByRole('link', { name: 'Lunch?' }))

    await row.hover()
    await row.getByRole('button', { name: 'Actions for Lunch?' }).click()
    await page.getByRole('menuitem', { name: /^Tomorrow/ }).click()
    await waitForVisible(row.getByText(/^Reminder tomorrow at/))
    await waitForValue(
      async () => (await ada.saved.list({ reminders: true })).data.map((saved) => saved.post.id),
      [post.id],
    )
    await row.getByRole('button', { name: 'Actions for Lunch?' }).click()
    await page.getByRole('menuitem', { name: 'Remove from saved' }).click()
    await waitForVisible(page.getByText('No saved posts'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForVisible(row.getByText(/^Reminder tomorrow at/))
  })
})
