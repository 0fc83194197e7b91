import { describe } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import { joinedWorld, openPage, test, waitForValue, waitForVisible } from './browser'

describe('live updates', () => {
  test('two browsers see each other’s posts, comments and resolutions', async () => {
    const cast = await world()
    const [bob, vic] = await Promise.all([openPage(cast, cast.bob, '/posts'), openPage(cast, cast.vic, '/posts')])
    await Promise.all([waitForVisible(bob.getByText('No posts yet')), waitForVisible(vic.getByText('No posts yet'))])

    const post = await cast.ada.posts.create({
      channel_id: cast.general.id,
      title: 'Lunch?',
      content_markdown: 'When?',
    })
    const row = (page: typeof bob) => page.getByRole('listitem').filter({ hasText: 'Lunch?' })
    await Promise.all([waitForVisible(row(bob)), waitForVisible(row(vic))])

    await cast.ada.comments.create({ post_id: post.id, content_markdown: 'At noon.' })
    await waitForVisible(row(vic).getByText('1 comment'))
    await row(bob).hover()
    await row(bob).getByRole('button', { name: 'Resolve' }).click()
    await waitForVisible(row(vic).getByText('Resolved'))
    await waitForValue(async () => (await cast.ada.posts.get({ id: post.id })).resolution?.resolved_by.id, cast.bob.id)
    await waitForValue(() => row(bob).getByRole('button', { name: 'Reopen' }).count(), 1)
  })

  test('a post is shown although an older response arrives after its event', async () => {
    const cast = await joinedWorld()
    const { ada, bob, root, general } = cast
    const post = (title: string) => bob.posts.create({ channel_id: general.id, title, content_markdown: 'Now.' })
    const page = await openPage(cast, ada, '/inbox')
    const sidebar = page.getByRole('navigation', { name: 'Sidebar' })
    await waitForVisible(sidebar.getByRole('link', { name: 'general', exact: true }))
    const row = (title: string) => page.getByRole('listitem').filter({ hasText: title })

    const first = await holdNextResponse(page, '/v2/posts?')
    await sidebar.getByRole('link', { name: 'Posts', exact: true }).click()
    await first.held
    await post('During the first request')
    await waitForVisible(sidebar.getByRole('link', { name: 'general 1 unread', exact: true }))
    first.release()
    await waitForVisible(row('During the first request'))

    const second = await holdNextResponse(page, '/v2/posts?')
    const added = await root.channels.create({ name: 'news', private: true })
    await root.channels.addMember({ channel_id: added.id, member_id: ada.id })
    await second.held
    await post('During a later request')
    await waitForVisible(row('During a later request'))
    second.release()
    await post('Afterwards')
    await waitForVisible(row('Afterwards'))
    await waitForVisible(row('During a later request'))
  })
})

/** Keeps the response to the next request of a path from the page until it is released. */
async function holdNextResponse(page: Page, path: string) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(
    ({ href }) => href.includes(path),
    async (route) => {
      const response = await route.fetch()
      held.resolve()
      await released.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  return { held: held.promise, release: released.resolve }
}
