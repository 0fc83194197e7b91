import { describe, expect, test } from 'bun:test'
import { MAX_PINS } from '../src/contract/pins'
import { expectConsistent } from './consistency'
import { author, countReads, expectPages, expectRefusals, expectRefused, timestamp } from './expectations'
import { publish } from './inbox/entries'
import { world } from './world'

describe('pins', () => {
  test('a pinned post is listed in its current state, with who pinned it; the most recently pinned comes first', async () => {
    const { ada, bob, vic, bot, general, events } = await world()
    const [first, second, third] = [
      await publish(ada, general, 'One'),
      await publish(ada, general, 'Two'),
      await publish(ada, general, 'Three'),
    ]
    await ada.pins.set({ post_id: first.id })
    await bob.pins.set({ post_id: second.id })
    await bob.pins.set({ post_id: second.id })
    await bot.pins.set({ post_id: third.id })
    await ada.pins.unset({ post_id: third.id })
    await ada.pins.unset({ post_id: third.id })
    await ada.posts.update({ id: first.id, title: 'One, changed' })
    const { data, total_count } = await vic.pins.list({ channel_id: general.id })
    expect(total_count).toBe(2)
    expect(data).toEqual([
      { post: await vic.posts.get({ id: second.id }), pinned_at: timestamp, pinned_by: author(bob, 'Bob Moore') },
      { post: await vic.posts.get({ id: first.id }), pinned_at: timestamp, pinned_by: author(ada, 'Ada Lovelace') },
    ])
    expect(data[1]!.post.title).toBe('One, changed')
    expect((await vic.unread.posts({ ids: [first.id, third.id] })).data).toMatchObject([
      { pinned_at: data[1]!.pinned_at },
      { pinned_at: null },
    ])
    expect((await events()).slice(3)).toEqual([
      'post.pinned',
      'post.pinned',
      'post.pinned',
      'post.unpinned',
      'post.updated',
    ])
  })

  test('the list has pages, and costs as many statements for one pin as for many', async () => {
    const everyone = await world()
    const { ada, general } = everyone
    const list = (input = {}) => ada.pins.list({ channel_id: general.id, ...input })
    await ada.pins.set({ post_id: (await publish(ada, general, 'First')).id })
    const few = await countReads(everyone, ada, (who) => who.pins.list({ channel_id: general.id }))
    for (let at = 0; at < 4; at++) await ada.pins.set({ post_id: (await publish(ada, general, `Post ${at}`)).id })
    const { data } = await list()
    await expectPages(list, data)
    expect((await list({ after: data[1]!.post.id })).data).toEqual(data.slice(2))
    expect(await countReads(everyone, ada, (who) => who.pins.list({ channel_id: general.id, limit: 40 }))).toBe(few)
  })

  test('callers who may not write or see the channel cannot pin, and nobody lists pins they may not see', async () => {
    const everyone = await world()
    const { ada, root, general } = everyone
    const secret = await root.channels.create({ name: 'secret', private: true })
    const [open, hidden] = [await publish(ada, general, 'Open'), await publish(root, secret, 'Hidden')]
    await root.pins.set({ post_id: hidden.id })
    const writers = { vic: 'forbidden', gus: 'not_found', zed: 'not_found', reader: 'insufficient_scope' } as const
    await expectRefusals(everyone, (who) => who.pins.set({ post_id: open.id }), writers)
    await expectRefusals(everyone, (who) => who.pins.unset({ post_id: open.id }), writers)
    await expectRefusals(everyone, (who) => who.pins.unset({ post_id: hidden.id }), {
      ada: 'not_found',
      bot: 'not_found',
    })
    await expectRefusals(everyone, (who) => who.pins.list({ channel_id: secret.id }), {
      ...{ ada: 'not_found', vic: 'not_found', gus: 'not_found', bot: 'not_found', zed: 'not_found' },
    } as const)
    await root.channels.delete({ id: secret.id })
    await expectRefused(root.pins.list({ channel_id: secret.id }), 'not_found')
  })

  test('a channel has a limited number of pins; a deleted post makes room', async () => {
    const { ada, general, server } = await world()
    const posts = await Promise.all(
      Array.from({ length: MAX_PINS + 1 }, (_, at) => publish(ada, general, `Post ${at}`)),
    )
    const outcomes = await Promise.allSettled(posts.map(({ id }) => ada.pins.set({ post_id: id })))
    const refused = outcomes.findIndex(({ status }) => status === 'rejected')
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    await expectRefused(ada.pins.set({ post_id: posts[refused]!.id }), 'too_many_pins')
    await ada.posts.delete({ id: posts[(refused + 1) % posts.length]!.id })
    await ada.pins.set({ post_id: posts[refused]!.id })
    expect((await ada.pins.list({ channel_id: general.id })).total_count).toBe(MAX_PINS)
    await expectConsistent(server)
  })
})
