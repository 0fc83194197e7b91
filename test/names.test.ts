import { describe, expect, test } from 'bun:test'
import { expectInvalid } from './expectations'
import { world } from './world'

const TRICKS = ['Root\u202enimdA', 'Root \u200bAdmin', 'Root\u2060 Admin', '\u3164', 'Root\u{e0041}', 'Ro\u200dot']

describe('deceptive names', () => {
  test.each(TRICKS)('%j is refused as the name of a member, app, channel, token and incoming webhook', async (name) => {
    const { root, ada, bob, bot, general, events } = await world()
    const email = 'new@example.com'
    await expectInvalid(root.members.create({ email, display_name: name, role: 'member' }), 'display_name')
    await expectInvalid(root.members.update({ id: bob.id, display_name: name }), 'display_name')
    await expectInvalid(ada.me.update({ display_name: name }), 'display_name')
    await expectInvalid(root.apps.create({ name }), 'name')
    await expectInvalid(root.channels.create({ name }), 'name')
    await expectInvalid(root.channels.update({ id: general.id, name }), 'name')
    await expectInvalid(ada.tokens.createMine({ scopes: ['read'], name }), 'name')
    await expectInvalid(root.apps.createToken({ id: bot.id, scopes: ['read'], name }), 'name')
    await expectInvalid(root.hooks.create({ channel_id: general.id, name }), 'name')
    expect(await events()).toEqual([])
  })

  test('names with joiners are accepted', async () => {
    const { root } = await world()
    const member = await root.members.create({ email: 'a@b.example', display_name: 'شاه‌رخ 👩‍💻', role: 'member' })
    expect(member.user.display_name).toBe('شاه‌رخ 👩‍💻')
  })
})

describe('a title that changes the text direction', () => {
  test('does not affect the text after it', async () => {
    const { ada, bob, general } = await world()
    const place = { channel_id: general.id }
    const given = await ada.posts.create({ ...place, title: 'x\u202ey\u2069', content_markdown: 'z' })
    expect(given.title).toBe('x\u202ey\u202c')
    const taken = await ada.posts.create({ ...place, content_markdown: 'x \u2067 y' })
    expect(taken.title).toBe('x \u2067 y\u2069')
    const changed = await ada.posts.update({ id: given.id, title: '\u202cx\u202d' })
    expect(changed.title).toBe('x\u202d\u202c')
    const thread = await ada.threads.create({ title: 'x\u2066', member_ids: [bob.id] })
    expect(thread.title).toBe('x\u2066\u2069')
  })
})
