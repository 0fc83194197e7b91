import { describe, expect, test } from 'bun:test'
import { countReads, expectPages, expectRefusals, expectRefused, ids } from '../expectations'
import { time } from '../server'
import { world } from '../world'

describe('channels.addMember and channels.removeMember', () => {
  test('add and remove members and apps', async () => {
    const { root, ada, bob, bot, general, events } = await world()
    const channel_id = general.id
    const inside = async () => ids((await ada.channels.members({ channel_id })).data)
    for (const member_id of [ada.id, bob.id]) await root.channels.removeMember({ channel_id, member_id })
    const before = (await events()).length
    time.advance(5)
    expect(await root.channels.addMember({ channel_id, member_id: bot.id })).toBeUndefined()
    time.advance(5)
    await root.channels.addMember({ channel_id, member_id: ada.id })
    await root.channels.addMember({ channel_id, member_id: ada.id })
    expect(await inside()).toEqual(ids([root, bot, ada]))
    expect((await ada.channels.get({ id: channel_id })).members_count).toBe(3)

    expect(await root.channels.removeMember({ channel_id, member_id: bot.id })).toBeUndefined()
    await expectRefused(root.channels.removeMember({ channel_id, member_id: bot.id }), 'not_found')
    expect(await inside()).toEqual(ids([root, ada]))
    expect((await ada.channels.get({ id: channel_id })).members_count).toBe(2)
    expect((await events()).slice(before)).toEqual([
      ...['channel.member_added', 'channel.member_added', 'channel.member_removed'],
    ])
  })

  test('an app sees a private channel only while it is a member', async () => {
    const { root, bot } = await world()
    const { id: channel_id } = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id, member_id: bot.id })
    const post = await bot.posts.create({ channel_id, content_markdown: 'Psst.' })
    await root.channels.removeMember({ channel_id, member_id: bot.id })
    await expectRefused(bot.posts.get({ id: post.id }), 'not_found')
    await expectRefused(bot.posts.delete({ id: post.id }), 'not_found')
  })

  test('who is removed from a private channel hears only that their inbox has changed', async () => {
    const { root, ada } = await world()
    const { id: channel_id } = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id, member_id: ada.id })
    const { next_cursor: after } = await ada.events.list({})
    await root.channels.removeMember({ channel_id, member_id: ada.id })
    const heard = (await ada.events.list({ after })).data.map(({ data }) => data)
    expect(heard).toContainEqual({ subject_id: channel_id })
    expect(JSON.stringify(heard)).not.toContain('secret')
  })

  test('only admins are allowed', async () => {
    const everyone = await world()
    const { general, ada, root, zed } = everyone
    for (const change of ['addMember', 'removeMember'] as const) {
      await expectRefusals(everyone, (who) => who.channels[change]({ channel_id: general.id, member_id: root.id }), {
        ada: 'forbidden',
        vic: 'forbidden',
        gus: 'not_found',
        bot: 'forbidden',
        zed: 'not_found',
      })
      await expectRefused(root.channels[change]({ channel_id: 'chan_nowhere', member_id: ada.id }), 'not_found')
      await expectRefused(root.channels[change]({ channel_id: general.id, member_id: 'mem_nowhere' }), 'not_found')
      await expectRefused(root.channels[change]({ channel_id: general.id, member_id: zed.id }), 'not_found')
    }
  })
})

describe('channels.members', () => {
  test('are listed in the order they were added, with a constant number of statements', async () => {
    const everyone = await world()
    const { root, ada, bob, vic, bot, gus, general } = everyone
    const channel_id = general.id
    for (const { id: member_id } of [ada, bob]) await root.channels.removeMember({ channel_id, member_id })
    for (const { id } of [bot, vic, ada, bob]) {
      time.advance(5)
      await root.channels.addMember({ channel_id, member_id: id })
    }
    const inside = (await vic.channels.members({ channel_id })).data
    expect(ids(inside)).toEqual(ids([root, bot, vic, ada, bob]))
    await expectPages((page) => vic.channels.members({ channel_id, ...page }), inside)
    await expectPages((page) => vic.channels.members({ channel_id, direction: 'desc', ...page }), inside.toReversed())
    await expectRefused(gus.channels.members({ channel_id }), 'not_found')
    expect(await countReads(everyone, ada, (who) => who.channels.members({ channel_id }))).toBeLessThanOrEqual(3)
  })
})
