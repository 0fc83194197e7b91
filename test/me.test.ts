import { describe, expect, test } from 'bun:test'
import { author, idOf, refused } from './expectations'
import { world } from './world'

describe('me.get', () => {
  test('a member, the workspace and the scopes of the token', async () => {
    const { ada, slug, tokenFor } = await world()
    const workspace = { id: idOf('ws'), slug, name: slug }
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

  test('everyone may', async () => {
    const { root, vic, gus, zed } = await world()
    const roles = await Promise.all([root, vic, gus, zed].map(async (who) => (await who.me.get()).role))
    expect(roles).toEqual(['admin', 'viewer', 'guest', 'admin'])
    expect((await zed.me.get()).workspace.id).not.toBe((await root.me.get()).workspace.id)
  })

  test('a change of role or name shows at once', async () => {
    const { root, ada } = await world()
    await ada.me.get()
    await root.members.update({ id: ada.id, role: 'viewer', display_name: 'Ada King' })
    expect(await ada.me.get()).toMatchObject({ role: 'viewer', author: { name: 'Ada King' } })
  })

  test('an unknown token is nobody', async () => {
    const { as } = await world()
    for (const token of ['parley_unknown', '', 'x'.repeat(5000)]) await refused(as(token).me.get(), 'unauthenticated')
  })
})
