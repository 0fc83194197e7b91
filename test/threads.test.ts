import { describe, expect, test } from 'bun:test'
import {
  author,
  countReads,
  expectInvalid,
  expectPages,
  expectRefusals,
  expectRefused,
  idOf,
  ids,
  timestamp,
} from './expectations'
import { time } from './server'
import { world } from './world'

describe('threads.create', () => {
  test('creates a thread that its creator takes part in', async () => {
    const { ada, bob, bot, events } = await world()
    const thread = await ada.threads.create({ title: '  Release \n day ', member_ids: [bob.id, bot.id] })

    expect(thread).toEqual({
      id: idOf('thr'),
      title: 'Release day',
      url: expect.stringMatching(new RegExp(`^http://.+/threads/${thread.id}$`)),
      is_direct: false,
      created_at: timestamp,
      last_activity_at: thread.created_at,
      messages_count: 0,
      author: author(ada, 'Ada Lovelace'),
      members: expect.any(Array),
    })
    expect(thread.members).toHaveLength(3)
    expect(thread.members).toContainEqual(author(ada, 'Ada Lovelace'))
    expect(thread.members).toContainEqual(author(bob, 'Bob Moore'))
    expect(thread.members).toContainEqual(author(bot, 'Bot', 'app'))
    for (const who of [ada, bob, bot]) expect(await who.threads.get({ id: thread.id })).toEqual(thread)
    expect(await events()).toEqual(['thread.created'])
  })

  test('a thread without a title is named after its members', async () => {
    const { root, ada, bob, vic, bot } = await world()
    const title = async (...people: { id: string }[]) => (await ada.threads.create({ member_ids: ids(people) })).title
    expect(await title()).toBe('Ada Lovelace')
    expect(await title(bob)).toBe('Ada Lovelace, Bob Moore')
    expect(await title(bob, root, vic, bot)).toBe('Ada Lovelace, Bob Moore, Root Admin and 2 more')
    expect((await ada.threads.create({ title: '  ', member_ids: [] })).title).toBe('Ada Lovelace')
  })

  test('duplicate member ids are ignored', async () => {
    const { ada, bob } = await world()
    const { members } = await ada.threads.create({ member_ids: [bob.id, ada.id, bob.id] })
    expect(members).toHaveLength(2)
    expect((await ada.threads.list()).total_count).toBe(1)
  })

  test('reports unknown, invisible and inactive members', async () => {
    const { root, ada, bob, gus, zed, events } = await world()
    await expectInvalid(ada.threads.create({ member_ids: [bob.id, 'mem_nowhere'] }), 'member_ids[1]')
    await expectInvalid(ada.threads.create({ member_ids: [zed.id] }), 'member_ids[0]')
    await expectInvalid(gus.threads.create({ member_ids: [ada.id] }), 'member_ids[0]')
    await expectInvalid(ada.threads.create({} as never), 'member_ids')
    await expectInvalid(ada.threads.create({ member_ids: [], title: 'x'.repeat(201) }), 'title')
    await expectInvalid(ada.threads.create({ member_ids: Array(101).fill(bob.id) }), 'member_ids')
    await root.members.update({ id: bob.id, is_deactivated: true })
    await expectInvalid(ada.threads.create({ member_ids: [bob.id] }), 'member_ids[0]')
    expect(await events()).toEqual(['member.deactivated'])
  })

  test('a guest can add only members of their channels and threads', async () => {
    const { root, gus, general } = await world()
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    expect((await gus.threads.create({ member_ids: [root.id] })).members).toHaveLength(2)
  })

  test('requires write access', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.threads.create({ member_ids: [] }), {
      vic: 'forbidden',
      reader: 'insufficient_scope',
    })
  })
})

describe('threads.get', () => {
  test('only those who take part are allowed, not even other admins', async () => {
    const everyone = await world()
    const { ada, bob, vic, gus, bot, tokenFor } = everyone
    const { id } = await ada.threads.create({ member_ids: [vic.id, gus.id] })
    await expectRefusals(everyone, (who) => who.threads.get({ id }), {
      root: 'not_found',
      bob: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
    })
    await expectRefused((await tokenFor(bot.id, ['admin'])).threads.get({ id }), 'not_found')
    for (const who of [ada, vic, gus]) expect((await who.threads.get({ id })).id).toBe(id)
    await expectRefused(bob.threads.get({ id: 'thr_nowhere' }), 'not_found')
  })
})

describe('threads.list', () => {
  test('lists one’s own threads, latest activity first', async () => {
    const { ada, bob, root } = await world()
    const started = []
    for (const title of ['one', 'two', 'three', 'four', 'five']) {
      time.advance(5)
      started.push(await ada.threads.create({ title, member_ids: [bob.id] }))
    }
    time.advance(5)
    await bob.messages.create({ thread_id: started[0]!.id, content_markdown: 'Up!' })
    await root.threads.create({ title: 'elsewhere', member_ids: [bob.id] })
    const lively = await ada.threads.get({ id: started[0]!.id })
    const threads = [lively, ...started.slice(1).toReversed()]

    expect(await ada.threads.list()).toEqual({ data: threads, total_count: 5, next_cursor: null, prev_cursor: null })
    await expectPages((page) => ada.threads.list(page), threads)
    await expectPages((page) => ada.threads.list({ ...page, direction: 'asc' }), threads.toReversed())
    expect((await bob.threads.list()).total_count).toBe(6)
    expect((await root.threads.list()).total_count).toBe(1)
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone = await world()
    const { ada, bob } = everyone
    const cost = () => countReads(everyone, ada, (who) => who.threads.list())
    await ada.threads.create({ member_ids: [bob.id] })
    const few = await cost()
    await Promise.all(Array.from({ length: 55 }, () => ada.threads.create({ member_ids: [bob.id] })))
    expect(await cost()).toBe(few)
    expect(few).toBeLessThanOrEqual(4)
    expect(await ada.threads.list()).toMatchObject({ total_count: 56 })
  })
})
