import { afterAll, describe, expect, test } from 'bun:test'
import { expectConsistent } from '../consistency'
import { sharedServer, startTestServer, statementsOf } from '../server'
import { world } from '../world'
import { inboxOf, mention, publish } from './entries'

afterAll(async () => expectConsistent(await sharedServer()))

describe('an inbox is told of', () => {
  test('a mention in a post, a comment, a note and a message', async () => {
    const cast = await world()
    const { ada, bob, vic, general } = cast
    const post = await publish(ada, general, 'Lunch', `Noon, ${mention(bob)}?`)
    expect(await inboxOf(cast, bob)).toEqual([['mention', 'Lunch', 'Ada Lovelace', 'Noon, @Bob Moore?']])

    await ada.comments.create({ post_id: post.id, content_markdown: `And ${mention(vic)}?` })
    expect(await inboxOf(cast, vic)).toEqual([['mention', 'Lunch', 'Ada Lovelace', 'And @Vic Viewer?']])

    const other = await publish(ada, general, 'Dinner')
    await ada.posts.resolve({ post_id: other.id, content_markdown: `Thanks, ${mention(vic)}` })
    expect(await inboxOf(cast, vic)).toEqual([
      ['mention', 'Dinner', 'Ada Lovelace', 'Thanks, @Vic Viewer'],
      ['mention', 'Lunch', 'Ada Lovelace', 'And @Vic Viewer?'],
    ])

    const thread = await ada.threads.create({ member_ids: [vic.id], title: 'Ideas' })
    await vic.follows.set({ subject_id: thread.id, level: 'mentions' })
    await ada.messages.create({ thread_id: thread.id, content_markdown: 'Nothing' })
    await ada.messages.create({ thread_id: thread.id, content_markdown: `Hello ${mention(vic)}` })
    expect((await inboxOf(cast, vic))[0]).toEqual(['mention', 'Ideas', 'Ada Lovelace', 'Hello @Vic Viewer'])
  })

  test('a comment on what one wrote, commented on or was mentioned in, and a reply', async () => {
    const cast = await world()
    const { root, ada, bob, vic, general } = cast
    const post = await publish(ada, general, 'Lunch', `Hi ${mention(vic)}`)
    const first = await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    expect(await inboxOf(cast, ada)).toEqual([['comment', 'Lunch', 'Bob Moore', 'Noon']])

    await root.comments.create({ post_id: post.id, content_markdown: 'Late', parent_id: first.id })
    expect(await inboxOf(cast, ada)).toEqual([['comment', 'Lunch', 'Root Admin', 'Late']])
    expect(await inboxOf(cast, bob)).toEqual([['reply', 'Lunch', 'Root Admin', 'Late']])
    // The mention has an entry of its own.
    expect(await inboxOf(cast, vic)).toEqual([
      ['comment', 'Lunch', 'Root Admin', 'Late'],
      ['mention', 'Lunch', 'Ada Lovelace', 'Hi @Vic Viewer'],
    ])
    expect(await inboxOf(cast, root)).toEqual([])
  })

  test('a post in a channel one follows, and what happens to it', async () => {
    const cast = await world()
    const { ada, bob, vic, general } = cast
    await bob.follows.set({ subject_id: general.id, level: 'all' })
    const post = await publish(ada, general, 'Lunch')
    expect(await inboxOf(cast, bob)).toEqual([['post', 'Lunch', 'Ada Lovelace', 'What do you think?']])
    await vic.me.get()
    await ada.posts.resolve({ post_id: post.id, content_markdown: 'Pizza' })
    const posted = ['post', 'Lunch', 'Ada Lovelace', 'What do you think?']
    expect(await inboxOf(cast, bob)).toEqual([['resolved', 'Lunch', 'Ada Lovelace', 'Pizza'], posted] as never)
    await ada.posts.unresolve({ post_id: post.id })
    expect(await inboxOf(cast, bob)).toEqual([['reopened', 'Lunch', 'Ada Lovelace', ''], posted] as never)
    expect(await inboxOf(cast, vic)).toEqual([])
  })

  test('a thread that someone started, a message there, and a reply', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const thread = await ada.threads.create({ member_ids: [bob.id], title: 'Ideas' })
    expect(await inboxOf(cast, bob)).toEqual([['thread', 'Ideas', 'Ada Lovelace', '']])
    await ada.messages.create({ thread_id: thread.id, content_markdown: 'Hello' })
    expect(await inboxOf(cast, bob)).toEqual([['message', 'Ideas', 'Ada Lovelace', 'Hello']])
    const answer = await bob.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
    await ada.messages.create({ thread_id: thread.id, content_markdown: 'So?', parent_id: answer.id })
    expect(await inboxOf(cast, bob)).toEqual([['reply', 'Ideas', 'Ada Lovelace', 'So?']])
    expect(await inboxOf(cast, ada)).toEqual([['message', 'Ideas', 'Bob Moore', 'Hi']])
  })

  test('a channel one was added to, but not one that one joined', async () => {
    const cast = await world()
    const { root, ada, general } = cast
    await ada.channels.leave({ channel_id: general.id })
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    await root.channels.removeMember({ channel_id: general.id, member_id: root.id })
    await root.channels.addMember({ channel_id: general.id, member_id: root.id })
    expect(await inboxOf(cast, ada)).toEqual([['added', 'general', 'Root Admin', '']])
    expect(await inboxOf(cast, root)).toEqual([])
  })
})

