import { describe, expect } from 'bun:test'
import { world } from '../world'
import { openPage, test, waitForValue, waitForVisible } from './browser'

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
    expect(await row(bob).getByRole('button', { name: 'Reopen' }).count()).toBe(1)
  })
})
