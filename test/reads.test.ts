import { afterAll, describe, expect, test } from 'bun:test'
import { attentionNumbers } from '../src/domain/references'
import { expectConsistent } from './consistency'
import { expectInvalid, expectRefusals, expectRefused, revisionOf } from './expectations'
import { sharedServer } from './server'
import { type Person, type World, world } from './world'

afterAll(async () => expectConsistent(await sharedServer()))

const stateOf = async (who: Person, post: { id: string }) => (await who.unread.posts({ ids: [post.id] })).data[0]!
const threadStateOf = async (who: Person, thread: { id: string }) =>
  (await who.unread.threads({ ids: [thread.id] })).data[0]!
const unreadIn = async (who: Person, channel: { id: string }) =>
  (await who.unread.get()).channels.find(({ id }) => id === channel.id)?.unread_count ?? 0

/** A post by ada with this many comments by her. */
async function discussed({ ada, general }: World, count = 3) {
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const comments = []
  for (let at = 0; at < count; at++)
    comments.push(await ada.comments.create({ post_id: post.id, content_markdown: `Number ${at}` }))
  return { post, comments }
}

/** Expects that nothing happens: no event, no revision. */
async function expectUnchanged(everyone: World, call: () => Promise<unknown>) {
  await everyone.fillInboxes()
  const before = await revisionOf(everyone)
  await call()
  expect(await revisionOf(everyone)).toBe(before)
}

