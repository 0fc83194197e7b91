import { describe, expect, test } from 'bun:test'
import { author, expectInvalid, expectRefusals, expectRefused, idOf, timestamp } from './expectations'
import { type Person, world } from './world'

describe('channels.create', () => {
  test('creates a channel with its creator as a member', async () => {
    const { root, ada, events } = await world()
    const channel = await root.channels.create({ name: '  Café \n corner ' })

    expect(channel).toEqual({
      id: idOf('chan'),
      name: 'Café corner',
      description: '',
      is_private: false,
      created_at: timestamp,
      updated_at: channel.created_at,
      archived_at: null,
      last_activity_at: null,
      posts_count: 0,
      members_count: 1,
      is_default: false,
      creator_id: root.id,
    })
    expect(await ada.channels.get({ id: channel.id })).toEqual(channel)
    const inside = await ada.channels.members({ channel_id: channel.id })
    expect(inside.data).toEqual([author(root, 'Root Admin')])
    expect(await events()).toEqual(['channel.created'])
  })

  test('an app with the admin scope can create channels', async () => {
    const { bot, tokenFor } = await world()
    const admin = await tokenFor(bot.id, ['admin'])
    const { id: channel_id } = await admin.channels.create({ name: 'builds', private: true })
    expect((await bot.channels.members({ channel_id })).data).toEqual([author(bot, 'Bot', 'app')])
  })

  test('viewers, guests and apps are refused', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.channels.create({ name: 'mine' }), {
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'forbidden',
      reader: 'insufficient_scope',
    })
  })

  test('names are unique, ignoring case and accents, and including private and archived channels', async () => {
    const { root, zed, events } = await world()
    await root.channels.create({ name: 'Café', private: true })
    const old = await root.channels.create({ name: 'old' })
    await root.channels.delete({ id: old.id })
    const before = await events()

    for (const name of ['GENERAL', 'cafe', ' OLD '])
      await expect(root.channels.create({ name })).rejects.toMatchObject({ code: 'name_taken', status: 409 })
    expect(await events()).toEqual(before)
    expect((await zed.channels.create({ name: 'Café' })).name).toBe('Café')
  })

  test('reports every invalid field', async () => {
    const { root, events } = await world()
    await expectInvalid(root.channels.create({} as never), 'name')
    await expectInvalid(root.channels.create({ name: ' ' }), 'name')
    await expectInvalid(root.channels.create({ name: 'x'.repeat(81) }), 'name')
    await expectInvalid(root.channels.create({ name: 'x', private: 'yes' } as never), 'private')
    await expectInvalid(root.channels.create({ name: 'x', archived: true } as never), 'archived')
    expect(await events()).toEqual([])
  })
})

describe('channels.get', () => {
  test('only its members can see a private channel, not even other admins', async () => {
    const everyone = await world()
    const { root, ada, bot, tokenFor } = everyone
    const admin = await tokenFor(bot.id, ['admin'])
    const { id } = await admin.channels.create({ name: 'builds', private: true })
    await expectRefusals(everyone, (who) => who.channels.get({ id }), {
      root: 'not_found',
      ada: 'not_found',
      gus: 'not_found',
      zed: 'not_found',
    })
    await expectRefusals(everyone, (who) => who.channels.update({ id, private: false }), { root: 'not_found' })
    await expectRefusals(everyone, (who) => who.channels.delete({ id }), { root: 'not_found' })
    await expectRefusals(everyone, (who) => who.channels.addMember({ channel_id: id, member_id: root.id }), {
      root: 'not_found',
    })
    await admin.channels.addMember({ channel_id: id, member_id: ada.id })
    expect((await ada.channels.get({ id })).is_private).toBe(true)
  })

  test('a guest sees only channels they were added to', async () => {
    const { root, gus, general } = await world()
    await expectRefused(gus.channels.get({ id: general.id }), 'not_found')
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    expect((await gus.channels.get({ id: general.id })).members_count).toBe(4)
    await root.channels.removeMember({ channel_id: general.id, member_id: gus.id })
    await expectRefused(gus.channels.get({ id: general.id }), 'not_found')
  })
})

