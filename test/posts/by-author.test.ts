import { describe, expect, test } from 'bun:test'
import { expectPages, expectRefused } from '../expectations'
import { time } from '../server'
import { world } from '../world'

describe('posts.list of an author', () => {
  test('has the posts of that member or app, in all channels one may see', async () => {
    const { root, ada, bob, bot, gus, zed, general } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const posts = []
    for (const channel_id of [general.id, secret.id, general.id, secret.id]) {
      time.advance(5)
      posts.unshift(await ada.posts.create({ channel_id, content_markdown: 'Hello' }))
    }
    await bot.posts.create({ channel_id: general.id, content_markdown: 'Beep' })
    const author_id = ada.id

    await expectPages((page) => root.posts.list({ author_id, ...page }), posts)
    await expectPages((page) => root.posts.list({ author_id, direction: 'asc', ...page }), posts.toReversed())
    const open = posts.filter(({ channel }) => channel.id === general.id)
    await expectPages((page) => bob.posts.list({ author_id, sort: 'last_activity_at', ...page }), open, 1)
    expect(await root.posts.list({ author_id, channel_id: secret.id })).toMatchObject({ total_count: 2 })
    expect(await root.posts.list({ author_id: bot.id })).toMatchObject({ total_count: 1 })
    expect(await root.posts.list({ author_id: root.id })).toMatchObject({ data: [], total_count: 0 })

    await expectRefused(bob.posts.list({ author_id, channel_id: secret.id }), 'not_found')
    await expectRefused(gus.posts.list({ author_id }), 'not_found')
    await expectRefused(zed.posts.list({ author_id }), 'not_found')
    await expectRefused(root.posts.list({ author_id: 'mem_nobody' }), 'not_found')
  })

  test('counts what is resolved, deleted, private and archived', async () => {
    const { root, ada, bob, general } = await world()
    const write = () => ada.posts.create({ channel_id: general.id, content_markdown: 'Hello' })
    const [first, second] = [await write(), await write(), await write()]
    const counts = async () => {
      const count = async (resolved?: boolean) =>
        (await bob.posts.list({ author_id: ada.id, resolved, limit: 1 })).total_count
      return [await count(), await count(true), await count(false)]
    }
    await ada.posts.resolve({ post_id: first.id })
    await ada.posts.resolve({ post_id: first.id })
    await ada.posts.resolve({ post_id: second.id })
    await ada.posts.unresolve({ post_id: second.id })
    expect(await counts()).toEqual([3, 1, 2])
    await ada.posts.delete({ id: first.id })
    expect(await counts()).toEqual([2, 0, 2])
    await bob.channels.leave({ channel_id: general.id })
    await root.channels.update({ id: general.id, private: true })
    expect(await counts()).toEqual([0, 0, 0])
    await root.channels.update({ id: general.id, private: false })
    await root.channels.delete({ id: general.id })
    expect(await counts()).toEqual([0, 0, 0])
    await root.channels.update({ id: general.id, archived: false })
    expect(await counts()).toEqual([2, 0, 2])
  })
})
