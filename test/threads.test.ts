import { describe, expect, test } from 'bun:test'
import {
  author,
  avatarUrls,
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
      group: true,
      created_at: timestamp,
      updated_at: thread.created_at,
      last_activity_at: thread.created_at,
      last_message_at: null,
      messages_count: 0,
      members_count: 3,
      author: author(ada, 'Ada Lovelace'),
      creator: author(ada, 'Ada Lovelace'),
      avatar_urls: avatarUrls,
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
    for (const empty of ['  ', null])
      expect((await ada.threads.create({ title: empty, member_ids: [] })).title).toBe('Ada Lovelace')
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
    await expectInvalid(ada.threads.create({ member_ids: [], title: 'x'.repeat(301) }), 'title')
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
  test('only participants are allowed, not even other admins', async () => {
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

describe('threads.addMember', () => {
  test('adds a member or an app, who can read what was written before', async () => {
    const { ada, bob, bot, gus, events, eventRows, fillInboxes } = await world()
    const thread = await ada.threads.create({ title: 'Release', member_ids: [bob.id] })
    const message = await ada.messages.create({ thread_id: thread.id, content_markdown: 'Hello *there*' })
    await fillInboxes()
    time.advance(5)
    for (const { id } of [gus, bot, gus])
      expect(await bob.threads.addMember({ thread_id: thread.id, member_id: id })).toBeUndefined()

    expect(await events()).toEqual(['thread.created', 'message.created', ...Array(2).fill('thread.member_added')])
    const now = await ada.threads.get({ id: thread.id })
    expect(now).toMatchObject({ members_count: 4, title: 'Release', last_activity_at: message.created_at })
    expect(now.updated_at > thread.updated_at).toBe(true)
    expect(JSON.parse((await eventRows()).at(-1)!.data)).toEqual({ thread: now, member: author(bot, 'Bot', 'app') })
    for (const who of [gus, bot]) {
      expect(ids((await who.threads.list()).data)).toEqual([thread.id])
      expect(ids((await who.messages.list({ thread_id: thread.id })).data)).toEqual([message.id])
      expect(ids((await who.search.list({ q: 'there' })).data.map((hit) => hit.subject))).toEqual([thread.id])
    }
    await fillInboxes()
    expect((await gus.inbox.list()).data).toMatchObject([{ reason: 'added', subject: { id: thread.id }, new_count: 0 }])
    expect((await gus.unread.get()).threads).toEqual([])
  })

  test('is for participants who may write, and only with people they can see', async () => {
    const everyone = await world()
    const { root, ada, bob, vic, gus, zed } = everyone
    const { id: thread_id } = await ada.threads.create({ member_ids: [vic.id, gus.id] })
    await expectRefusals(everyone, (who) => who.threads.addMember({ thread_id, member_id: bob.id }), {
      root: 'not_found',
      bob: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
      gus: 'not_found',
      vic: 'forbidden',
      reader: 'insufficient_scope',
    })
    for (const member_id of [zed.id, 'mem_nowhere'])
      await expectRefused(ada.threads.addMember({ thread_id, member_id }), 'not_found')
    await root.members.update({ id: bob.id, is_deactivated: true })
    await expectRefused(ada.threads.addMember({ thread_id, member_id: bob.id }), 'member_deactivated')
  })

  test('a thread has a limited number of members', async () => {
    const { root, ada, bob } = await world()
    const apps = await Promise.all(Array.from({ length: 100 }, (_, at) => root.apps.create({ name: `App ${at}` })))
    const { id: thread_id } = await ada.threads.create({ member_ids: ids(apps) })
    await expectRefused(ada.threads.addMember({ thread_id, member_id: bob.id }), 'too_many_members')
  })
})

describe('threads.removeMember and threads.leave', () => {
  test('the member who started a thread, an admin who takes part and the member themself remove a member', async () => {
    const { root, ada, bob, vic, gus, bot, events } = await world()
    const { id: thread_id } = await ada.threads.create({ member_ids: ids([root, bob, vic, gus, bot]) })
    await expectRefused(bob.threads.removeMember({ thread_id, member_id: gus.id }), 'forbidden')
    await expectRefused(bot.threads.removeMember({ thread_id, member_id: ada.id }), 'forbidden')
    await ada.threads.removeMember({ thread_id, member_id: gus.id })
    await root.threads.removeMember({ thread_id, member_id: ada.id })
    await bob.threads.removeMember({ thread_id, member_id: bob.id })
    for (const who of [vic, bot]) expect(await who.threads.leave({ thread_id })).toBeUndefined()

    const told = ['thread.member_removed', 'access.lost', 'inbox.updated']
    expect(await events()).toEqual(['thread.created', ...Array(4).fill(told).flat(), ...told.slice(0, 2)])
    for (const who of [ada, bob, vic, gus, bot]) {
      await expectRefused(who.threads.get({ id: thread_id }), 'not_found')
      await expectRefused(who.threads.leave({ thread_id }), 'not_found')
      expect(await who.threads.list()).toMatchObject({ data: [], total_count: 0 })
      const [lost] = (await who.events.list({ types: ['access.lost'] })).data
      const reason = [ada, gus].includes(who) ? 'removed' : 'left'
      expect(lost!.data).toEqual({ subject_type: 'thread', subject_id: thread_id, reason })
    }
    expect((await root.threads.get({ id: thread_id })).members).toEqual([author(root, 'Root Admin')])
    await expectRefused(root.threads.leave({ thread_id }), 'last_member')
    await expectRefused(root.threads.removeMember({ thread_id, member_id: root.id }), 'last_member')
    await expectRefused(root.threads.removeMember({ thread_id, member_id: ada.id }), 'not_found')
  })

  test('the last who can read a thread stays, while others are deactivated or gone', async () => {
    const { root, ada, bob, bot } = await world()
    const { id: thread_id } = await ada.threads.create({ member_ids: [bob.id, bot.id] })
    await root.members.update({ id: bob.id, is_deactivated: true })
    await root.apps.delete({ id: bot.id })
    await expectRefused(ada.threads.leave({ thread_id }), 'last_member')
    for (const { id } of [bob, bot]) await ada.threads.removeMember({ thread_id, member_id: id })
    expect((await ada.threads.get({ id: thread_id })).members_count).toBe(1)
  })

  test('what is left of a thread is hidden, and read when one is added again', async () => {
    const { ada, bob, fillInboxes } = await world()
    const { id: thread_id } = await ada.threads.create({ member_ids: [bob.id] })
    const message = await ada.messages.create({ thread_id, content_markdown: 'A *secret* word' })
    await fillInboxes()
    expect((await bob.inbox.list()).total_count).toBe(1)
    await bob.threads.leave({ thread_id })
    await ada.messages.create({ thread_id, content_markdown: 'Another *secret*' })
    await fillInboxes()

    expect(await bob.inbox.list()).toMatchObject({ data: [], total_count: 0 })
    expect(await bob.unread.get()).toMatchObject({ threads: [], inbox_count: 0 })
    expect(await bob.search.list({ q: 'secret' })).toMatchObject({ data: [] })
    await expectRefused(bob.messages.get({ id: message.id }), 'not_found')
    await expectRefused(bob.messages.create({ thread_id, content_markdown: 'Hi' }), 'not_found')
    expect(JSON.stringify((await bob.events.list()).data)).not.toContain('secret')

    await ada.threads.addMember({ thread_id, member_id: bob.id })
    expect((await bob.unread.get()).threads).toEqual([])
    await fillInboxes()
    expect((await bob.inbox.list()).data).toMatchObject([
      { reason: 'added', is_unread: true, new_count: 0 },
      { reason: 'message', is_unread: false, new_count: 0 },
    ])
    await ada.messages.create({ thread_id, content_markdown: 'Welcome back' })
    expect((await bob.unread.get()).threads).toMatchObject([{ id: thread_id, unread_count: 1 }])
  })

  test('a direct message stays between two', async () => {
    const { root, ada, bob } = await world()
    const { thread_id } = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    await expectRefused(ada.threads.addMember({ thread_id, member_id: root.id }), 'direct_thread')
    await expectRefused(ada.threads.removeMember({ thread_id, member_id: bob.id }), 'direct_thread')
    await expectRefused(ada.threads.leave({ thread_id }), 'direct_thread')
  })

  test('requires write access, or for leaving a token that may write', async () => {
    const everyone = await world()
    const { ada, vic, tokenFor } = everyone
    const { id: thread_id } = await ada.threads.create({ member_ids: [vic.id] })
    await expectRefusals(everyone, (who) => who.threads.removeMember({ thread_id, member_id: vic.id }), {
      vic: 'forbidden',
      root: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await expectRefused((await tokenFor(vic.id, ['read'])).threads.leave({ thread_id }), 'insufficient_scope')
  })
})