describe('reads.set', () => {
  test('marks a post as read on all devices, and tells only its reader', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const { post } = await discussed(everyone)
    const phone = await everyone.tokenFor(bob.id, ['write'])
    const before = (await everyone.events()).length
    expect(await bob.reads.set({ subject_id: post.id })).toBeUndefined()
    expect((await everyone.events()).slice(before)).toEqual(['read.updated'])

    const [event] = (await everyone.eventRows()).slice(-1)
    expect(JSON.parse(event!.data)).toEqual({ subject_id: post.id })
    const heard = async (who: Person) =>
      (await who.events.list({ types: ['read.updated'] })).data.map(({ data }) => data as object)
    expect(await heard(phone)).toEqual([{ subject_id: post.id }])
    expect(await heard(ada)).toEqual([])

    for (const device of [bob, phone]) {
      expect(await stateOf(device, post)).toMatchObject({ is_unread: false, unread_count: 0, first_unread_id: null })
      expect(await unreadIn(device, general)).toBe(0)
    }
    await expectUnchanged(everyone, () => phone.reads.set({ subject_id: post.id }))
  })

  test('up to a comment leaves what came later unread, and never moves back', async () => {
    const everyone = await world()
    const { bob } = everyone
    const { post, comments } = await discussed(everyone)
    const [first, second, third] = comments
    const subject_id = post.id
    await bob.reads.set({ subject_id, up_to_id: second!.id })
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: true, unread_count: 1, first_unread_id: third!.id })
    await expectUnchanged(everyone, () => bob.reads.set({ subject_id, up_to_id: first!.id }))
    await bob.reads.set({ subject_id, up_to_id: third!.id })
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: false })
  })

  test('up to the last comment also reads the resolution or reopening after it, and its entry in the inbox', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const { post, comments } = await discussed(everyone)
    // What nobody is told of is passed over in the round after the one that finds so.
    await everyone.fillInboxes()
    await everyone.fillInboxes()
    await bob.follows.set({ subject_id: post.id, level: 'all' })
    const up_to_id = comments.at(-1)!.id
    for (const change of [ada.posts.resolve, ada.posts.unresolve] as const) {
      await change({ post_id: post.id })
      await everyone.fillInboxes()
      expect(await stateOf(bob, post)).toMatchObject({ is_unread: true })
      expect((await bob.unread.get()).inbox_count).toBe(1)
      await bob.reads.set({ subject_id: post.id, up_to_id })
      expect(await stateOf(bob, post)).toMatchObject({ is_unread: false, unread_count: 0, first_unread_id: null })
      expect(await bob.unread.get()).toMatchObject({ inbox_count: 0, channels: [] })
      await expectUnchanged(everyone, () => bob.reads.set({ subject_id: post.id, up_to_id }))
    }
    expect(await unreadIn(bob, general)).toBe(0)
  })

  test('up to a comment reads what else happened before the next one, and nothing after it', async () => {
    const everyone = await world()
    const { ada, bob } = everyone
    const { post, comments } = await discussed(everyone, 1)
    await bob.follows.set({ subject_id: post.id, level: 'all' })
    await ada.posts.resolve({ post_id: post.id })
    const later = await ada.comments.create({ post_id: post.id, content_markdown: 'Later' })
    await ada.posts.unresolve({ post_id: post.id })
    await everyone.fillInboxes()
    const partly = { is_unread: true, unread_count: 1, first_unread_id: later.id }
    await bob.reads.set({ subject_id: post.id, up_to_id: comments[0]!.id })
    expect(await stateOf(bob, post)).toMatchObject(partly)
    // The comment and the reopening.
    expect((await bob.unread.get()).inbox_count).toBe(2)
    await ada.comments.delete({ id: later.id })
    await bob.reads.set({ subject_id: post.id, up_to_id: comments[0]!.id })
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: false, unread_count: 0 })
    expect((await bob.unread.get()).inbox_count).toBe(0)
  })

  test('reads a thread up to a message', async () => {
    const everyone = await world()
    const { ada, bob } = everyone
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    const [first, second] = [
      await ada.messages.create({ thread_id: thread.id, content_markdown: 'One' }),
      await ada.messages.create({ thread_id: thread.id, content_markdown: 'Two' }),
    ]
    await bob.reads.set({ subject_id: thread.id, up_to_id: first.id })
    expect(await threadStateOf(bob, thread)).toMatchObject({ unread_count: 1, first_unread_id: second.id })
    await bob.reads.set({ subject_id: thread.id })
    expect(await threadStateOf(bob, thread)).toMatchObject({ is_unread: false, unread_count: 0 })
    expect((await bob.unread.get()).threads).toEqual([])
  })

  test('reads a channel with what was marked as unread in it', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const { post } = await discussed(everyone)
    await discussed(everyone)
    await bob.reads.set({ subject_id: post.id })
    await bob.reads.unset({ subject_id: post.id })
    expect(await unreadIn(bob, general)).toBe(2)
    await bob.reads.set({ subject_id: general.id })
    expect(await unreadIn(bob, general)).toBe(0)
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: false })
    await expectUnchanged(everyone, () => bob.reads.set({ subject_id: general.id }))

    await bob.reads.unset({ subject_id: post.id })
    await bob.reads.set({ subject_id: general.id })
    expect(await unreadIn(bob, general)).toBe(0)
    await ada.comments.create({ post_id: post.id, content_markdown: 'News' })
    expect(await unreadIn(bob, general)).toBe(1)
  })

  test('reading posts one by one keeps what is unread of the others, to the comment', async () => {
    const everyone = await world()
    const { bob, general, server } = everyone
    const made = []
    for (let at = 0; at < 4; at++) made.push(await discussed(everyone))
    const [read, partly, ...others] = made
    await bob.reads.set({ subject_id: partly!.post.id, up_to_id: partly!.comments[0]!.id })
    await bob.reads.set({ subject_id: read!.post.id })
    expect(await stateOf(bob, partly!.post)).toMatchObject({ unread_count: 2 })
    for (const { post } of others) expect(await stateOf(bob, post)).toMatchObject({ unread_count: 3 })
    expect(await unreadIn(bob, general)).toBe(3)

    const told = await revisionOf(everyone)
    // Events that tell nobody anything are passed over when nothing more happens.
    await everyone.fillInboxes()
    await everyone.fillInboxes()
    for (const { post } of [partly!, ...others]) await bob.reads.set({ subject_id: post.id })
    expect(await unreadIn(bob, general)).toBe(0)
    const rows = await server.parley.engine.read((db) =>
      db
        .selectFrom('read_positions as r')
        .innerJoin('channels as c', 'c.key', 'r.channel_key')
        .where('c.id', '=', general.id)
        .where('r.kind', '=', attentionNumbers.channel)
        .where('r.author_key', '=', (eb) => eb.selectFrom('authors').where('id', '=', bob.id).select('key'))
        .select('r.revision')
        .execute(),
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]!.revision).toBeGreaterThanOrEqual(told)
  })

  test('reading a post does not read a mention that was added to another, whenever the inbox is told of it', async () => {
    const everyone = await world()
    const { ada, bob, general, server } = everyone
    const [mentioning, other] = [await discussed(everyone), await discussed(everyone)]
    await bob.reads.set({ subject_id: mentioning.post.id })
    await everyone.fillInboxes()
    await server.inboxFiller()!.whilePaused(async () => {
      await ada.comments.update({ id: mentioning.comments[0]!.id, content_markdown: `And you, <@${bob.id}>?` })
      await bob.reads.set({ subject_id: other.post.id })
      expect(await unreadIn(bob, general)).toBe(0)
    })
    await everyone.fillInboxes()
    expect((await bob.inbox.list({ unread: true })).data).toMatchObject([{ reason: 'mention', is_unread: true }])
  })

  test('viewers and guests read too; others have nothing to read', async () => {
    const everyone = await world()
    const { root, vic, gus, general } = everyone
    const { post } = await discussed(everyone)
    const call = (who: Pick<Person, 'reads'>) => who.reads.set({ subject_id: post.id })
    await expectRefusals(everyone, call, {
      bot: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await call(vic)
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    await root.comments.create({ post_id: post.id, content_markdown: 'Now you' })
    await call(gus)
    for (const who of [vic, gus]) expect((await stateOf(who, post)).unread_count).toBe(who === vic ? 1 : 0)
  })

  test('a point that is not in the subject is refused', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const [one, other] = [await discussed(everyone), await discussed(everyone)]
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    const message = await ada.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
    const elsewhere = other.comments[0]!.id
    for (const [subject_id, id] of [
      [one.post.id, elsewhere],
      [one.post.id, 'cmt_none'],
      [one.post.id, message.id],
      [thread.id, elsewhere],
    ] as const) {
      await expectInvalid(bob.reads.set({ subject_id, up_to_id: id }), 'up_to_id')
      await expectInvalid(bob.reads.unset({ subject_id, from_id: id }), 'from_id')
    }
    await expectInvalid(bob.reads.set({ subject_id: general.id, up_to_id: elsewhere }), 'up_to_id')
    for (const subject_id of ['post_none', 'thr_none', 'chan_none', 'what'])
      await expectRefused(bob.reads.set({ subject_id }), 'not_found')
  })
})

