import { describe, expect, test } from 'bun:test'
import { author, expectInvalid, expectRefused, idOf, timestamp } from './expectations'
import { world } from './world'

describe('me.get', () => {
  test('returns the member, the workspace and the scopes of the token', async () => {
    const { ada, slug, tokenFor } = await world()
    const workspace = {
      ...{ id: idOf('ws'), slug, name: slug },
      ...{ icon_url: null, created_at: timestamp, updated_at: timestamp, is_set_up: true },
      channel_mentions: 'members' as const,
      members_create_channels: true,
    }
    const reader = await tokenFor(ada.id, ['read'])
    expect(await reader.me.get()).toEqual({
      author: author(ada, 'Ada Lovelace'),
      role: 'member',
      scopes: ['read'],
      has_password: false,
      workspace,
    })
    expect(await ada.me.get()).toMatchObject({ role: 'member', scopes: ['admin'], workspace })
  })

  test('an app has no role', async () => {
    const { bot } = await world()
    expect(await bot.me.get()).toMatchObject({
      author: author(bot, 'Bot', 'app'),
      role: null,
      scopes: ['write'],
      has_password: null,
    })
  })

  test('everyone is allowed', async () => {
    const { root, vic, gus, zed } = await world()
    const roles = await Promise.all([root, vic, gus, zed].map(async (who) => (await who.me.get()).role))
    expect(roles).toEqual(['admin', 'viewer', 'guest', 'admin'])
    expect((await zed.me.get()).workspace.id).not.toBe((await root.me.get()).workspace.id)
  })

  test('a change of role or name is visible at once', async () => {
    const { root, ada } = await world()
    await ada.me.get()
    await root.members.update({ id: ada.id, role: 'viewer', display_name: 'Ada King' })
    expect(await ada.me.get()).toMatchObject({ role: 'viewer', author: { name: 'Ada King' } })
  })

  test('an unknown token is refused', async () => {
    const { as } = await world()
    for (const token of ['parley_unknown', '', 'x'.repeat(5000)])
      await expectRefused(as(token).me.get(), 'unauthenticated')
  })
})

describe('me.update', () => {
  test('changes one’s own name, everywhere', async () => {
    const { ada, bob, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    expect(await ada.me.update({ display_name: '  Ada \n King ' })).toEqual(await ada.me.get())
    expect((await bob.posts.get({ id: post.id })).author.name).toBe('Ada King')
    expect((await bob.members.list({ q: 'ada king' })).total_count).toBe(1)
    expect(await ada.me.update({})).toMatchObject({ author: { name: 'Ada King' }, role: 'member' })
    await ada.me.update({ display_name: 'Ada King' })
    expect(await events()).toEqual(['post.created', 'member.updated'])
  })

  test('every member is allowed, but no app and no read-only token', async () => {
    const { vic, gus, bot, ada, tokenFor, events } = await world()
    for (const who of [vic, gus])
      expect(await who.me.update({ display_name: 'V' })).toMatchObject({ author: { name: 'V' } })
    await expectRefused(bot.me.update({ display_name: 'Robot' }), 'forbidden')
    const reader = await tokenFor(ada.id, ['read'])
    await expectRefused(reader.me.update({ display_name: 'Reader' }), 'insufficient_scope')
    await expectInvalid(ada.me.update({ display_name: ' ' }), 'display_name')
    await expectInvalid(ada.me.update({ role: 'admin' } as never), 'role')
    expect((await events()).filter((type) => type === 'member.updated')).toHaveLength(2)
  })
})