describe('nobody is told of', () => {
  test('what they did themselves, muted, or cannot see', async () => {
    const cast = await world()
    const { root, ada, bob, vic, gus, bot, general } = cast
    await vic.follows.set({ subject_id: general.id, level: 'none' })
    const everyone = [ada, bob, vic, gus, bot].map(mention).join(' ')
    const post = await publish(ada, general, 'Lunch', everyone)
    await ada.comments.create({ post_id: post.id, content_markdown: 'Anyone?' })
    for (const who of [ada, vic, gus]) expect(await inboxOf(cast, who)).toEqual([])
    // Who was mentioned follows the post from then on.
    expect((await inboxOf(cast, bob)).map(([reason]) => reason)).toEqual(['comment', 'mention'])
    // Muting a post counts more than having written it.
    await ada.follows.set({ subject_id: post.id, level: 'none' })
    await bob.comments.create({ post_id: post.id, content_markdown: `${mention(ada)}, noon` })
    expect(await inboxOf(cast, ada)).toEqual([])

    const secret = await root.channels.create({ name: 'secret', private: true })
    await publish(root, secret, 'Plans', everyone)
    expect((await inboxOf(cast, bob)).length).toBe(2)
  })

  test('what happened after they were deactivated', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    const post = await publish(bob, general, 'Lunch')
    await root.members.update({ id: bob.id, is_deactivated: true })
    await ada.comments.create({ post_id: post.id, content_markdown: `Noon, ${mention(bob)}` })
    await cast.fillInboxes()
    // What nobody is told of is passed over in the round after the one that finds so.
    await cast.fillInboxes()
    await root.members.update({ id: bob.id, is_deactivated: false })
    const back = await cast.tokenFor(bob.id, ['read'])
    expect(await inboxOf(cast, back)).toEqual([])
  })

  test('an old mention again when a text is edited, only new ones', async () => {
    const cast = await world()
    const { ada, bob, vic, general } = cast
    const post = await publish(ada, general, 'Lunch', mention(bob))
    await cast.fillInboxes()
    const [entry] = (await bob.inbox.list()).data
    await bob.inbox.update({ id: entry!.id, read: true })
    await ada.posts.update({ id: post.id, content_markdown: `${mention(bob)} ${mention(vic)}` })
    expect(await inboxOf(cast, vic)).toEqual([['mention', 'Lunch', 'Ada Lovelace', '@Bob Moore @Vic Viewer']])
    expect((await bob.inbox.list({ unread: true })).data).toEqual([])
  })

  test('what was deleted before they were told', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    await cast.server.inboxFiller()!.whilePaused(async () => {
      const post = await publish(ada, general, 'Lunch', mention(bob))
      await ada.posts.delete({ id: post.id })
      const other = await publish(bob, general, 'Dinner')
      const comment = await ada.comments.create({ post_id: other.id, content_markdown: 'Late' })
      await ada.comments.delete({ id: comment.id })
    })
    expect(await inboxOf(cast, bob)).toEqual([])
  })
})

