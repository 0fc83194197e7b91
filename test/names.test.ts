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

describe('characters that show nothing', () => {
  test('are removed from titles of posts and threads, descriptions, and titles taken from a text', async () => {
    const { ada, bob, root, general } = await world()
    const place = { channel_id: general.id }
    const hidden = 'a\u0007b\u001b[31m\u0085c\u200b\ufdd0\u{e0041} d\u00ad\t👩‍💻'
    const shown = 'ab[31mc d 👩‍💻'
    const post = await ada.posts.create({ ...place, title: hidden, content_markdown: 'z' })
    expect(post.title).toBe(shown)
    expect((await ada.posts.update({ id: post.id, title: `x${hidden}` })).title).toBe(`x${shown}`)
    expect((await ada.posts.create({ ...place, content_markdown: `# ${hidden}` })).title.replaceAll('\ufffd', '')).toBe(
      shown,
    )
    expect((await ada.posts.create({ ...place, title: '\u0007\u200b', content_markdown: 'The text' })).title).toBe(
      'The text',
    )
    expect((await ada.threads.create({ title: hidden, member_ids: [bob.id] })).title).toBe(shown)
    expect((await root.channels.create({ name: 'new', description: hidden })).description).toBe(shown)
  })

  test.each([
    ['\u200b\u3164', 'file'],
    ['\u0301', 'file'],
    ['\u2800\u{e0041}', 'file'],
    ['a\u200b\u0007\u{e0041}b.txt', 'ab.txt'],
    ['👩‍💻 شاه‌رخ.txt', '👩‍💻 شاه‌رخ.txt'],
  ])('the file name %j becomes %j', async (name, kept) => {
    const { ada } = await world()
    expect((await ada.files.upload({ file: new Blob(['x'], { type: 'text/plain' }), name })).name).toBe(kept)
  })
})
