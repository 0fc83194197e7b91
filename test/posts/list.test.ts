import { afterEach, describe, expect, test } from 'bun:test'
import { countReads, expectInvalid, expectPages, expectRefused, ids, inOrder } from '../expectations'
import { time } from '../server'
import { type Person, type World, world } from '../world'

afterEach(() => time.unfreeze())

async function publish(who: Person, channel: { id: string }, count: number) {
  const posts = []
  for (let number = 1; number <= count; number++) {
    time.advance(5)
    posts.push(await who.posts.create({ channel_id: channel.id, content_markdown: `Post ${number}` }))
  }
  return posts
}

describe('posts.list', () => {
  test('lists the newest first by default', async () => {
    const { ada, general } = await world()
    const posts = await publish(ada, general, 3)
    const newest = posts.toReversed()

    expect(await ada.posts.list()).toEqual({ data: newest, total_count: 3, next_cursor: null, prev_cursor: null })
    expect((await ada.posts.list({ sort: 'published_at', direction: 'desc' })).data).toEqual(newest)
    expect((await ada.posts.list({ direction: 'asc' })).data).toEqual(posts)
  })

  test('sorts by activity', async () => {
    const { ada, general } = await world()
    const [first, second, third] = ids(await publish(ada, general, 3)) as [string, string, string]
    time.advance(5)
    await ada.comments.create({ post_id: first, content_markdown: 'Up!' })
    const listed = async (direction?: 'asc') =>
      ids((await ada.posts.list({ sort: 'last_activity_at', direction })).data)

    expect(await listed()).toEqual([first, third, second])
    expect(await listed('asc')).toEqual([second, third, first])
  })

  test('posts with the same time are sorted by id', async () => {
    const { ada, general } = await world()
    time.freeze()
    const posts = await Promise.all(
      [1, 2, 3, 4, 5].map((number) => ada.posts.create({ channel_id: general.id, content_markdown: `${number}` })),
    )
    const newest = inOrder(posts, -1)
    await expectPages(ada.posts.list, newest)
    await expectPages((page) => ada.posts.list({ ...page, direction: 'asc' }), newest.toReversed())
  })

  test.each(['published_at', 'last_activity_at'] as const)('can be paged both ways by %s', async (sort) => {
    const { root, ada, general } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const posts = [...(await publish(ada, general, 2)), ...(await publish(ada, secret, 2))]
    posts.push(...(await publish(ada, general, 3)))
    await ada.posts.resolve({ post_id: posts[6]!.id })
    posts[6] = await ada.posts.get({ id: posts[6]!.id })

    await expectPages((page) => ada.posts.list({ ...page, sort }), posts.toReversed())
    await expectPages((page) => ada.posts.list({ ...page, sort, direction: 'asc' }), posts, 3)
  })

  test('filters by channel', async () => {
    const { root, ada, general } = await world()
    const other = await root.channels.create({ name: 'other' })
    const posts = await publish(ada, general, 3)
    await publish(ada, other, 2)

    await expectPages((page) => ada.posts.list({ ...page, channel_id: general.id }), posts.toReversed())
    expect((await ada.posts.list({ channel_id: other.id })).total_count).toBe(2)
    expect((await ada.posts.list({ channel_id: '' })).total_count).toBe(5)
    expect((await ada.posts.list()).total_count).toBe(5)
  })

  test('filters by resolution', async () => {
    const { ada, general } = await world()
    const posts = await publish(ada, general, 5)
    for (const { id } of posts.slice(0, 2)) await ada.posts.resolve({ post_id: id })
    const [open, resolved] = [posts.slice(2).toReversed(), posts.slice(0, 2).toReversed()]

    await expectPages((page) => ada.posts.list({ ...page, resolved: false }), open)
    expect(ids((await ada.posts.list({ resolved: true, channel_id: general.id })).data)).toEqual(ids(resolved))
    await ada.posts.unresolve({ post_id: resolved[0]!.id })
    expect(await ada.posts.list({ resolved: true, channel_id: general.id })).toMatchObject({ total_count: 1 })
    expect(await ada.posts.list({ resolved: false })).toMatchObject({ total_count: 4 })
  })

  test('an invisible channel is not found', async () => {
    const { root, ada, gus, zed, general } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await expectRefused(ada.posts.list({ channel_id: 'chan_nowhere' }), 'not_found')
    await expectRefused(ada.posts.list({ channel_id: secret.id }), 'not_found')
    await expectRefused(gus.posts.list({ channel_id: general.id }), 'not_found')
    await expectRefused(zed.posts.list({ channel_id: general.id }), 'not_found')
  })

  test('refuses unknown parameters', async () => {
    const { ada } = await world()
    await expectInvalid(ada.posts.list({ sort: 'title' } as never), 'sort')
    await expectInvalid(ada.posts.list({ direction: 'up' } as never), 'direction')
    await expectInvalid(ada.posts.list({ resolved: 'maybe' } as never), 'resolved')
    await expectInvalid(ada.posts.list({ chanel_id: 'x' } as never), 'chanel_id')
    for (const limit of [0, 51, -1, 1.5, '05', '+5', 'all'])
      await expectInvalid(ada.posts.list({ limit } as never), 'limit')
  })

  test('a cursor is valid for its own list only', async () => {
    const { ada, general } = await world()
    await publish(ada, general, 3)
    const after = (await ada.posts.list({ limit: 1 })).next_cursor!

    expect((await ada.posts.list({ after, sort: 'published_at', direction: 'desc' })).data).toHaveLength(2)
    for (const other of [
      { channel_id: general.id },
      { resolved: false },
      { sort: 'last_activity_at' as const },
      { direction: 'asc' as const },
      { after: `${after}A` },
      { after: 'nonsense' },
    ])
      await expectRefused(ada.posts.list({ after, ...other }), 'invalid_cursor')
    await expectRefused(ada.members.list({ after }), 'invalid_cursor')
  })

  test('a cursor stays valid after its post is deleted', async () => {
    const { ada, general } = await world()
    const [first, second, third] = await publish(ada, general, 3)
    const page = await ada.posts.list({ limit: 2 })
    await ada.posts.delete({ id: second!.id })
    const next = await ada.posts.list({ after: page.next_cursor! })
    expect(next.data).toEqual([first!])
    expect((await ada.posts.list({ after: next.prev_cursor! })).data).toEqual([third!])
  })

  test('contains and counts only visible posts', async () => {
    const { root, ada, bob, vic, gus, bot, zed, general, tokenFor } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const [open] = ids(await publish(ada, general, 1))
    const [hidden] = ids(await publish(ada, secret, 1))
    const listed = async (who: Person) => {
      const { data, total_count } = await who.posts.list()
      expect(total_count).toBe(data.length)
      return ids(data)
    }

    for (const insider of [root, ada]) expect(await listed(insider)).toEqual([hidden!, open!])
    for (const outsider of [bob, vic, bot, await tokenFor(bot.id, ['admin'])])
      expect(await listed(outsider)).toEqual([open!])
    for (const stranger of [gus, zed]) expect(await listed(stranger)).toEqual([])
    await root.channels.addMember({ channel_id: secret.id, member_id: gus.id })
    expect(await listed(gus)).toEqual([hidden!])
  })

  test('an admin outside a private channel does not see its posts', async () => {
    const { root, bob, ada } = await world()
    await root.members.update({ id: bob.id, role: 'admin' })
    const secret = await bob.channels.create({ name: 'secret', private: true })
    const [post] = await publish(bob, secret, 1)
    await expectRefused(root.posts.get({ id: post!.id }), 'not_found')
    expect((await root.posts.list()).total_count).toBe(0)
    await expectRefused(ada.posts.get({ id: post!.id }), 'not_found')
  })

  test('the pages contain every post', async () => {
    const { ada, general } = await world()
    const posts = await publish(ada, general, 7)
    const seen = await Array.fromAsync(ada.posts.list({ limit: 3 }))
    expect(seen).toEqual(posts.toReversed())
    const comments = ada.comments.list({ post_id: posts[0]!.id })
    expect(await Array.fromAsync(comments)).toEqual([])
  })

  test('a page beyond the end has a cursor back', async () => {
    const { ada, general } = await world()
    const [first, second, third] = await publish(ada, general, 3)
    const { next_cursor } = await ada.posts.list({ limit: 2 })
    await ada.posts.delete({ id: first!.id })
    const beyond = await ada.posts.list({ after: next_cursor! })
    expect(beyond).toMatchObject({ data: [], total_count: 2, next_cursor: null })
    expect((await ada.posts.list({ after: beyond.prev_cursor! })).data).toEqual([third!, second!])
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone: World = await world()
    const { root, ada, general } = everyone
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const make = (channel: { id: string }, count: number) =>
      Promise.all(
        Array.from({ length: count }, () => ada.posts.create({ channel_id: channel.id, content_markdown: 'x' })),
      )
    const costs = async () => [
      await countReads(everyone, ada, (who) => who.posts.list()),
      await countReads(everyone, ada, (who) => who.posts.list({ channel_id: general.id })),
      await countReads(everyone, ada, (who) => who.posts.list({ resolved: false, sort: 'last_activity_at' })),
    ]
    await make(general, 1)
    await make(secret, 1)
    const few = await costs()
    const posts = await make(general, 40)
    await make(secret, 20)
    const { id: comment_id } = await ada.comments.create({ post_id: posts[0]!.id, content_markdown: 'x' })
    await ada.posts.resolve({ post_id: posts[0]!.id, comment_id })
    // Revision, visible channels, ids of the posts, and posts.
    for (const cost of [...few, ...(await costs())]) expect(cost).toBeLessThanOrEqual(4)
    expect(Math.min(...few)).toBeGreaterThan(0)
    const first = await ada.posts.list()
    expect(first.data).toHaveLength(50)
    const second = await countReads(everyone, ada, (who) => who.posts.list({ after: first.next_cursor!, limit: 5 }))
    expect(second).toBeLessThanOrEqual(3)
  })
})
