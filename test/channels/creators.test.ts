import { describe, expect, test } from 'bun:test'
import { MAX_CHANNELS } from '../../src/contract/channels'
import { insertChannel } from '../../src/store/content/channels'
import { expectInvalid, expectRefused } from '../expectations'
import { time } from '../server'
import { type Person, world } from '../world'

describe('a member who creates a channel', () => {
  test('is in it, and renames and describes it', async () => {
    const { ada, events } = await world()
    const channel = await ada.channels.create({ name: 'reading', description: 'Books' })
    expect(channel).toMatchObject({ creator_id: ada.id, members_count: 1, is_private: false, is_default: false })
    const changed = await ada.channels.update({ id: channel.id, name: 'books', description: 'What we read' })
    expect(changed).toMatchObject({ name: 'books', description: 'What we read', creator_id: ada.id })
    expect(await events()).toEqual(['channel.created', 'channel.updated'])
  })

  test('adds and removes people, guests too', async () => {
    const { ada, bob, gus, bot, events } = await world()
    const { id: channel_id } = await ada.channels.create({ name: 'reading' })
    for (const { id } of [bob, gus, bot]) await ada.channels.addMember({ channel_id, member_id: id })
    expect((await gus.channels.get({ id: channel_id })).members_count).toBe(4)
    for (const { id } of [bob, gus]) await ada.channels.removeMember({ channel_id, member_id: id })
    await expectRefused(gus.channels.get({ id: channel_id }), 'not_found')
    expect((await events()).filter((type) => type === 'channel.member_removed')).toHaveLength(2)
  })

  test('cannot make it private, archive it or make it a default channel: admins can', async () => {
    const { root, ada, events } = await world()
    const { id } = await ada.channels.create({ name: 'reading' })
    const before = await events()
    for (const change of [{ private: true }, { archived: true }, { default: true }])
      await expectRefused(ada.channels.update({ id, ...change }), 'forbidden')
    await expectRefused(ada.channels.delete({ id }), 'forbidden')
    await ada.channels.update({ id, private: false, archived: false, default: false })
    expect(await events()).toEqual(before)

    await root.channels.update({ id, archived: true })
    await expectRefused(ada.channels.update({ id, name: 'books' }), 'not_found')
    expect(await root.channels.update({ id, archived: false, default: true })).toMatchObject({ is_default: true })
  })

  test('may no longer do so after they left, and may again after they came back', async () => {
    const { ada, bob } = await world()
    const { id } = await ada.channels.create({ name: 'reading' })
    await ada.channels.leave({ channel_id: id })
    await expectRefused(ada.channels.update({ id, name: 'books' }), 'forbidden')
    await expectRefused(ada.channels.addMember({ channel_id: id, member_id: bob.id }), 'forbidden')
    await ada.channels.join({ channel_id: id })
    expect((await ada.channels.update({ id, name: 'books' })).name).toBe('books')
  })

  test('may no longer do so as a viewer or a guest', async () => {
    const { root, ada } = await world()
    const { id } = await ada.channels.create({ name: 'reading' })
    for (const role of ['viewer', 'guest'] as const) {
      await root.members.update({ id: ada.id, role })
      await expectRefused(ada.channels.update({ id, name: 'books' }), 'forbidden')
      await expectRefused(ada.channels.create({ name: 'more' }), 'forbidden')
    }
  })

  test('has no rights in channels of others, and needs a token that can write', async () => {
    const { ada, bob, tokenFor } = await world()
    const { id } = await ada.channels.create({ name: 'reading' })
    await bob.channels.join({ channel_id: id })
    await expectRefused(bob.channels.update({ id, name: 'books' }), 'forbidden')
    const [reader, writer] = [await tokenFor(ada.id, ['read']), await tokenFor(ada.id, ['write'])]
    await expectRefused(reader.channels.update({ id, name: 'books' }), 'insufficient_scope')
    await expectRefused(reader.channels.create({ name: 'more' }), 'insufficient_scope')
    expect((await writer.channels.update({ id, name: 'books' })).name).toBe('books')
    expect((await writer.channels.create({ name: 'more' })).creator_id).toBe(ada.id)
  })
})

