import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { everyRecord } from '../../src/client'
import type { Person, World } from '../world'
import { world } from '../world'
import { becomes, hides, shows, test, visit } from './browser'
import { filledWorld } from './filled'

/** By selector, not by role: among hundreds of rows, roles take the browser seconds. */
const rows = (page: Page) => page.locator('ol[aria-label=Posts] > li')
const row = (page: Page, title: string) =>
  rows(page).filter({ has: page.locator('[data-row]').getByText(title, { exact: true }) })
const titles = (page: Page) => rows(page).locator('[data-row]').allTextContents()
const idsShown = (page: Page) => rows(page).evaluateAll((all) => all.map(({ id }) => id))
const title = (page: Page) => page.getByRole('heading', { level: 1 })
const inIndex = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sidebar' }).getByRole('link', { name, exact: true })

const write = ({ general }: World, who: Person, title: string, channel_id = general.id) =>
  who.posts.create({ channel_id, title, content_markdown: `About ${title}.` })

describe('the feed', () => {
  test('shows all posts, a channel’s, the open, the resolved; the newest first or by last activity', async () => {
    const cast = await world()
    const { ada, bob, root } = cast
    const news = await root.channels.create({ name: 'news' })
    const first = await write(cast, ada, 'First')
    const second = await write(cast, ada, 'Second')
    await write(cast, bob, 'Third', news.id)
    await ada.posts.resolve({ post_id: second.id })
    await bob.comments.create({ post_id: first.id, content_markdown: 'Yes.' })

    const page = await visit(cast, ada, '/posts')
    await becomes(() => titles(page), ['Third', 'Second', 'First'])
    await page.getByRole('button', { name: 'Last activity' }).click()
    await becomes(async () => (await titles(page))[0], 'First')
    expect(new URL(page.url()).search).toBe('?sort=activity')

    await inIndex(page, 'Open').click()
    await becomes(() => titles(page), ['Third', 'First'])
    await becomes(() => title(page).textContent(), 'Open posts')
    await inIndex(page, 'Resolved').click()
    await becomes(() => titles(page), ['Second'])
    await inIndex(page, 'news').click()
    await becomes(() => titles(page), ['Third'])
    await becomes(() => title(page).textContent(), 'news')
    await page.getByRole('button', { name: 'Resolved', exact: true }).click()
    await shows(page.getByText('No resolved posts yet'))
    await page.goBack()
    await becomes(() => titles(page), ['Third'])
    await row(page, 'Third').getByRole('link', { name: 'Third' }).click()
    await page.waitForURL(/\/posts\/post_/)
  })

  test('goes on without end, both ways, in the order of the API, and lets go of what is far away', async () => {
    const cast = await filledWorld({ posts: 500 })
    const expected: string[] = []
    for await (const { id } of everyRecord(cast.root.posts.list, {})) expected.push(id)
    expect(expected.length).toBeGreaterThan(400)

    const page = await visit(cast, cast.root, '/posts')
    const seen = new Set<string>()
    let most = 0
    const look = async (): Promise<string[]> => {
      const shown = await idsShown(page)
      for (const id of shown) seen.add(id)
      most = Math.max(most, shown.length)
      const at = expected.indexOf(shown[0]!)
      expect(shown).toEqual(expected.slice(at, at + shown.length))
      return shown
    }
    const goTo = async (last: string, end: 'first' | 'last') => {
      await shows(rows(page).first())
      await becomes(async () => {
        await rows(page)
          [end]()
          .evaluate((row) => row.scrollIntoView())
        return (await look()).includes(last)
      }, true)
    }
    await goTo(expected.at(-1)!, 'last')
    expect(seen.size).toBe(expected.length)
    expect(most).toBeLessThanOrEqual(8 * 50)
    await goTo(expected[0]!, 'first')
    expect(most).toBeLessThanOrEqual(8 * 50)
  })

  test('keeps its place on Back, also far down, and after a reload', async () => {
    const cast = await filledWorld({ posts: 300 })
    const page = await visit(cast, cast.ada, '/posts')
    await shows(rows(page).first())
    await becomes(async () => {
      await rows(page)
        .last()
        .evaluate((row) => row.scrollIntoView())
      return (await rows(page).count()) > 150
    }, true)
    const target = rows(page).nth(130)
    await target.scrollIntoViewIfNeeded()
    const id = (await target.getAttribute('id'))!
    const same = page.locator(`#${id}`)
    const before = await topOf(same)

    await same.locator('a[data-row]').click()
    await page.waitForURL(`**/posts/${id}`)
    await page.goBack()
    await nearly(() => topOf(same), before)

    await page.reload()
    await nearly(() => topOf(same), before)
    await same.locator('a[data-row]').click()
    await page.waitForURL(`**/posts/${id}`)
    await page.reload()
    await page.goBack()
    await nearly(() => topOf(same), before)

    await inIndex(page, 'Resolved').click()
    await inIndex(page, 'All posts').click()
    await becomes(() => page.evaluate(() => scrollY), 0)
  })

  test('what is new comes in at the top, and leaves in place what one reads', async () => {
    const cast = await filledWorld({ posts: 80 })
    const page = await visit(cast, cast.ada, '/posts')
    const reading = rows(page).nth(30)
    await shows(rows(page).first())
    await reading.scrollIntoViewIfNeeded()
    const id = (await reading.getAttribute('id'))!
    const before = await topOf(page.locator(`#${id}`))
    await write(cast, cast.bob, 'Fresh')
    await becomes(() => row(page, 'Fresh').count(), 1)
    await nearly(() => topOf(page.locator(`#${id}`)), before)
  })

  test('marks what is unread until one has opened it', async () => {
    const cast = await world()
    const old = await write(cast, cast.bob, 'Old')
    const page = await visit(cast, cast.ada, '/posts')
    await shows(row(page, 'Old'))
    const unread = (name: string) => row(page, name).getByRole('img', { name: 'Unread' })
    expect(await unread('Old').count()).toBe(0)
    await write(cast, cast.bob, 'Fresh')
    await shows(unread('Fresh'))
    await cast.bob.comments.create({ post_id: old.id, content_markdown: 'More.' })
    await shows(unread('Old'))

    await row(page, 'Fresh').getByRole('link', { name: 'Fresh' }).click()
    await becomes(() => title(page).textContent(), 'Fresh')
    await page.goBack()
    await shows(unread('Old'))
    await hides(unread('Fresh'))
    await page.reload()
    await shows(unread('Old'))
    expect(await unread('Fresh').count()).toBe(0)
  })

  test('what one writes oneself is not unread', async () => {
    const cast = await world()
    const page = await visit(cast, cast.ada, '/posts')
    await shows(page.getByText('No posts yet'))
    await write(cast, cast.ada, 'Mine')
    await write(cast, cast.bob, 'Bob’s')
    await shows(row(page, 'Bob’s').getByRole('img', { name: 'Unread' }))
    expect(await row(page, 'Mine').getByRole('img', { name: 'Unread' }).count()).toBe(0)
  })
})