test('a mention that was deleted says nothing, and what happens next has an entry of its own', async () => {
  const cast = await world()
  const { root, ada, bob, general } = cast
  const post = await publish(ada, general, 'Lunch')
  const thread = await bob.threads.create({ title: 'Plans', member_ids: [ada.id, root.id] })
  const comment = await bob.comments.create({ post_id: post.id, content_markdown: `Oops, ${mention(ada)}` })
  const message = await bob.messages.create({ thread_id: thread.id, content_markdown: `Oops, ${mention(ada)}` })
  await cast.fillInboxes()
  await bob.comments.delete({ id: comment.id })
  await bob.messages.delete({ id: message.id })
  await root.comments.create({ post_id: post.id, content_markdown: 'At noon?' })
  await root.messages.create({ thread_id: thread.id, content_markdown: 'Tomorrow' })
  expect(await inboxOf(cast, ada)).toEqual([
    ['message', 'Plans', 'Root Admin', 'Tomorrow'],
    ['comment', 'Lunch', 'Root Admin', 'At noon?'],
    ['mention', 'Plans', 'Bob Moore', ''],
    ['mention', 'Lunch', 'Bob Moore', ''],
  ])
})

describe('what someone may no longer see', () => {
  test('disappears from their inbox at once, and comes back with the right', async () => {
    const cast = await world()
    const { root, ada, general } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const post = await publish(root, secret, 'Plans', mention(ada))
    await publish(root, general, 'Lunch', mention(ada))
    const titles = async () => (await inboxOf(cast, ada)).map(([, title]) => title)
    expect(await titles()).toEqual(['Lunch', 'Plans', 'secret'])
    const { id } = (await ada.inbox.list()).data[1]!

    await root.channels.removeMember({ channel_id: secret.id, member_id: ada.id })
    expect(await titles()).toEqual(['Lunch'])
    await expect(ada.inbox.update({ id, read: true })).rejects.toMatchObject({ code: 'not_found' })
    await root.comments.create({ post_id: post.id, content_markdown: mention(ada) })
    await ada.channels.leave({ channel_id: general.id })
    await root.channels.update({ id: general.id, private: true })
    expect(await titles()).toEqual([])
    await root.channels.update({ id: general.id, private: false, archived: true })
    expect(await titles()).toEqual([])
    await root.channels.update({ id: general.id, archived: false })
    expect(await titles()).toEqual(['Lunch'])
  })

  test('what they had read before they were told is not unread', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    await cast.server.inboxFiller()!.whilePaused(async () => {
      const post = await publish(ada, general, 'Lunch', mention(bob))
      await bob.reads.set({ subject_id: post.id })
    })
    expect((await inboxOf(cast, bob)).length).toBe(1)
    expect((await bob.inbox.list({ unread: true })).data).toEqual([])
  })
})

describe('a batch of events', () => {
  test('takes as many statements, however many events and members there are', async () => {
    const server = await startTestServer()
    const cast = await world(server)
    const { root, ada, bob, vic, general } = cast
    await vic.follows.set({ subject_id: general.id, level: 'all' })
    const statementsFor = async (posts: number) => {
      await server.inboxFiller()!.whilePaused(async () => {
        for (let number = 0; number < posts; number++) {
          const post = await publish(bob, general, 'Lunch', mention(ada))
          const comment = await root.comments.create({ post_id: post.id, content_markdown: `No, ${mention(ada)}` })
          await ada.comments.create({ post_id: post.id, parent_id: comment.id, content_markdown: 'Yes' })
          for (const emoji of ['👍', '🎉']) await root.reactions.add({ subject_id: post.id, emoji })
          await root.reactions.remove({ subject_id: post.id, emoji: '👍' })
          const thread = await ada.threads.create({ member_ids: [bob.id], title: `Thread ${number}` })
          await ada.messages.create({ thread_id: thread.id, content_markdown: `Well, ${mention(bob)}` })
        }
        statementsOf(server).length = 0
      })
      await cast.fillInboxes()
      return statementsOf(server).filter((text) => !/inbox_positions|removed_subjects|"events" \(/.test(text)).length
    }
    await statementsFor(1)
    const few = await statementsFor(1)
    expect(await statementsFor(8)).toBe(few)
    expect((await inboxOf(cast, vic)).length).toBe(10)
    await server.stop()
  })

  test('adds an entry once for what happened several times', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    const post = await publish(ada, general, 'Lunch')
    await cast.server.inboxFiller()!.whilePaused(async () => {
      for (const content_markdown of ['One', 'Two', `Three, ${mention(ada)}`, 'Four', `Five, ${mention(ada)}`])
        await bob.comments.create({ post_id: post.id, content_markdown })
      await root.comments.create({ post_id: post.id, content_markdown: 'Six' })
    })
    expect(await inboxOf(cast, ada)).toEqual([
      ['comment', 'Lunch', 'Root Admin', 'Six'],
      ['mention', 'Lunch', 'Bob Moore', 'Five, @Ada Lovelace'],
    ])
    expect((await ada.unread.get()).inbox_count).toBe(2)
  })
})
