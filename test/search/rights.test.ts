import { describe, expect, test } from 'bun:test'
import { expectInvalid } from '../expectations'
import { type Person, type World, world } from '../world'
import { find } from './found'

/** A private channel with root and these members in it, and a post and comment of root that say zebra. */
async function secretZebras({ root }: World, members: readonly { id: string }[]) {
  const channel = await root.channels.create({ name: 'secret', private: true })
  for (const { id } of members) await root.channels.addMember({ channel_id: channel.id, member_id: id })
  const post = await root.posts.create({ channel_id: channel.id, title: 'Zebra', content_markdown: 'A zebra' })
  const comment = await root.comments.create({ post_id: post.id, content_markdown: 'That zebra' })
  return { channel, found: [post.id, comment.id] }
}

/** Expects that nothing in the whole answer comes from what cannot be seen. */
async function expectNothing(who: Person, q = 'zebra') {
  const nothing = { data: [], total_count: 0, total_is_capped: false, next_cursor: null, prev_cursor: null }
  for (const query of [q, `${q.slice(0, -1)}*`, `title:${q}`, `"${q}"`, `${q} -horse`, `${q} is:open`])
    expect(await who.search.list({ q: query })).toMatchObject({ ...nothing, did_you_mean: null })
  expect(await who.search.list({ q: `${q.slice(0, -2)}${q.at(-1)}${q.at(-2)}` })).toMatchObject({
    ...nothing,
    did_you_mean: null,
  })
}

