import { describe, expect, test } from 'bun:test'
import { sentenceOf } from '../src/contract/browser/inbox-sentence'
import { normalizeEmoji } from '../src/domain/names'
import { emojiGroups } from '../src/web/data/emoji-list'
import { expectConsistent } from './consistency'
import { expectInvalid, expectRefusals } from './expectations'
import { time } from './server'
import { world } from './world'

async function discussed() {
  const everyone = await world()
  const { ada, bob, general } = everyone
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
  const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
  return { ...everyone, post, comment, message }
}

describe('reactions', () => {
  test('are counted for a whole page of records, with the first names and what you did', async () => {
    const { ada, bob, vic, root, zed, gus, bot, post, comment, message } = await discussed()
    for (const who of [ada, bob, root, bot]) await who.reactions.add({ subject_id: post.id, emoji: '👍' })
    await bob.reactions.add({ subject_id: post.id, emoji: '❤' })
    await bob.reactions.add({ subject_id: comment.id, emoji: '🎉' })
    await bob.reactions.add({ subject_id: message.id, emoji: '👋🏽' })
    const ids = [post.id, comment.id, message.id]
    const first = ['Ada Lovelace', 'Bob Moore', 'Root Admin']
    expect((await bob.reactions.list({ ids })).data).toEqual([
      {
        subject_id: post.id,
        reactions: [
          { emoji: '👍', count: 4, has_reacted: true, names: first, url: null },
          { emoji: '❤️', count: 1, has_reacted: true, names: ['Bob Moore'], url: null },
        ],
      },
      {
        subject_id: comment.id,
        reactions: [{ emoji: '🎉', count: 1, has_reacted: true, names: ['Bob Moore'], url: null }],
      },
      {
        subject_id: message.id,
        reactions: [{ emoji: '👋🏽', count: 1, has_reacted: true, names: ['Bob Moore'], url: null }],
      },
    ])
    const seen = (await vic.reactions.list({ ids })).data
    expect(seen.map(({ subject_id }) => subject_id)).toEqual([post.id, comment.id])
    expect(seen[0]!.reactions[0]!.has_reacted).toBe(false)
    for (const outsider of [zed, gus]) expect(await outsider.reactions.list({ ids })).toEqual({ data: [] })
  })

  test('change nothing when added or removed twice, and move nothing', async () => {
    const { ada, bob, post, events, server } = await discussed()
    const before = await ada.posts.get({ id: post.id })
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    await bob.reactions.remove({ subject_id: post.id, emoji: '👍' })
    await bob.reactions.remove({ subject_id: post.id, emoji: '👍' })
    expect((await events()).filter((type) => type.startsWith('reaction'))).toEqual([
      'reaction.added',
      'reaction.removed',
    ])
    expect(await ada.posts.get({ id: post.id })).toEqual(before)
    expect(await ada.reactions.list({ ids: [post.id] })).toEqual({ data: [] })
    await expectConsistent(server)
  })

  test('are added to, listed for and removed from every kind of record at one path', async () => {
    const { bob, raw, post, comment, message } = await discussed()
    for (const { id } of [post, comment, message]) {
      const path = `/v2/reactions/${id}`
      const added = await raw(bob, path, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ emoji: '👍' }),
      })
      expect(added.status).toBe(204)
      expect(await (await raw(bob, path)).json()).toMatchObject({ total_count: 1, data: [{ emoji: '👍' }] })
      expect((await raw(bob, `${path}?emoji=%F0%9F%91%8D`, { method: 'DELETE' })).status).toBe(204)
      expect(await (await raw(bob, path)).json()).toMatchObject({ total_count: 0 })
    }
    const gone = [`/v2/posts/${post.id}`, `/v2/comments/${comment.id}`, `/v2/messages/${message.id}`]
    for (const path of gone) {
      expect((await raw(bob, `${path}/reactions`)).status).toBe(404)
      for (const method of ['PUT', 'DELETE'])
        expect((await raw(bob, `${path}/reactions/%F0%9F%91%8D`, { method })).status).toBe(404)
    }
  })

  test('have no ids that a page could start after', async () => {
    const { bob, raw, post } = await discussed()
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    const response = await raw(bob, `/v2/reactions/${post.id}?after=${post.id}`)
    expect([response.status, await response.json()]).toMatchObject([422, { code: 'invalid_cursor' }])
  })

  test('need the emoji', async () => {
    const { ada, raw, post } = await discussed()
    for (const method of ['PUT', 'DELETE'])
      expect((await raw(ada, `/v2/reactions/${post.id}`, { method })).status).toBe(422)
  })

  test('are listed in order, all or only one emoji', async () => {
    const { ada, bob, root, bot, post } = await discussed()
    const people = [root, bot, bob, ada]
    for (const who of people)
      for (const emoji of ['👍', '🎉', '👀']) await who.reactions.add({ subject_id: post.id, emoji })
    const list = (query: object) => ada.reactions.listOfSubject({ subject_id: post.id, ...query })
    const all = await list({})
    expect(all.total_count).toBe(12)
    expect(all.data.map(({ emoji }) => emoji)).toEqual([
      '👍',
      '🎉',
      '👀',
      '👍',
      '🎉',
      '👀',
      '👍',
      '🎉',
      '👀',
      '👍',
      '🎉',
      '👀',
    ])
    expect(all.data.map(({ author }) => author.id)).toEqual(people.flatMap(({ id }) => [id, id, id]))
    const one = await list({ emoji: '🎉' })
    expect([one.total_count, ...one.data.map(({ author }) => author.id)]).toEqual([4, ...people.map(({ id }) => id)])
    for (const direction of ['asc', 'desc'] as const) {
      const pages = await collect((after) => list({ direction, limit: 5, after }))
      expect(pages).toEqual(direction === 'asc' ? all.data : all.data.toReversed())
    }
    expect((await list({ emoji: '🦀' })).total_count).toBe(0)
  })

  test('need the right to write and a record that one may see', async () => {
    const cast = await discussed()
    const { ada, post, message } = cast
    await expectRefusals(cast, (who) => who.reactions.add({ subject_id: post.id, emoji: '👍' }), {
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
    })
    await expectRefusals(cast, (who) => who.reactions.add({ subject_id: message.id, emoji: '👍' }), {
      vic: 'forbidden',
      root: 'not_found',
      zed: 'not_found',
    })
    await expectRefusals(cast, (who) => who.reactions.listOfSubject({ subject_id: message.id }), { root: 'not_found' })
    for (const subject_id of [cast.general.id, message.thread_id, ada.id, 'post_unknown', 'new'])
      await expectRefusals(cast, (who) => who.reactions.add({ subject_id, emoji: '👍' }), { ada: 'not_found' })
    for (const emoji of ['👍👍', 'a', 'Shipit', '5', 'no such', '/', '%'])
      await expectInvalid(ada.reactions.add({ subject_id: post.id, emoji }), 'emoji')
    await expectInvalid(ada.reactions.add({ subject_id: post.id, emoji: 'unknown' }), 'emoji')
    await expectInvalid(ada.reactions.listOfSubject({ subject_id: post.id, emoji: 'x' }), 'emoji')
    expect((await cast.events()).filter((type) => type.startsWith('reaction'))).toEqual([])
  })

  test('with more than 20 different emoji are refused', async () => {
    const { ada, bob, post, server } = await discussed()
    const [group] = emojiGroups
    for (const { emoji } of group!.emoji.slice(0, 20)) await ada.reactions.add({ subject_id: post.id, emoji })
    await bob.reactions.add({ subject_id: post.id, emoji: group!.emoji[0]!.emoji })
    await expect(bob.reactions.add({ subject_id: post.id, emoji: '🦀' })).rejects.toMatchObject({
      code: 'too_many_reactions',
    })
    await expectConsistent(server)
  })

  test('go with the record, also where a comment keeps its place', async () => {
    const { ada, bob, post, comment, message, server, eventRows } = await discussed()
    const reply = await bob.comments.create({ post_id: post.id, parent_id: comment.id, content_markdown: 'One.' })
    await bob.reactions.add({ subject_id: comment.id, emoji: '👍' })
    await bob.reactions.add({ subject_id: reply.id, emoji: '👍' })
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    await bob.reactions.add({ subject_id: message.id, emoji: '👍' })
    await ada.comments.delete({ id: comment.id })
    expect(await ada.reactions.list({ ids: [comment.id] })).toEqual({ data: [] })
    await expect(ada.reactions.listOfSubject({ subject_id: comment.id })).rejects.toMatchObject({ code: 'not_found' })
    await ada.messages.delete({ id: message.id })
    await ada.posts.delete({ id: post.id })
    await expectConsistent(server)
    const rows = (await eventRows()).filter(({ type }) => type === 'reaction.added')
    expect(rows.map(({ data }) => JSON.parse(data).emoji)).toEqual(['', '', '', ''])
  })

  test('know every emoji of the web app in one form', () => {
    const all = emojiGroups.flatMap(({ emoji }) => emoji.map((each) => each.emoji))
    expect(all.filter((emoji) => normalizeEmoji(emoji) !== emoji)).toEqual([])
    expect(all.filter((emoji) => normalizeEmoji(emoji.replaceAll('\uFE0F', '')) !== emoji)).toEqual([])
  })
})