describe('the entry in the inbox', () => {
  /** bob is mentioned in a post, and sent a message. */
  async function told() {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const content_markdown = `Lunch, <@${bob.id}>?`
    const post = await ada.posts.create({ channel_id: general.id, content_markdown })
    const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    await everyone.fillInboxes()
    const before = (await everyone.events()).length
    return { ...everyone, post, message, newEvents: async () => (await everyone.events()).slice(before) }
  }
  const unreadOf = async (who: Person) =>
    (await who.inbox.list({ unread: true })).data.map(({ subject }) => subject.id).sort()

  test('is read with its post or thread, and unread with it', async () => {
    const { bob, post, message, newEvents } = await told()
    expect((await bob.unread.get()).inbox_count).toBe(2)
    await bob.reads.set({ subject_id: post.id })
    expect(await newEvents()).toEqual(['read.updated', 'inbox.updated'])
    expect(await unreadOf(bob)).toEqual([message.thread_id])
    await bob.reads.set({ subject_id: message.thread_id, up_to_id: message.id })
    expect((await bob.unread.get()).inbox_count).toBe(0)

    await bob.reads.unset({ subject_id: post.id })
    expect(await unreadOf(bob)).toEqual([post.id])
    expect((await bob.unread.get()).channels).toMatchObject([{ unread_count: 1 }])
    expect((await newEvents()).slice(-2)).toEqual(['read.updated', 'inbox.updated'])
  })

  test('is read with its channel, or with everything', async () => {
    const { bob, post, message, general, newEvents } = await told()
    await bob.reads.set({ subject_id: general.id })
    expect(await unreadOf(bob)).toEqual([message.thread_id])
    await bob.reads.setAll()
    expect(await bob.unread.get()).toEqual({ inbox_count: 0, channels: [], threads: [] })
    expect(await newEvents()).toEqual(['read.updated', 'inbox.updated', 'read.updated', 'inbox.updated'])
    expect((await bob.inbox.list({})).data.map(({ subject }) => subject.id).sort()).toEqual(
      [post.id, message.thread_id].sort(),
    )
  })

  test('is read by what one writes', async () => {
    const { bob, post, message } = await told()
    await bob.comments.create({ post_id: post.id, content_markdown: 'Yes' })
    await bob.messages.create({ thread_id: message.thread_id, content_markdown: 'Hi' })
    expect(await unreadOf(bob)).toEqual([])
  })

  test('is gone with its post, and while one may not see it', async () => {
    const { root, ada, bob, post, general } = await told()
    const secret = await root.channels.update({ id: general.id, private: true })
    await root.channels.removeMember({ channel_id: secret.id, member_id: bob.id })
    expect((await bob.unread.get()).inbox_count).toBe(1)
    await root.channels.addMember({ channel_id: secret.id, member_id: bob.id })
    expect(await unreadOf(bob)).toContain(post.id)
    await ada.posts.delete({ id: post.id })
    expect(await unreadOf(bob)).not.toContain(post.id)
  })

  test('a muted post, channel or thread is not counted', async () => {
    const { root, bob, post, message, general } = await told()
    await bob.follows.set({ subject_id: message.thread_id, level: 'none' })
    expect((await bob.unread.get()).threads).toEqual([])
    expect((await bob.unread.threads({ ids: [message.thread_id] })).data).toMatchObject([
      { is_unread: true, level: 'none', is_level_chosen: true },
    ])
    await root.posts.create({ channel_id: general.id, content_markdown: 'Another' })
    expect(await unreadIn(bob, general)).toBe(2)
    await bob.follows.set({ subject_id: post.id, level: 'none' })
    expect(await unreadIn(bob, general)).toBe(1)
    await bob.reads.unset({ subject_id: post.id })
    expect(await unreadIn(bob, general)).toBe(1)
    await bob.follows.set({ subject_id: general.id, level: 'none' })
    expect((await bob.unread.get()).channels).toEqual([{ id: general.id, unread_count: 0, level: 'none' }])
  })
})