describe('a search finds only what the caller may see at this moment', () => {
  test('someone who leaves a private channel no longer finds what is in it', async () => {
    const cast = await world()
    const { root, ada, bob } = cast
    const { channel, found } = await secretZebras(cast, [ada])
    expect(await find(ada, 'zebra')).toEqual(found)
    await expectNothing(bob)
    const page = await ada.search.list({ q: 'zebra', limit: 1 })
    await root.channels.removeMember({ channel_id: channel.id, member_id: ada.id })
    await expectNothing(ada)
    expect((await ada.search.list({ q: 'zebra', limit: 1, after: page.next_cursor! })).data).toEqual([])
    await expectInvalid(ada.search.list({ q: 'in:secret' }), 'q')
    await root.channels.addMember({ channel_id: channel.id, member_id: ada.id })
    expect(await find(ada, 'zebra')).toEqual(found)
  })

  test('a channel that becomes private, and public again', async () => {
    const { root, ada, bob, vic, bot, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Zebra', content_markdown: 'A zebra' })
    const comment = await bob.comments.create({ post_id: id, content_markdown: 'zebra' })
    for (const who of [root, ada, bob, vic, bot]) expect(await find(who, 'zebra')).toEqual([id, comment.id])
    for (const who of [ada, bob]) await who.channels.leave({ channel_id: general.id })
    await root.channels.update({ id: general.id, private: true })
    expect(await find(root, 'zebra')).toEqual([id, comment.id])
    for (const who of [ada, bob, vic, bot]) await expectNothing(who)
    await root.channels.update({ id: general.id, private: false })
    for (const who of [ada, bob, vic, bot]) expect(await find(who, 'zebra')).toEqual([id, comment.id])
  })

  test('an archived channel, and one that is no longer', async () => {
    const cast = await world()
    const { root, ada } = cast
    const { channel, found } = await secretZebras(cast, [ada])
    await root.channels.update({ id: channel.id, archived: true })
    for (const who of [root, ada]) await expectNothing(who)
    await root.channels.update({ id: channel.id, archived: false })
    for (const who of [root, ada]) expect(await find(who, 'zebra')).toEqual(found)
  })

  test('messages are found only by participants of the thread, not by admins', async () => {
    const { root, ada, bob, vic, gus, bot, zed } = await world()
    const thread = await ada.threads.create({ member_ids: [bob.id, bot.id, gus.id], title: 'Zebras' })
    const { id } = await ada.messages.create({ thread_id: thread.id, content_markdown: 'A zebra' })
    for (const who of [ada, bob, bot, gus]) {
      expect(await find(who, 'zebra')).toEqual([id])
      expect(await find(who, { q: 'zebra', thread_id: thread.id })).toEqual([id])
    }
    for (const who of [root, vic, zed]) await expectNothing(who)
  })

  test('a guest finds what is in their channels, whether these are public or not', async () => {
    const cast = await world()
    const { root, ada, gus, general } = cast
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Zebra', content_markdown: 'A zebra' })
    const { channel } = await secretZebras(cast, [])
    await expectNothing(gus)
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    expect(await find(gus, 'zebra')).toEqual([id])
    expect((await gus.search.list({ q: 'zebra' })).total_count).toBe(1)
    await root.channels.addMember({ channel_id: channel.id, member_id: gus.id })
    expect((await gus.search.list({ q: 'zebra' })).total_count).toBe(3)
    await root.channels.removeMember({ channel_id: general.id, member_id: gus.id })
    expect((await gus.search.list({ q: 'zebra' })).total_count).toBe(2)
  })

  test('someone who becomes a guest, or is one no longer', async () => {
    const { root, ada, bob, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Zebra', content_markdown: 'A zebra' })
    await bob.channels.leave({ channel_id: general.id })
    await root.members.update({ id: bob.id, role: 'guest' })
    await expectNothing(bob)
    await root.members.update({ id: bob.id, role: 'viewer' })
    expect(await find(bob, 'zebra')).toEqual([id])
  })

  test('another workspace', async () => {
    const { ada, zed, general } = await world()
    await ada.posts.create({ channel_id: general.id, title: 'Zebra', content_markdown: 'A zebra' })
    await expectNothing(zed)
    const [channel] = (await zed.channels.list()).data
    const { id } = await zed.posts.create({ channel_id: channel!.id, content_markdown: 'Our zebra' })
    expect(await find(zed, 'zebra')).toEqual([id])
    expect(await find(zed, 'zebra in:general')).toEqual([id])
    expect((await ada.search.list({ q: 'zebra' })).total_count).toBe(1)
  })

  test('the posts of someone who was deactivated stay', async () => {
    const { root, ada, bob, general } = await world()
    const { id } = await bob.posts.create({ channel_id: general.id, content_markdown: 'A zebra' })
    await root.members.update({ id: bob.id, is_deactivated: true })
    expect(await find(ada, 'zebra')).toEqual([id])
    expect(await find(ada, { q: 'zebra', author_id: bob.id })).toEqual([id])
    expect(await find(ada, 'zebra from:bob')).toEqual([id])
    expect(await find(ada, '-from:bob')).toEqual([])
  })

  test('the posts of a deleted app stay', async () => {
    const { root, ada, bot, general } = await world()
    const { id } = await bot.posts.create({ channel_id: general.id, content_markdown: 'A zebra' })
    await root.apps.delete({ id: bot.id })
    expect(await find(ada, 'zebra')).toEqual([id])
  })

  test('counts, pages and excerpts do not depend on records that cannot be seen', async () => {
    const cast = await world()
    const { root, ada, bob, general } = cast
    for (let made = 0; made < 3; made++)
      await ada.posts.create({ channel_id: general.id, title: `Zebra ${made}`, content_markdown: 'A zebra' })
    const before = await bob.search.list({ q: 'zebra', limit: 2 })
    await secretZebras(cast, [ada])
    await root.messages.createDirect({ member_id: ada.id, content_markdown: 'A zebra' })
    expect(await bob.search.list({ q: 'zebra', limit: 2 })).toEqual(before)
    expect((await bob.search.list({ q: 'zebra', limit: 2, after: before.next_cursor! })).next_cursor).toBeNull()
    expect((await ada.search.list({ q: 'zebra' })).total_count).toBe(6)
  })
})