describe('channels.create', () => {
  test('is for admins alone where the workspace says so', async () => {
    const { root, ada, vic, events } = await world()
    expect((await root.workspace.update({ members_create_channels: false })).members_create_channels).toBe(false)
    await root.workspace.update({ members_create_channels: false })
    expect((await ada.me.get()).workspace.members_create_channels).toBe(false)
    await expectRefused(ada.channels.create({ name: 'reading' }), 'forbidden')
    await root.channels.create({ name: 'admins' })
    await root.workspace.update({ members_create_channels: true })
    await ada.channels.create({ name: 'reading' })
    await expectRefused(vic.channels.create({ name: 'more' }), 'forbidden')
    expect(await events()).toEqual([
      ...['workspace.updated', 'channel.created', 'workspace.updated', 'channel.created'],
    ])
  })

  test('of private and default channels is for admins alone', async () => {
    const { root, ada, tokenFor } = await world()
    await expectRefused(ada.channels.create({ name: 'board', private: true }), 'forbidden')
    await expectRefused(ada.channels.create({ name: 'news', default: true }), 'forbidden')
    const writer = await tokenFor(root.id, ['write'])
    await expectRefused(writer.channels.create({ name: 'board', private: true }), 'forbidden')
    expect((await writer.channels.create({ name: 'plain' })).creator_id).toBe(root.id)
    expect(await root.channels.create({ name: 'news', default: true })).toMatchObject({ is_default: true })
    await expectInvalid(root.channels.create({ name: 'board', private: true, default: true }), 'default')
  })

  test('is limited to 50 a day for each member who is not an admin', async () => {
    const { root, ada, bob, bot, tokenFor } = await world()
    const create = async (who: Pick<Person, 'channels'>, count: number) => {
      for (let at = 0; at < count; at++) await who.channels.create({ name: crypto.randomUUID() })
    }
    await create(ada, 25)
    await expectRefused(ada.channels.create({ name: 'General' }), 'name_taken')
    await create(await tokenFor(ada.id, ['write']), 25)
    const refused = ada.channels.create({ name: 'one-more' })
    await expect(refused).rejects.toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/^You can create 50 channels a day\. Try again in \d+ s, or ask an admin\.$/),
    })
    expect((await root.channels.list({ name: 'one-more' })).total_count).toBe(0)
    await create(bob, 1)
    for (const admin of [root, await tokenFor(root.id, ['write']), await tokenFor(bot.id, ['admin'])])
      await create(admin, 51)
    time.advance(24 * 60 * 60_000)
    await create(ada, 1)
  })

  test('is refused where a workspace has 5,000 channels; archiving one makes room', async () => {
    const { root, ada, zed, server, workspaceKey } = await world()
    await root.channels.create({ name: 'last' })
    const { total_count } = await root.channels.list({ limit: 1 })
    await server.parley.engine.write(async (db) => {
      for (let at = total_count; at < MAX_CHANNELS; at++)
        await insertChannel(db, {
          ...{ id: `chan_${at}`, workspace_key: workspaceKey, name: `c${at}`, name_fold: `c${at}`, description: '' },
          ...{ is_private: false, is_default: false, creator_id: null, created_at: time.now() },
        })
    })
    for (const who of [root, ada]) await expectRefused(who.channels.create({ name: 'more' }), 'too_many_channels')
    await zed.channels.create({ name: 'more' })
    const { data } = await root.channels.list({ name: 'last' })
    await root.channels.delete({ id: data[0]!.id })
    await ada.channels.create({ name: 'more' })
    await expectRefused(root.channels.update({ id: data[0]!.id, archived: false }), 'too_many_channels')
  })
})
