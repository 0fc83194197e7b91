import { afterAll, describe, expect, test } from 'bun:test'
import { sentenceOf } from '../src/contract/browser/inbox-sentence'
import { MAX_ENTRIES_COUNTED } from '../src/contract/inbox'
import type { Running } from '../src/server'
import { expectConsistent } from './consistency'
import { author, countReads, expectPages, expectRefusals, idOf, timestamp } from './expectations'
import { mention, publish } from './inbox/entries'
import { sharedServer, startTestServer } from './server'
import { type Person, type World, world } from './world'

afterAll(async () => expectConsistent(await sharedServer()))

/** A world in which ada was mentioned in so many posts of bob. */
async function worldWithMentions(count: number, server?: Running) {
  const cast = await world(server)
  const posts = []
  for (let number = 1; number <= count; number++)
    posts.push(await publish(cast.bob, cast.general, `Post ${number}`, `Hi ${mention(cast.ada)}`))
  await cast.fillInboxes()
  return { ...cast, posts, entry: async () => (await cast.ada.inbox.list()).data[0]! }
}

const titles = async (who: Person, filter: Parameters<Person['inbox']['list']>[0] = {}) =>
  (await who.inbox.list(filter)).data.map(({ subject }) => subject.title)

describe('inbox.list', () => {
  test('an entry has all that is shown of it', async () => {
    const { ada, bob, general, posts, fillInboxes } = await worldWithMentions(1)
    const comment = await bob.comments.create({ post_id: posts[0]!.id, content_markdown: `Well, ${mention(ada)}?` })
    await fillInboxes()
    expect(await ada.inbox.list()).toEqual({
      data: [
        {
          id: idOf('inb'),
          subject: {
            type: 'post',
            id: posts[0]!.id,
            title: 'Post 1',
            url: posts[0]!.url,
            channel: { id: general.id, name: 'general' },
            is_own: false,
          },
          about: 'mention',
          reason: 'mention',
          actor: author(bob, 'Bob Moore'),
          others_count: 0,
          group: null,
          emoji: null,
          emoji_url: null,
          item_id: comment.id,
          item_is_own: false,
          excerpt: 'Well, @Ada Lovelace?',
          new_count: 1,
          last_activity_at: timestamp,
          is_unread: true,
          archived_at: null,
        },
      ],
      total_count: 1,
      total_is_capped: false,
      next_cursor: null,
      prev_cursor: null,
    })
  })

  test('pages hold all entries once, both ways', async () => {
    const { ada } = await worldWithMentions(5)
    const { data } = await ada.inbox.list()
    expect(data.map(({ subject }) => subject.title)).toEqual(['Post 5', 'Post 4', 'Post 3', 'Post 2', 'Post 1'])
    await expectPages((page) => ada.inbox.list(page), data)
    await expectPages((page) => ada.inbox.list({ direction: 'asc', ...page }), data.toReversed())
    await expectPages((page) => ada.inbox.list({ about: ['mention', 'activity'], unread: true, ...page }), data)
  })

  test('filters by read, archived and what entries are about', async () => {
    const { ada, bob, entry, fillInboxes } = await worldWithMentions(3)
    await ada.inbox.update({ id: (await entry()).id, read: true })
    const [, second] = (await ada.inbox.list()).data
    await ada.inbox.update({ id: second!.id, archived: true })
    await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'Hello' })
    await fillInboxes()
    const direct = 'Bob Moore, Ada Lovelace'
    expect(await titles(ada)).toEqual([direct, 'Post 3', 'Post 1'])
    expect(await titles(ada, { unread: true })).toEqual([direct, 'Post 1'])
    expect(await titles(ada, { unread: false })).toEqual(['Post 3'])
    expect(await titles(ada, { archived: true })).toEqual(['Post 2'])
    expect(await titles(ada, { about: ['activity'] })).toEqual([direct])
    expect(await titles(ada, { about: ['reaction', 'added'] })).toEqual([])
    expect((await ada.inbox.list({ unread: true })).total_count).toBe(2)
  })

  test('a deleted comment leaves the entry without excerpt; a deleted post takes it along', async () => {
    const { ada, bob, posts, entry, fillInboxes } = await worldWithMentions(1)
    await ada.inbox.update({ id: (await entry()).id, read: true })
    const comment = await bob.comments.create({ post_id: posts[0]!.id, content_markdown: 'Secret' })
    await fillInboxes()
    expect(await entry()).toMatchObject({ item_id: comment.id, excerpt: 'Secret', new_count: 1 })
    await bob.comments.delete({ id: comment.id })
    expect(await entry()).toMatchObject({ item_id: null, excerpt: '', new_count: 0, reason: 'comment' })
    await bob.posts.delete({ id: posts[0]!.id })
    expect(await ada.inbox.list()).toMatchObject({ data: [], total_count: 0 })
  })

  test('the number of statements does not depend on the page size', async () => {
    const cast = await worldWithMentions(2)
    const cost = () => countReads(cast, cast.ada, (who) => who.inbox.list())
    const few = await cost()
    for (let number = 0; number < 8; number++) await publish(cast.bob, cast.general, 'More', `Hi ${mention(cast.ada)}`)
    await cast.fillInboxes()
    expect(await cost()).toBe(few)
    expect(few).toBeLessThanOrEqual(4)
  })

  test('counts no more than it promises', async () => {
    const server = await startTestServer()
    const cast = await worldWithMentions(1, server)
    await copyEntries(cast, MAX_ENTRIES_COUNTED + 5)
    const page = await cast.ada.inbox.list({ limit: 1 })
    expect([page.total_count, page.total_is_capped]).toEqual([MAX_ENTRIES_COUNTED, true])
    await server.stop()
  })

  test('apps have none, and nobody sees the entries of others', async () => {
    const cast = await worldWithMentions(1)
    await expectRefusals(cast, (who) => who.inbox.list(), { bot: 'forbidden' })
    for (const who of [cast.bob, cast.root, cast.zed]) expect((await who.inbox.list()).data).toEqual([])
  })
})

