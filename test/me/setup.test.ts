import { describe, expect, test } from 'bun:test'
import { author, expectInvalid, expectRefused } from '../expectations'
import { choosePassword } from '../session/browser'
import { type World, world } from '../world'
import { picture } from './pictures'

async function invited({ root, tokenFor }: World) {
  const { id } = await root.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'guest' })
  return tokenFor(id, ['admin'])
}

describe('me.getSetup', () => {
  test('says who invited someone, and what they have done', async () => {
    const cast = await world()
    const eve = await invited(cast)
    expect(await eve.me.getSetup()).toEqual({ invited_by: author(cast.root, 'Root Admin'), done: [] })
    await eve.me.setAvatar({ file: await picture() })
    await choosePassword(cast, eve, 'correct horse')
    expect((await eve.me.getSetup()).done).toEqual(['profile', 'password'])
    await eve.me.updateProfile({ time_zone: 'Europe/Berlin' })
    await eve.me.updateNotificationSettings({ mail: 'daily' })
    expect((await eve.me.getSetup()).done).toEqual(['profile', 'password', 'time_zone', 'notifications'])
  })

  test('knows nobody who invited those whom the operator added', async () => {
    const { ada } = await world()
    expect((await ada.me.getSetup()).invited_by).toBeNull()
  })
})

describe('me.updateSetup', () => {
  test('marks steps as done, for good, without an event', async () => {
    const cast = await world()
    const eve = await invited(cast)
    const before = await cast.events()
    expect((await eve.me.updateSetup({ done: ['notifications', 'time_zone'] })).done).toEqual([
      ...(['time_zone', 'notifications'] as const),
    ])
    expect((await eve.me.updateSetup({ done: ['profile'] })).done).toEqual(['profile', 'time_zone', 'notifications'])
    expect((await eve.me.updateSetup({ done: [] })).done).toHaveLength(3)
    expect((await eve.me.getSetup()).done).toHaveLength(3)
    expect(await cast.events()).toEqual(before)
  })

  test('apps have none, and unknown steps are refused', async () => {
    const { ada, bot, tokenFor } = await world()
    await expectRefused(bot.me.getSetup(), 'forbidden')
    await expectRefused(bot.me.updateSetup({ done: ['profile'] }), 'forbidden')
    await expectInvalid(ada.me.updateSetup({ done: ['passkey'] } as never), 'done[0]')
    await expectRefused((await tokenFor(ada.id, ['read'])).me.updateSetup({ done: [] }), 'insufficient_scope')
  })
})
