import { describe, expect, test } from 'bun:test'
import { author, expectRefused, ids, timestamp } from '../expectations'
import { world } from '../world'

describe('channels.join and channels.leave', () => {
  test('let members, viewers and apps into public channels, and out again', async () => {
    const { root, ada, bob, vic, bot, general, events, eventRows } = await world()
    const channel_id = general.id
    await ada.channels.leave({ channel_id })
    const before = (await events()).length
    for (const who of [ada, vic, bot, ada]) expect(await who.channels.join({ channel_id })).toBeUndefined()
    expect(new Set(ids((await ada.channels.members({ channel_id })).data))).toEqual(
      new Set(ids([root, ada, bob, vic, bot])),
    )
    expect((await ada.channels.get({ id: channel_id })).members_count).toBe(5)
    for (const who of [vic, vic, ada]) expect(await who.channels.leave({ channel_id })).toBeUndefined()

    expect((await events()).slice(before)).toEqual([
      ...Array(3).fill('channel.member_added'),
      ...Array(2).fill('channel.member_removed'),
    ])
    const left = JSON.parse((await eventRows()).at(-1)!.data)
    expect(left).toEqual({
      channel: await ada.channels.get({ id: channel_id }),
      member: author(ada, 'Ada Lovelace'),
    })
    expect(left.channel.members_count).toBe(3)
  })

  test('nobody joins what they cannot see', async () => {
    const { root, ada, gus, zed, general, tokenFor, events } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    const old = await root.channels.create({ name: 'old' })
    await root.channels.delete({ id: old.id })
    const before = await events()
    for (const change of ['join', 'leave'] as const) {
      for (const { id } of [secret, old]) await expectRefused(ada.channels[change]({ channel_id: id }), 'not_found')
      for (const who of [gus, zed]) await expectRefused(who.channels[change]({ channel_id: general.id }), 'not_found')
      const reader = await tokenFor(ada.id, ['read'])
      await expectRefused(reader.channels[change]({ channel_id: general.id }), 'insufficient_scope')
    }
    expect((await events()).filter((type) => type.startsWith('channel'))).toEqual(before)
  })

  test('the last member of a private channel stays', async () => {
    const { root, gus } = await world()
    const { id: channel_id } = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id, member_id: gus.id })
    expect(await gus.channels.leave({ channel_id })).toBeUndefined()
    await expectRefused(gus.channels.get({ id: channel_id }), 'not_found')
    await expectRefused(root.channels.leave({ channel_id }), 'last_member')
    await root.channels.addMember({ channel_id, member_id: gus.id })
    await root.members.update({ id: gus.id, is_deactivated: true })
    await expectRefused(root.channels.leave({ channel_id }), 'last_member')
    await root.channels.removeMember({ channel_id, member_id: gus.id })
  })

  test('a guest who is taken out of a public channel is told that their inbox changed', async () => {
    const { root, ada, gus, general, events } = await world()
    const channel_id = general.id
    for (const { id } of [ada, gus]) await root.channels.addMember({ channel_id, member_id: id })
    const before = (await events()).length
    for (const { id } of [ada, gus]) await root.channels.removeMember({ channel_id, member_id: id })
    expect((await events()).slice(before)).toEqual([
      ...Array(2).fill('channel.member_removed'),
      ...['access.lost', 'inbox.updated'],
    ])
    const told = (await gus.events.list({ types: ['inbox.updated'] })).data.at(-1)
    expect(told?.data).toEqual({ subject_id: channel_id })
  })

  test('channels.list can list only channels the caller is in, or only channels they are not in', async () => {
    const { root, ada, general } = await world()
    const other = await root.channels.create({ name: 'other' })
    const third = await root.channels.create({ name: 'third' })
    await ada.channels.join({ channel_id: other.id })
    expect(ids((await ada.channels.list({ joined: true })).data)).toEqual([general.id, other.id])
    const { data, total_count } = await ada.channels.list({ joined: false })
    expect([ids(data), total_count]).toEqual([[third.id], 1])
    expect((await ada.channels.list()).total_count).toBe(3)
  })
})

describe('a channel', () => {
  test('has a description, as one line of plain text', async () => {
    const { root, ada, events } = await world()
    const channel = await root.channels.create({ name: 'plans', description: '  What comes\n next ' })
    expect(channel.description).toBe('What comes next')
    const described = await root.channels.update({ id: channel.id, description: '**Everything** <new>' })
    expect(described).toEqual({ ...channel, description: '**Everything** <new>', updated_at: timestamp })
    expect(await ada.channels.get({ id: channel.id })).toEqual(described)
    expect((await root.channels.update({ id: channel.id, description: '' })).description).toBe('')
    await expectRefused(root.channels.create({ name: 'x', description: 'x'.repeat(501) }), 'invalid_input')
    expect(await events()).toEqual(['channel.created', 'channel.updated', 'channel.updated'])
  })

  test('tells when its posts were last active', async () => {
    const { root, ada, general } = await world()
    const lastActivity = async () => (await ada.channels.get({ id: general.id })).last_activity_at
    const [first, second] = [
      await ada.posts.create({ channel_id: general.id, content_markdown: 'One' }),
      await ada.posts.create({ channel_id: general.id, content_markdown: 'Two' }),
    ]
    expect(await lastActivity()).toBe(second.last_activity_at)
    const resolved = await ada.posts.resolve({ post_id: first.id })
    expect(await lastActivity()).toBe(resolved.last_activity_at)
    expect((await root.channels.update({ id: general.id, name: 'lobby' })).last_activity_at).toBe(
      resolved.last_activity_at,
    )
    for (const { id } of [first, second]) await ada.posts.delete({ id })
    expect(await lastActivity()).toBeNull()
  })
})
