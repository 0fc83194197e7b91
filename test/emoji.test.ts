import { describe, expect, test } from 'bun:test'
import { expectInvalid, expectRefusals } from './expectations'
import { picture } from './me/pictures'
import { world } from './world'

describe('custom emoji', () => {
  test('are added by admins, used by everyone, and leave their name when deleted', async () => {
    const cast = await world()
    const { root, ada, vic, zed, general, events } = cast
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Ready' })
    const file = await picture()
    await expectRefusals(cast, (who) => who.emoji.set({ name: 'shipit', file }), { ada: 'forbidden', vic: 'forbidden' })
    for (const name of ['a', 'Ship', 'ship it', '👍', 'x'.repeat(33)])
      await expectInvalid(root.emoji.set({ name, file }), 'name')
    await expectInvalid(root.emoji.set({ name: 'text', file: new Blob(['no'], { type: 'image/png' }) }), '')

    const emoji = await root.emoji.set({ name: 'shipit', file })
    expect((await vic.emoji.list()).data).toEqual([emoji])
    expect((await zed.emoji.list()).data).toEqual([])
    const shown = await fetch(emoji.url.replace(/^https?:\/\/[^/]+/, cast.baseUrl))
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(shown.headers.get('cache-control')).toContain('immutable')
    expect(await new Bun.Image(await shown.bytes()).metadata()).toMatchObject({ width: 128, height: 128 })

    await ada.reactions.add({ subject_id: post.id, emoji: 'shipit' })
    const counts = async () => (await ada.reactions.list({ ids: [post.id] })).data[0]!.reactions
    expect(await counts()).toMatchObject([{ emoji: 'shipit', url: emoji.url }])
    await expectRefusals(cast, (who) => who.emoji.delete({ name: 'shipit' }), { ada: 'forbidden', zed: 'not_found' })
    await root.emoji.delete({ name: 'shipit' })
    expect(await counts()).toMatchObject([{ emoji: 'shipit', url: null }])
    expect((await fetch(shown.url)).status).toBe(404)
    await expectInvalid(cast.bob.reactions.add({ subject_id: post.id, emoji: 'shipit' }), 'emoji')
    await ada.reactions.remove({ subject_id: post.id, emoji: 'shipit' })
    for (const name of ['%00', 'ab%00', '..%2F..%2Fme'])
      expect([404, 422]).toContain(
        (
          await cast.raw(root, `/v2/emoji/${name}`, {
            method: 'PUT',
            body: file,
            headers: { 'Content-Type': file.type },
          })
        ).status,
      )
    expect((await events()).slice(-4)).toEqual(['emoji.created', 'reaction.added', 'emoji.deleted', 'reaction.removed'])
  })

  test('are listed as people sort names, with numbers as numbers', async () => {
    const { root } = await world()
    for (const name of ['step-10', 'step-2', 'shipit', 'step-1']) await root.emoji.set({ name, file: await picture() })
    const names = (await root.emoji.list()).data.map(({ name }) => name)
    expect(names).toEqual(['shipit', 'step-1', 'step-2', 'step-10'])
  })

  test('a guest sees them, but not who added them', async () => {
    const { root, gus, vic } = await world()
    expect((await gus.emoji.list()).data).toEqual([])
    const { created_by, ...emoji } = await root.emoji.set({ name: '__proto__', file: await picture() })
    expect((await gus.emoji.list()).data).toEqual([{ ...emoji, created_by: null }])
    expect((await vic.emoji.list()).data).toEqual([{ ...emoji, created_by }])
    expect(created_by).toMatchObject({ id: root.id })
    const heard = async (who: typeof gus) => (await who.events.list({ types: ['emoji.created'] })).data.length
    expect([await heard(gus), await heard(vic)]).toEqual([0, 1])
  })
})