describe('what one may', () => {
  test('a viewer sees what writes disabled, with the reason', async () => {
    const cast = await world()
    const post = await write(cast, cast.ada, 'Lunch?')
    const page = await visit(cast, cast.vic, '/posts')
    await row(page, 'Lunch?').hover()
    for (const button of [
      row(page, 'Lunch?').getByRole('button', { name: 'Resolve' }),
      page.getByRole('main').getByRole('button', { name: 'New post' }),
      page.getByRole('navigation', { name: 'Sidebar' }).getByRole('button', { name: 'New post' }),
    ]) {
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await button.getAttribute('title')).toBe('Viewers can read but not write. An admin can change your role.')
      await button.click({ force: true })
    }
    expect(new URL(page.url()).pathname).toBe('/posts')
    expect((await cast.ada.posts.get({ id: post.id })).resolution).toBeNull()
  })

  test('a guest sees what they were added to, as soon as they are, and no more', async () => {
    const cast = await world()
    const { root, gus } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    await write(cast, root, 'Public matter')
    await write(cast, root, 'Secret matter', secret.id)

    const page = await visit(cast, gus, '/posts')
    await shows(page.getByText('No posts yet'))
    expect(await inIndex(page, 'general').count()).toBe(0)
    await root.channels.addMember({ channel_id: secret.id, member_id: gus.id })
    await shows(inIndex(page, 'secret'))
    await inIndex(page, 'secret').click()
    await becomes(() => titles(page), ['Secret matter'])
    await inIndex(page, 'All posts').click()
    await becomes(() => titles(page), ['Secret matter'])
    await root.channels.removeMember({ channel_id: secret.id, member_id: gus.id })
    await page.reload()
    await shows(page.getByText('No posts yet'))
    expect(await inIndex(page, 'secret').count()).toBe(0)
  })
})

const topOf = async (locator: Locator): Promise<number | undefined> => (await locator.boundingBox())?.y

/** Waits until a place on the screen is within a few pixels of another. */
const nearly = (read: () => Promise<number | undefined>, expected: number | undefined) =>
  becomes(async () => Math.abs(((await read()) ?? Number.NaN) - expected!) <= 4, true)
