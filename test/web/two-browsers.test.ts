import { describe, expect } from 'bun:test'
import { world } from '../world'
import { becomes, shows, test, visit } from './browser'

describe('two browsers', () => {
  test('see each other’s post, comment and resolution at once', async () => {
    const cast = await world()
    const [bob, vic] = await Promise.all([visit(cast, cast.bob, '/posts'), visit(cast, cast.vic, '/posts')])
    await Promise.all([shows(bob.getByText('No posts yet')), shows(vic.getByText('No posts yet'))])

    const post = await cast.ada.posts.create({
      channel_id: cast.general.id,
      title: 'Lunch?',
      content_markdown: 'When?',
    })
    const row = (page: typeof bob) => page.getByRole('listitem').filter({ hasText: 'Lunch?' })
    await Promise.all([shows(row(bob)), shows(row(vic))])

    await cast.ada.comments.create({ post_id: post.id, content_markdown: 'At noon.' })
    await shows(row(vic).getByText('1 comment'))
    await row(bob).hover()
    await row(bob).getByRole('button', { name: 'Resolve' }).click()
    await shows(row(vic).getByText('Resolved'))
    await becomes(async () => (await cast.ada.posts.get({ id: post.id })).resolution?.resolved_by.id, cast.bob.id)
    expect(await row(bob).getByRole('button', { name: 'Reopen' }).count()).toBe(1)
  })
})