/** Adds entries about new posts to the inbox that holds one. */
async function copyEntries({ server, workspaceKey }: World, count: number) {
  await server.parley.engine.write(async (db) => {
    const own = await db
      .selectFrom('inbox_entries')
      .where('workspace_key', '=', workspaceKey)
      .selectAll()
      .executeTakeFirstOrThrow()
    const post = await db.selectFrom('posts').where('key', '=', own.subject_key).selectAll().executeTakeFirstOrThrow()
    for (let number = 1; number <= count; number++) {
      const { key: _, published_time: __, resolved_time: ___, ...copied } = post
      const columns = { ...copied, id: `post_${workspaceKey}_${number}` }
      const { key } = await db.insertInto('posts').values(columns).returning('key').executeTakeFirstOrThrow()
      const { key: _own, ...entry } = { ...own, subject_key: key, id: `inb_${workspaceKey}_${number}` }
      await db
        .insertInto('inbox_entries')
        .values({ ...entry, revision: 1_000 + number })
        .execute()
    }
  })
}

describe('an entry is about one thing', () => {
  test('a mention stays one when someone comments later, and both are read with the post', async () => {
    const { ada, bob, root, posts, entry, fillInboxes } = await worldWithMentions(1)
    const { id } = await entry()
    await root.comments.create({ post_id: posts[0]!.id, content_markdown: 'Me, too' })
    await bob.posts.resolve({ post_id: posts[0]!.id })
    await fillInboxes()
    const mentions = async () => (await ada.inbox.list({ about: ['mention'] })).data
    expect(await mentions()).toMatchObject([{ id, reason: 'mention', actor: { id: bob.id }, is_unread: true }])
    const abouts = (await ada.inbox.list({ unread: true })).data.map(({ about }) => about)
    expect(abouts).toEqual(['resolution', 'activity', 'mention'])
    expect((await ada.unread.get()).inbox_count).toBe(3)

    const [resolution, activity] = (await ada.inbox.list()).data
    await ada.inbox.update({ id: resolution!.id, archived: true })
    await ada.reads.set({ subject_id: posts[0]!.id })
    expect((await ada.unread.get()).inbox_count).toBe(0)
    // Marked as unread, the others stay read.
    await ada.inbox.update({ id, read: false })
    expect((await ada.inbox.list({ unread: true })).data.map((each) => each.id)).toEqual([id])
    await ada.inbox.update({ id: activity!.id, read: true })
    expect((await ada.unread.get()).inbox_count).toBe(0)
  })

  test('that one was added to a channel is read with it, and so is what was marked as unread there', async () => {
    const { root, ada, bob, general, fillInboxes, events } = await world()
    await ada.channels.leave({ channel_id: general.id })
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    await publish(bob, general, 'Lunch', `Hi ${mention(ada)}`)
    await fillInboxes()
    await ada.inbox.readAll()
    for (const { id } of (await ada.inbox.list()).data) await ada.inbox.update({ id, read: false })
    expect((await ada.unread.get()).inbox_count).toBe(2)
    await ada.reads.set({ subject_id: general.id })
    expect((await ada.unread.get()).inbox_count).toBe(0)
    expect((await events()).slice(-2)).toEqual(['read.updated', 'inbox.updated'])
  })

  test('it says whose post and whose answer it was, and how many others wrote', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    const sentences = async (who: Person) => {
      await cast.fillInboxes()
      return (await who.inbox.list()).data.map((entry) => sentenceOf(entry))
    }
    const post = await publish(ada, general, 'Lunch')
    const answer = await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    await root.comments.create({ post_id: post.id, content_markdown: 'One' })
    await bob.comments.create({ post_id: post.id, content_markdown: 'Fine' })
    expect(await sentences(ada)).toEqual(['Bob Moore and 1 other commented on your post'])
    await root.posts.resolve({ post_id: post.id, comment_id: answer.id })
    expect((await sentences(ada))[0]).toBe('Root Admin resolved your post')
    expect((await sentences(bob))[0]).toBe('Root Admin resolved the post with your answer')
    expect((await bob.inbox.list()).data[0]).toMatchObject({ item_id: answer.id, item_is_own: true, excerpt: 'Noon' })
    await bob.comments.delete({ id: answer.id })
    expect((await sentences(bob))[0]).toBe('Root Admin resolved the post')
    await root.posts.unresolve({ post_id: post.id })
    expect((await sentences(ada))[0]).toBe('Root Admin reopened your post')
    await ada.reads.set({ subject_id: post.id })
    expect((await sentences(ada))[1]).toBe('Bob Moore commented on your post')
  })

  test('who resolved a post said nothing of what others say who resolve it again', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    const post = await publish(ada, general, 'Lunch')
    const answer = await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    await root.posts.resolve({ post_id: post.id, content_markdown: `At one, ${mention(ada)}` })
    const toldBy = async (who: Person) => {
      await cast.fillInboxes()
      const { data } = await who.inbox.list({ about: ['mention', 'resolution'] })
      return data.map((entry) => [sentenceOf(entry), entry.excerpt, entry.item_id])
    }
    const told = [['Root Admin mentioned you', 'At one, @Ada Lovelace', null]]
    expect(await toldBy(ada)).toEqual(told)
    expect(await toldBy(bob)).toEqual([['Root Admin resolved the post', 'At one, @Ada Lovelace', null]])

    await bob.posts.resolve({ post_id: post.id, comment_id: answer.id, content_markdown: 'No, at noon' })
    expect(await toldBy(bob)).toEqual([['Root Admin resolved the post', '', null]])
    expect(await toldBy(ada)).toEqual([
      ['Bob Moore resolved your post', 'No, at noon', answer.id],
      ['Root Admin mentioned you', '', null],
    ])
  })
})

