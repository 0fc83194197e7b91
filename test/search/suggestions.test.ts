import { describe, expect, test } from 'bun:test'
import { type Person, world } from '../world'

const suggestion = async (who: Person, q: string) => (await who.search.list({ q })).did_you_mean

describe('did_you_mean', () => {
  test('corrects a word with one slip, if nothing was found', async () => {
    const { ada, general } = await world()
    await ada.posts.create({ channel_id: general.id, title: 'Deployment', content_markdown: 'The giraffe slept' })
    for (const q of ['girafe', 'giraffee', 'giarffe', 'giraffs', 'graffe'])
      expect(await suggestion(ada, q)).toBe('giraffe')
    expect(await suggestion(ada, 'giraffe')).toBeNull()
    expect(await suggestion(ada, 'garif')).toBeNull()
    expect(await suggestion(ada, 'wholly different')).toBeNull()
    expect(await suggestion(ada, '')).toBeNull()
  })

  test('keeps the rest of the query as it was written', async () => {
    const { ada, general } = await world()
    await ada.posts.create({ channel_id: general.id, title: 'Deployment', content_markdown: 'The giraffe slept' })
    expect(await suggestion(ada, 'Slept  Girafe in:general')).toBe('Slept  giraffe in:general')
    expect(await suggestion(ada, 'title:deploiment girafe')).toBe('title:deployment giraffe')
    expect(await suggestion(ada, 'title:girafe')).toBeNull()
    expect(await suggestion(ada, 'girafe elephant')).toBeNull()
    expect(await suggestion(ada, 'girafe is:resolved')).toBeNull()
  })

  test('is empty when something is excluded, which may be why nothing was found', async () => {
    const { ada, general } = await world()
    await ada.posts.create({ channel_id: general.id, content_markdown: 'The giraffe slept' })
    for (const q of ['girafe -dog', 'girafe -do*', 'girafe -"big dog"']) expect(await suggestion(ada, q)).toBeNull()
    expect(await suggestion(ada, 'girafe -in:general')).toBeNull()
    expect(await suggestion(ada, 'girafe -from:bob')).toBe('giraffe -from:bob')
  })

  test('is empty when something was found, even with a rare word', async () => {
    const { ada, general } = await world()
    for (const content_markdown of ['The girafe', 'The giraffe', 'A giraffe'])
      await ada.posts.create({ channel_id: general.id, content_markdown })
    expect(await ada.search.list({ q: 'girafe' })).toMatchObject({ total_count: 1, did_you_mean: null })
  })

  test('works in other alphabets', async () => {
    const { ada, general } = await world()
    await ada.posts.create({ channel_id: general.id, content_markdown: 'Добрый вечер, καλησπέρα' })
    expect(await suggestion(ada, 'вечир')).toBe('вечер')
    expect(await suggestion(ada, 'καλησπερ')).toBe('καλησπερα')
  })

  test('never has a word that only occurs in what the caller cannot see', async () => {
    const { root, ada, bob, gus, vic, bot, zed, general } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.posts.create({ channel_id: secret.id, title: 'Giraffe', content_markdown: 'The acquisition' })
    await root.messages.createDirect({ member_id: bob.id, content_markdown: 'The elephant' })
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'The zebra' })
    await zed.messages.createDirect({ member_id: zed.id, content_markdown: 'The tapir' })
    for (const who of [ada, vic, gus, bot, bob, zed]) {
      expect(await suggestion(who, 'girafe')).toBeNull()
      expect(await suggestion(who, 'aquisition')).toBeNull()
    }
    for (const who of [ada, vic, gus, bot, zed]) expect(await suggestion(who, 'elephnat')).toBeNull()
    for (const who of [root, ada, vic, bot]) {
      expect(await suggestion(who, 'tapri')).toBeNull()
      expect(await suggestion(who, 'zebar')).toBe('zebra')
    }
    expect(await suggestion(zed, 'zebar')).toBeNull()
    expect(await suggestion(gus, 'zebar')).toBeNull()
    expect(await suggestion(root, 'aquisition')).toBe('acquisition')
    expect(await suggestion(bob, 'elephnat')).toBe('elephant')
    await ada.posts.delete({ id })
    expect(await suggestion(ada, 'zebar')).toBeNull()
  })
})
