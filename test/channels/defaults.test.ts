import { describe, expect, test } from 'bun:test'
import { roles } from '../../src/contract/members'
import { expectConsistent } from '../consistency'
import { expectInvalid, ids } from '../expectations'
import { type Person, type World, world } from '../world'

async function newPerson({ root, tokenFor }: World, role: (typeof roles)[number]) {
  const { id } = await root.members.create({ email: `${crypto.randomUUID()}@example.com`, display_name: 'New', role })
  return tokenFor(id, ['admin'])
}

const joined = async (who: Person) => ids((await who.channels.list({ joined: true })).data)

describe('default channels', () => {
  test('are joined by members and viewers when they join the workspace, never by guests', async () => {
    const cast = await world()
    const { root, general } = cast
    const news = await root.channels.create({ name: 'news', default: true })
    await root.channels.create({ name: 'other' })
    await root.channels.update({ id: general.id, default: true })
    const before = (await cast.events()).length
    const people = await Promise.all(roles.map(async (role) => [role, await joined(await newPerson(cast, role))]))
    const all = [general.id, news.id]
    expect(Object.fromEntries(people)).toEqual({ admin: all, member: all, viewer: all, guest: [] })
    const counts = (await cast.events()).slice(before)
    expect(counts.filter((type) => type === 'channel.member_added')).toHaveLength(6)
    expect((await root.channels.get({ id: news.id })).members_count).toBe(4)
    await expectConsistent(cast.server)
  })

  test('are limited, because whoever joins comes into each of them', async () => {
    const { root } = await world()
    const create = (at: number) => root.channels.create({ name: `default ${at}`, default: true })
    const [first] = await Promise.all(Array.from({ length: 50 }, (_, at) => create(at)))
    await expectInvalid(create(50), 'default')
    const other = await root.channels.create({ name: 'other' })
    await expectInvalid(root.channels.update({ id: other.id, default: true }), 'default')
    // One that is archived comes back as it was.
    await root.channels.delete({ id: first!.id })
    await expectInvalid(create(50), 'default')
    await root.channels.update({ id: first!.id, archived: false, default: false })
    expect(await root.channels.update({ id: other.id, default: true })).toMatchObject({ is_default: true })
  })

  test('are not mentioned in the inbox of who joins', async () => {
    const cast = await world()
    await cast.root.channels.update({ id: cast.general.id, default: true })
    const eve = await newPerson(cast, 'member')
    await cast.fillInboxes()
    expect((await eve.inbox.list()).data).toEqual([])
    expect((await eve.unread.get()).channels.filter(({ unread_count }) => unread_count > 0)).toEqual([])
    const heard = (await eve.events.list({ types: ['channel.member_added'] })).data.at(-1)
    expect(heard?.data).toMatchObject({ channel: { id: cast.general.id, is_default: true }, member: { id: eve.id } })
  })

  test('are joined by guests who become members, and left alone by other changes of roles', async () => {
    const cast = await world()
    const { root, gus, vic, general } = cast
    await root.channels.update({ id: general.id, default: true })
    await root.members.update({ id: vic.id, role: 'member' })
    expect(await joined(vic)).toEqual([])
    for (const role of ['member', 'guest', 'viewer'] as const) await root.members.update({ id: gus.id, role })
    expect(await joined(gus)).toEqual([general.id])
  })

  test('are public and not archived', async () => {
    const cast = await world()
    const { root } = cast
    const { id } = await root.channels.create({ name: 'news', default: true })
    const old = await root.channels.create({ name: 'old', default: true })
    await expectInvalid(root.channels.update({ id, private: true, default: true }), 'default')
    expect(await root.channels.update({ id, private: true })).toMatchObject({ is_private: true, is_default: false })
    await expectInvalid(root.channels.update({ id, default: true }), 'default')
    await root.channels.delete({ id: old.id })
    expect(await joined(await newPerson(cast, 'member'))).toEqual([])
    expect(await root.channels.update({ id, private: false })).toMatchObject({ is_default: false })
    await root.channels.update({ id: old.id, archived: false })
    expect(await joined(await newPerson(cast, 'member'))).toEqual([old.id])
  })
})

describe('publishing a post', () => {
  test('joins a public channel', async () => {
    const { root, ada, bob, eventRows, fillInboxes } = await world()
    const { id: channel_id } = await root.channels.create({ name: 'news' })
    await ada.posts.create({ channel_id, content_markdown: 'Hello' })
    await ada.posts.create({ channel_id, content_markdown: 'Again' })
    expect(await joined(ada)).toContain(channel_id)
    expect((await bob.channels.get({ id: channel_id })).members_count).toBe(2)
    const types = (await eventRows()).map(({ type }) => type)
    expect(types).toEqual(['channel.created', 'channel.member_added', 'post.created', 'post.created'])
    await fillInboxes()
    expect((await ada.inbox.list()).data).toEqual([])
  })

  test('joins nothing as an app, nor by commenting', async () => {
    const { root, ada, bot } = await world()
    const { id: channel_id } = await root.channels.create({ name: 'news' })
    const { id: post_id } = await bot.posts.create({ channel_id, content_markdown: 'Build is done' })
    await ada.comments.create({ post_id, content_markdown: 'Fine' })
    expect((await root.channels.get({ id: channel_id })).members_count).toBe(1)
  })
})