describe('inbox.update', () => {
  test('reading an entry reads its post, and unreading makes both unread', async () => {
    const { ada, posts, entry, events } = await worldWithMentions(1)
    const { id } = await entry()
    const isUnread = async () => (await ada.unread.posts({ ids: [posts[0]!.id] })).data[0]!.is_unread
    expect(await isUnread()).toBe(true)
    const before = (await events()).length

    expect(await ada.inbox.update({ id, read: true })).toMatchObject({ id, is_unread: false, archived_at: null })
    expect(await isUnread()).toBe(false)
    await ada.inbox.update({ id, read: true })
    expect(await ada.inbox.update({ id, read: false })).toMatchObject({ id, is_unread: true })
    expect(await isUnread()).toBe(true)
    await ada.inbox.update({ id, read: false })
    expect((await events()).slice(before)).toEqual(['inbox.updated', 'inbox.updated'])
  })

  test('an archived entry comes back by itself when something happens', async () => {
    const { ada, bob, posts, entry, fillInboxes } = await worldWithMentions(1)
    const { id } = await entry()
    await ada.inbox.update({ id, read: true, archived: true })
    expect(await titles(ada)).toEqual([])
    await ada.inbox.update({ id, archived: false })
    expect(await entry()).toMatchObject({ id, archived_at: null, is_unread: false })
    await ada.inbox.update({ id, archived: true })
    await bob.comments.create({ post_id: posts[0]!.id, content_markdown: 'News' })
    await fillInboxes()
    // The mention stays archived: the comment has an entry of its own.
    expect((await ada.inbox.list({ archived: true })).data).toMatchObject([{ id, about: 'mention', is_unread: false }])
    const comment = await entry()
    expect(comment).toMatchObject({ archived_at: null, is_unread: true, reason: 'comment', excerpt: 'News' })
    await ada.inbox.update({ id: comment.id, archived: true })
    await bob.comments.create({ post_id: posts[0]!.id, content_markdown: 'More' })
    await fillInboxes()
    expect(await entry()).toMatchObject({ id: comment.id, archived_at: null, is_unread: true, excerpt: 'More' })
  })

  test('reading that one was added to a channel does not read its posts', async () => {
    const { root, ada, bob, general, fillInboxes } = await world()
    await ada.channels.leave({ channel_id: general.id })
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    const post = await publish(bob, general, 'Lunch')
    await fillInboxes()
    const [entry] = (await ada.inbox.list()).data
    expect(entry).toMatchObject({ reason: 'added', subject: { type: 'channel', title: 'general' }, is_unread: true })
    expect(await ada.inbox.update({ id: entry!.id, read: true })).toMatchObject({ is_unread: false })
    expect((await ada.unread.posts({ ids: [post.id] })).data[0]).toMatchObject({ is_unread: true })
    expect(await ada.inbox.update({ id: entry!.id, read: false })).toMatchObject({ is_unread: true })
  })

  test('nobody changes the entries of others', async () => {
    const cast = await worldWithMentions(1)
    const { id } = await cast.entry()
    await expectRefusals(cast, (who) => who.inbox.update({ id, read: true }), {
      bob: 'not_found',
      root: 'not_found',
      zed: 'not_found',
      bot: 'forbidden',
      reader: 'insufficient_scope',
    })
  })
})

describe('inbox.readAll', () => {
  test('reads all entries and what they are about', async () => {
    const { ada, posts, events } = await worldWithMentions(3)
    const before = (await events()).length
    await ada.inbox.readAll()
    await ada.inbox.readAll()
    expect(await titles(ada, { unread: true })).toEqual([])
    const { data } = await ada.unread.posts({ ids: posts.map(({ id }) => id) })
    expect(data.map(({ is_unread }) => is_unread)).toEqual([false, false, false])
    expect((await events()).slice(before)).toEqual(['inbox.updated'])
  })

  test('apps and read-only tokens cannot', async () => {
    const cast = await worldWithMentions(1)
    await expectRefusals(cast, (who) => who.inbox.readAll(), { bot: 'forbidden', reader: 'insufficient_scope' })
  })
})