describe('reads.unset', () => {
  test('marks as unread from the latest activity, until it is read again', async () => {
    const everyone = await world()
    const { bob, general } = everyone
    const { post, comments } = await discussed(everyone)
    await bob.reads.setAll()
    await bob.reads.unset({ subject_id: post.id })
    const state = { is_unread: true, unread_count: 1, first_unread_id: comments[2]!.id }
    expect(await stateOf(bob, post)).toMatchObject(state)
    expect(await unreadIn(bob, general)).toBe(1)
    await expectUnchanged(everyone, () => bob.reads.unset({ subject_id: post.id }))
    await bob.reads.set({ subject_id: post.id })
    expect(await unreadIn(bob, general)).toBe(0)
    expect((await everyone.events()).slice(-3)).toEqual(['read.updated', 'read.updated', 'read.updated'])
  })

  test('from a comment on, and then read step by step', async () => {
    const everyone = await world()
    const { bob } = everyone
    const { post, comments } = await discussed(everyone, 4)
    const subject_id = post.id
    await bob.reads.setAll()
    await bob.reads.unset({ subject_id, from_id: comments[1]!.id })
    expect(await stateOf(bob, post)).toMatchObject({ unread_count: 3, first_unread_id: comments[1]!.id })
    await bob.reads.set({ subject_id, up_to_id: comments[2]!.id })
    expect(await stateOf(bob, post)).toMatchObject({ unread_count: 1, first_unread_id: comments[3]!.id })
    await bob.reads.set({ subject_id, up_to_id: comments[3]!.id })
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: false, unread_count: 0 })
  })

  test('what one writes reads it again', async () => {
    const everyone = await world()
    const { bob, general } = everyone
    const { post } = await discussed(everyone)
    await bob.reads.unset({ subject_id: post.id })
    await bob.comments.create({ post_id: post.id, content_markdown: 'Back again' })
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: false, unread_count: 0 })
    expect(await unreadIn(bob, general)).toBe(0)
  })

  test('a channel cannot be marked as unread', async () => {
    const { ada, general } = await world()
    await expectInvalid(ada.reads.unset({ subject_id: general.id }), 'subject_id')
  })

  test('is for members who may see it', async () => {
    const everyone = await world()
    const { post } = await discussed(everyone)
    await expectRefusals(everyone, (who) => who.reads.unset({ subject_id: post.id }), {
      bot: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
  })
})

describe('reads.setAll', () => {
  test('marks everything as read, once', async () => {
    const everyone = await world()
    const { ada, bob, vic, general } = everyone
    const { post } = await discussed(everyone)
    await discussed(everyone)
    await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    await bob.reads.unset({ subject_id: post.id })
    await bob.reads.setAll()
    expect(await bob.unread.get()).toMatchObject({ inbox_count: 0, channels: [], threads: [] })
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: false })
    await expectUnchanged(everyone, () => bob.reads.setAll())
    expect(await unreadIn(vic, general)).toBe(2)

    await ada.comments.create({ post_id: post.id, content_markdown: 'News' })
    expect(await unreadIn(bob, general)).toBe(1)
  })

  test('is for members', async () => {
    const everyone = await world()
    await discussed(everyone)
    await expectRefusals(everyone, (who) => who.reads.setAll(), { bot: 'forbidden', reader: 'insufficient_scope' })
  })
})