async function collect<T>(ask: (after?: string) => Promise<{ data: T[]; next_cursor: string | null }>) {
  const all: T[] = []
  for (let after: string | undefined; ; ) {
    const { data, next_cursor } = await ask(after)
    all.push(...data)
    if (next_cursor === null) return all
    after = next_cursor
  }
}

describe('a reaction in the inbox', () => {
  test('is a read entry of its own, and goes when the reaction is removed', async () => {
    const { ada, bob, root, post, comment, fillInboxes, server } = await discussed()
    await bob.comments.create({ post_id: post.id, content_markdown: 'Yes' })
    await fillInboxes()
    await ada.inbox.readAll()
    const inbox = () => fillInboxes().then(() => ada.inbox.list({}))
    const before = await inbox()
    const unread = await ada.unread.get()

    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    const liked = await inbox()
    expect(liked.data[0]).toMatchObject({ reason: 'reaction', subject: { id: post.id }, actor: { id: bob.id } })
    expect([liked.data[0]!.is_unread, liked.data[0]!.excerpt]).toEqual([false, 'Lunch?'])
    expect(await ada.unread.get()).toEqual(unread)
    await root.reactions.add({ subject_id: comment.id, emoji: '🎉' })
    expect((await inbox()).data[0]).toMatchObject({ reason: 'reaction', actor: { id: root.id }, item_id: comment.id })
    await expectConsistent(server)

    await root.reactions.remove({ subject_id: comment.id, emoji: '🎉' })
    expect(await inbox()).toEqual(liked)
    await bob.reactions.remove({ subject_id: post.id, emoji: '👍' })
    expect(await inbox()).toEqual(before)
    await expectConsistent(server)
  })

  test('has an entry for each record, and is not for what one does oneself or has muted', async () => {
    const { ada, bob, root, post, message, fillInboxes } = await discussed()
    await bob.comments.create({ post_id: post.id, content_markdown: 'Yes' })
    await root.reactions.add({ subject_id: post.id, emoji: '👍' })
    await bob.reactions.add({ subject_id: message.id, emoji: '👍' })
    await ada.reactions.add({ subject_id: post.id, emoji: '👍' })
    await fillInboxes()
    const entries = (await ada.inbox.list({})).data
    expect(entries.map(({ reason, is_unread }) => [reason, is_unread])).toEqual([
      ['reaction', false],
      ['reaction', false],
      ['comment', true],
    ])

    const muted = await ada.posts.create({ channel_id: post.channel.id, content_markdown: 'Quiet' })
    await ada.follows.set({ subject_id: muted.id, level: 'none' })
    await bob.reactions.add({ subject_id: muted.id, emoji: '👍' })
    await fillInboxes()
    expect((await ada.inbox.list({})).data.map(({ subject }) => subject.id)).not.toContain(muted.id)
    expect((await ada.inbox.list({ about: ['reaction'] })).data.length).toBe(2)
  })

  test('that is taken back is gone from the archive, too, and other entries stay as they are', async () => {
    const { ada, bob, post, fillInboxes, server } = await discussed()
    await bob.comments.create({ post_id: post.id, content_markdown: 'Yes' })
    await fillInboxes()
    await ada.inbox.readAll()
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    const inbox = async () => {
      await fillInboxes()
      return (await ada.inbox.list({})).data
    }
    await ada.inbox.update({ id: (await inbox())[0]!.id, archived: true })
    await bob.reactions.remove({ subject_id: post.id, emoji: '👍' })
    expect((await ada.inbox.list({ archived: true })).data).toEqual([])
    expect(await inbox()).toMatchObject([{ reason: 'comment', is_unread: false }])

    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    await inbox()
    await ada.saved.set({ post_id: post.id, remind_at: new Date(time.now() + 60_000).toISOString() })
    time.advance(120_000)
    await server.reminders()!.tick()
    await bob.reactions.remove({ subject_id: post.id, emoji: '👍' })
    expect(await inbox()).toMatchObject([
      { reason: 'reminder', is_unread: true },
      { reason: 'comment', is_unread: false },
    ])
    await expectConsistent(server)
  })

  test('says who reacted last, with what and with how many others, also after some took it back', async () => {
    const { ada, bob, root, bot, post, comment, fillInboxes, server } = await discussed()
    const entry = async () => {
      await fillInboxes()
      return (await ada.inbox.list({ about: ['reaction'] })).data[0]
    }
    for (const who of [bob, root, bot]) await who.reactions.add({ subject_id: comment.id, emoji: '👍' })
    await bob.reactions.add({ subject_id: comment.id, emoji: '🎉' })
    const said = { subject: { id: post.id, is_own: true }, item_id: comment.id, item_is_own: true, excerpt: 'Noon.' }
    const all = await entry()
    expect(all).toMatchObject({ ...said, actor: { id: bob.id }, emoji: '🎉', emoji_url: null, others_count: 2 })
    expect(sentenceOf(all!)).toBe('Bob Moore and 2 others reacted 🎉 to your comment')
    await bob.reactions.remove({ subject_id: comment.id, emoji: '🎉' })
    // At once, before the inbox is told.
    const [left] = (await ada.inbox.list({ about: ['reaction'] })).data
    expect(left).toMatchObject({ id: all!.id, actor: { id: bot.id }, emoji: '👍', others_count: 2 })
    for (const who of [bot, root]) await who.reactions.remove({ subject_id: comment.id, emoji: '👍' })
    expect(sentenceOf((await entry())!)).toBe('Bob Moore reacted 👍 to your comment')
    await ada.reactions.add({ subject_id: comment.id, emoji: '👍' })
    await bob.reactions.remove({ subject_id: comment.id, emoji: '👍' })
    expect(await entry()).toBeUndefined()
    await expectConsistent(server)
  })

  test('can be marked as unread by itself, and is read with its post', async () => {
    const { ada, bob, post, fillInboxes } = await discussed()
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    await fillInboxes()
    const [entry] = (await ada.inbox.list()).data
    expect(await ada.inbox.update({ id: entry!.id, read: false })).toMatchObject({ is_unread: true })
    const state = async () => (await ada.unread.posts({ ids: [post.id] })).data[0]!
    expect([(await state()).is_unread, (await ada.unread.get()).inbox_count]).toEqual([false, 1])
    await ada.reads.set({ subject_id: post.id })
    expect((await ada.unread.get()).inbox_count).toBe(0)
  })

  test('goes when the comment is deleted, and comes again with the next activity', async () => {
    const { ada, bob, post, comment, fillInboxes, server } = await discussed()
    await bob.reactions.add({ subject_id: comment.id, emoji: '👍' })
    await fillInboxes()
    expect((await ada.inbox.list({})).data).toMatchObject([{ reason: 'reaction', item_id: comment.id }])
    await ada.comments.delete({ id: comment.id })
    expect((await ada.inbox.list({})).data).toEqual([])
    await bob.reactions.add({ subject_id: post.id, emoji: '👍' })
    await bob.comments.create({ post_id: post.id, content_markdown: 'Yes' })
    await fillInboxes()
    await bob.reactions.remove({ subject_id: post.id, emoji: '👍' })
    await fillInboxes()
    expect((await ada.inbox.list({})).data).toMatchObject([{ reason: 'comment', is_unread: true }])
    await expectConsistent(server)
  })
})