describe('channels.update', () => {
  test('renames the channel, in its posts too', async () => {
    const { root, ada, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    const renamed = await root.channels.update({ id: general.id, name: 'Lobby' })
    expect(renamed).toEqual({
      ...{ ...general, name: 'Lobby', updated_at: timestamp },
      ...{ posts_count: 1, last_activity_at: post.last_activity_at },
    })
    expect(renamed.updated_at > general.updated_at).toBe(true)
    expect((await ada.posts.get({ id: post.id })).channel).toEqual({ id: general.id, name: 'Lobby' })
    expect(await events()).toEqual(['post.created', 'channel.updated'])
  })

  test('the case of the name can be changed', async () => {
    const { root, general } = await world()
    await root.channels.create({ name: 'other' })
    expect((await root.channels.update({ id: general.id, name: 'General' })).name).toBe('General')
    await expectRefused(root.channels.update({ id: general.id, name: 'Other' }), 'name_taken')
  })

  test('a private channel’s posts are visible to its members only; a public one’s to everyone', async () => {
    const { root, ada, general, events } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    await ada.channels.leave({ channel_id: general.id })
    const seen = async (who: Person) => (await who.posts.list()).total_count

    expect((await root.channels.update({ id: general.id, private: true })).is_private).toBe(true)
    await expectRefused(ada.posts.get({ id }), 'not_found')
    expect([await seen(ada), await seen(root)]).toEqual([0, 1])
    await root.channels.update({ id: general.id, private: false })
    expect((await ada.posts.get({ id })).id).toBe(id)
    expect([await seen(ada), await seen(root)]).toEqual([1, 1])
    expect(await events()).toEqual([
      'post.created',
      'channel.member_removed',
      ...['channel.updated', 'access.lost', 'channel.updated'],
    ])
  })

  test('a channel made private while archived has private posts when restored', async () => {
    const { root, ada, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    await ada.channels.leave({ channel_id: general.id })
    await root.channels.delete({ id: general.id })
    await root.channels.update({ id: general.id, private: true })
    expect((await root.posts.list()).total_count).toBe(0)
    await root.channels.update({ id: general.id, archived: false })
    expect((await root.posts.list()).total_count).toBe(1)
    expect((await ada.posts.list()).total_count).toBe(0)
    await expectRefused(ada.posts.get({ id }), 'not_found')
  })

  test('archives a channel, once', async () => {
    const { root, general, events } = await world()
    const archived = await root.channels.update({ id: general.id, archived: true })
    expect(archived).toEqual({ ...general, archived_at: timestamp, updated_at: archived.archived_at! })
    expect(await root.channels.update({ id: general.id, archived: true })).toEqual(archived)
    expect((await root.channels.update({ id: general.id, name: 'old' })).archived_at).toBe(archived.archived_at)
    expect(await events()).toEqual(['channel.deleted', 'channel.updated'])
  })

  test('does nothing if nothing changes', async () => {
    const { root, general, events } = await world()
    expect(await root.channels.update({ id: general.id })).toEqual(general)
    expect(await root.channels.update({ id: general.id, name: 'general', archived: false })).toEqual(general)
    expect(await events()).toEqual([])
  })

  test('only admins are allowed', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.channels.update({ id: everyone.general.id, name: 'x' }), {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'not_found',
      bot: 'forbidden',
      zed: 'not_found',
    })
    await expectInvalid(everyone.root.channels.update({ id: everyone.general.id, name: '' }), 'name')
  })
})

describe('channels.delete', () => {
  test('archives: nobody sees the channel or its posts until it is restored', async () => {
    const { root, ada, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Ho' })
    expect(await root.channels.delete({ id: general.id })).toBeUndefined()

    for (const who of [root, ada]) {
      await expectRefused(who.channels.get({ id: general.id }), 'not_found')
      await expectRefused(who.channels.members({ channel_id: general.id }), 'not_found')
      await expectRefused(who.posts.get({ id: post.id }), 'not_found')
      await expectRefused(who.posts.list({ channel_id: general.id }), 'not_found')
      await expectRefused(who.posts.unresolve({ post_id: post.id }), 'not_found')
      await expectRefused(who.comments.get({ id: comment.id }), 'not_found')
      await expectRefused(who.comments.list({ post_id: post.id }), 'not_found')
      expect(await who.posts.list()).toMatchObject({ data: [], total_count: 0 })
      expect(await who.channels.list()).toMatchObject({ data: [], total_count: 0 })
    }
    await expectRefused(root.channels.delete({ id: general.id }), 'not_found')

    const back = await root.channels.update({ id: general.id, archived: false })
    expect(back).toEqual({
      ...{ ...general, updated_at: back.updated_at },
      ...{ posts_count: 1, last_activity_at: comment.created_at },
    })
    expect((await ada.posts.list()).data).toEqual([{ ...post, comments_count: 1, last_activity_at: timestamp }])
    expect((await events()).slice(2)).toEqual(['channel.deleted', 'channel.updated'])
  })

  test('only admins are allowed', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.channels.delete({ id: everyone.general.id }), {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'insufficient_scope',
      zed: 'not_found',
    })
  })
})
