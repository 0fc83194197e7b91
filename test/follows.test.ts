import { describe, expect, test } from 'bun:test'
import { expectInvalid, expectRefusals } from './expectations'
import { publish } from './inbox/entries'
import { world } from './world'

describe('follows', () => {
  test('someone follows what they wrote, commented on or talk in, and else hears of mentions', async () => {
    const { ada, bob, vic, general } = await world()
    const post = await publish(ada, general, 'Lunch')
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    const levels = await Promise.all([
      ada.follows.get({ subject_id: post.id }),
      bob.follows.get({ subject_id: post.id }),
      vic.follows.get({ subject_id: post.id }),
      bob.follows.get({ subject_id: thread.id }),
      ada.follows.get({ subject_id: general.id }),
    ])
    expect(levels).toEqual([
      { subject_id: post.id, level: 'all', is_chosen: false },
      { subject_id: post.id, level: 'all', is_chosen: false },
      { subject_id: post.id, level: 'mentions', is_chosen: false },
      { subject_id: thread.id, level: 'all', is_chosen: false },
      { subject_id: general.id, level: 'mentions', is_chosen: false },
    ])
  })

  test('a post is followed as its channel is, unless something else was chosen for it', async () => {
    const { ada, vic, general } = await world()
    const post = await publish(ada, general, 'Lunch')
    await vic.follows.set({ subject_id: general.id, level: 'none' })
    expect(await vic.follows.get({ subject_id: post.id })).toEqual({
      subject_id: post.id,
      level: 'none',
      is_chosen: false,
    })
    await vic.follows.set({ subject_id: post.id, level: 'all' })
    expect(await vic.follows.get({ subject_id: post.id })).toMatchObject({ level: 'all', is_chosen: true })
    await vic.follows.reset({ subject_id: post.id })
    expect(await vic.follows.get({ subject_id: post.id })).toMatchObject({ level: 'none', is_chosen: false })
  })

  test('what was chosen stays when one writes there, and what follows from that comes back', async () => {
    const { ada, bob, general } = await world()
    const post = await publish(ada, general, 'Lunch')
    await bob.follows.set({ subject_id: post.id, level: 'mentions' })
    await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    expect(await bob.follows.get({ subject_id: post.id })).toMatchObject({ level: 'mentions', is_chosen: true })
    for (const who of [ada, bob]) {
      await who.follows.set({ subject_id: post.id, level: 'none' })
      expect(await who.follows.reset({ subject_id: post.id })).toEqual({
        subject_id: post.id,
        level: 'all',
        is_chosen: false,
      })
    }
  })

  test('only the member hears of it, and nobody if nothing changes', async () => {
    const { ada, bob, general, events } = await world()
    await ada.follows.set({ subject_id: general.id, level: 'all' })
    await ada.follows.set({ subject_id: general.id, level: 'all' })
    await ada.follows.reset({ subject_id: general.id })
    await ada.follows.reset({ subject_id: general.id })
    expect(await events()).toEqual(['follow.updated', 'follow.updated'])
    const heard = async (who: typeof ada) =>
      (await who.events.list({ types: ['follow.updated'] })).data.map(({ data }) => data)
    expect(await heard(ada)).toEqual([
      { subject_id: general.id, level: 'all', is_chosen: true },
      { subject_id: general.id, level: 'mentions', is_chosen: false },
    ])
    expect(await heard(bob)).toEqual([])
  })

  test('apps, strangers and members outside the channel are refused', async () => {
    const cast = await world()
    const post = await publish(cast.ada, cast.general, 'Lunch')
    const thread = await cast.ada.threads.create({ member_ids: [cast.bob.id] })
    const outside = { gus: 'not_found', zed: 'not_found', bot: 'forbidden' } as const
    for (const { id: subject_id } of [post, cast.general]) {
      await expectRefusals(cast, (who) => who.follows.get({ subject_id }), outside)
      await expectRefusals(cast, (who) => who.follows.set({ subject_id, level: 'all' }), {
        ...outside,
        reader: 'insufficient_scope',
      })
      await expectRefusals(cast, (who) => who.follows.reset({ subject_id }), {
        ...outside,
        reader: 'insufficient_scope',
      })
    }
    await expectRefusals(cast, (who) => who.follows.set({ subject_id: thread.id, level: 'all' }), {
      vic: 'not_found',
      root: 'not_found',
    })
    await expectRefusals(cast, (who) => who.follows.get({ subject_id: 'mem_1' }), { ada: 'not_found' })
    await expectInvalid(cast.ada.follows.set({ subject_id: post.id, level: 'some' as never }), 'level')
  })
})
