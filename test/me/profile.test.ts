import { describe, expect, test } from 'bun:test'
import { expectInvalid, expectRefused, timestamp } from '../expectations'
import { world } from '../world'

describe('me.updateProfile and members.getProfile', () => {
  test('show job title and time zone to everyone who can see the member', async () => {
    const { root, ada, bob, gus, general, events } = await world()
    const empty = { member_id: ada.id, job_title: null, time_zone: null, joined_at: timestamp }
    expect(await bob.members.getProfile({ member_id: ada.id })).toEqual(empty)

    const profile = await ada.me.updateProfile({ job_title: '  Head of \n engines ', time_zone: 'europe/berlin' })
    expect(profile).toEqual({ ...empty, job_title: 'Head of engines', time_zone: 'Europe/Berlin' })
    expect(await bob.members.getProfile({ member_id: ada.id })).toEqual(profile)
    expect(await ada.me.updateProfile({ time_zone: 'Europe/Berlin' })).toEqual(profile)
    expect(await ada.me.updateProfile({})).toEqual(profile)
    expect(await events()).toEqual(['profile.updated'])
    const heard = (await bob.events.list({ types: ['profile.updated'] })).data
    expect(heard.map(({ data }) => data)).toEqual([profile])
    expect((await gus.events.list({ types: ['profile.updated'] })).data).toEqual([])

    await expectRefused(gus.members.getProfile({ member_id: ada.id }), 'not_found')
    for (const { id } of [gus, ada]) await root.channels.addMember({ channel_id: general.id, member_id: id })
    expect(await gus.members.getProfile({ member_id: ada.id })).toEqual(profile)
    expect(await ada.me.updateProfile({ job_title: '', time_zone: '' })).toEqual(empty)
  })

  test('refuse what is no time zone, apps, and strangers', async () => {
    const { ada, bot, zed, tokenFor, events } = await world()
    for (const time_zone of ['Berlin', '+02:00', 'Europe/Atlantis'])
      await expectInvalid(ada.me.updateProfile({ time_zone }), 'time_zone')
    await expectInvalid(ada.me.updateProfile({ job_title: 'x'.repeat(101) }), 'job_title')
    await expectInvalid(ada.me.updateProfile({ job_title: 'a\u202eb' }), 'job_title')
    await expectRefused(bot.me.updateProfile({ job_title: 'Robot' }), 'forbidden')
    const reader = await tokenFor(ada.id, ['read'])
    await expectRefused(reader.me.updateProfile({ job_title: 'Reader' }), 'insufficient_scope')
    await expectRefused(zed.members.getProfile({ member_id: ada.id }), 'not_found')
    await expectRefused(ada.members.getProfile({ member_id: bot.id }), 'not_found')
    expect(await events()).not.toContain('profile.updated')
  })
})
