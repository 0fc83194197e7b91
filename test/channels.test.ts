import { describe, expect, test } from 'bun:test'
import { author, costOf, idOf, ids, refused, refuses, timestamp, turnsPages, wrong } from './expectations'
import { time } from './server'
import { type Person, world } from './world'

const names = (page: { data: { name: string }[] }) => page.data.map(({ name }) => name)

async function make(who: Person, ...channels: string[]) {
  const made = []
  for (const name of channels) {
    time.pass(5)
    made.push(await who.channels.create({ name }))
  }
  return made
}

describe('channels.create', () => {
  test('makes a channel with its maker in it', async () => {
    const { root, ada, events } = await world()
    const channel = await root.channels.create({ name: '  Café \n corner ' })

    expect(channel).toEqual({
      id: idOf('chan'),
      name: 'Café corner',
      is_private: false,
      created_at: timestamp,
      archived_at: null,
      posts_count: 0,
      members_count: 1,
    })
    expect(await ada.channels.get({ id: channel.id })).toEqual(channel)
    const inside = await ada.channels.members({ channel_id: channel.id })
    expect(inside.data).toEqual([author(root, 'Root Admin')])
    expect(await events()).toEqual(['channel.created'])
  })

  test('an app with admin may', async () => {
    const { bot, tokenFor } = await world()
    const admin = await tokenFor(bot.id, ['admin'])
    const { id: channel_id } = await admin.channels.create({ name: 'builds', private: true })
    expect((await bot.channels.members({ channel_id })).data).toEqual([author(bot, 'Bot', 'app')])
  })

  test('is the admins’', async () => {
    const everyone = await world()
    await refuses(everyone, (who) => who.channels.create({ name: 'mine' }), {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'insufficient_scope',
      reader: 'insufficient_scope',
    })
  })

  test('a name is taken once, whatever its case and accents, also by what is private or archived', async () => {
    const { root, zed, events } = await world()
    await root.channels.create({ name: 'Café', private: true })
    const old = await root.channels.create({ name: 'old' })
    await root.channels.delete({ id: old.id })
    const before = await events()

    for (const name of ['GENERAL', 'cafe', ' OLD '])
      await expect(root.channels.create({ name })).rejects.toMatchObject({ code: 'name_taken', status: 409 })
    expect(await events()).toEqual(before)
    expect((await zed.channels.create({ name: 'Café' })).name).toBe('Café')
  })

  test('names every field that is wrong', async () => {
    const { root, events } = await world()
    await wrong(root.channels.create({} as never), 'name')
    await wrong(root.channels.create({ name: ' ' }), 'name')
    await wrong(root.channels.create({ name: 'x'.repeat(81) }), 'name')
    await wrong(root.channels.create({ name: 'x', private: 'yes' } as never), 'private')
    await wrong(root.channels.create({ name: 'x', archived: true } as never), 'archived')
    expect(await events()).toEqual([])
  })
})

describe('channels.get', () => {
  test('a private one is there for those in it, and for no admin who is not', async () => {
    const everyone = await world()
    const { root, ada, bot, tokenFor } = everyone
    const admin = await tokenFor(bot.id, ['admin'])
    const { id } = await admin.channels.create({ name: 'builds', private: true })
    await refuses(everyone, (who) => who.channels.get({ id }), {
      root: 'not_found',
      ada: 'not_found',
      gus: 'not_found',
      zed: 'not_found',
    })
    await refuses(everyone, (who) => who.channels.update({ id, private: false }), { root: 'not_found' })
    await refuses(everyone, (who) => who.channels.delete({ id }), { root: 'not_found' })
    await refuses(everyone, (who) => who.channels.addMember({ channel_id: id, member_id: root.id }), {
      root: 'not_found',
    })
    await admin.channels.addMember({ channel_id: id, member_id: ada.id })
    expect((await ada.channels.get({ id })).is_private).toBe(true)
  })

  test('a guest sees what they were added to', async () => {
    const { root, gus, general } = await world()
    await refused(gus.channels.get({ id: general.id }), 'not_found')
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    expect((await gus.channels.get({ id: general.id })).members_count).toBe(2)
    await root.channels.removeMember({ channel_id: general.id, member_id: gus.id })
    await refused(gus.channels.get({ id: general.id }), 'not_found')
  })
})

describe('channels.update', () => {
  test('renames, in the posts too', async () => {
    const { root, ada, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    const renamed = await root.channels.update({ id: general.id, name: 'Lobby' })
    expect(renamed).toEqual({ ...general, name: 'Lobby', posts_count: 1 })
    expect((await ada.posts.get({ id: post.id })).channel).toEqual({ id: general.id, name: 'Lobby' })
    expect(await events()).toEqual(['post.created', 'channel.updated'])
  })

  test('only the case of its own name may change', async () => {
    const { root, general } = await world()
    await make(root, 'other')
    expect((await root.channels.update({ id: general.id, name: 'General' })).name).toBe('General')
    await refused(root.channels.update({ id: general.id, name: 'Other' }), 'name_taken')
  })

  test('private, its posts are for those in it; public, for all again', async () => {
    const { root, ada, general, events } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    const seen = async (who: Person) => (await who.posts.list()).total_count

    expect((await root.channels.update({ id: general.id, private: true })).is_private).toBe(true)
    await refused(ada.posts.get({ id }), 'not_found')
    expect([await seen(ada), await seen(root)]).toEqual([0, 1])
    await root.channels.update({ id: general.id, private: false })
    expect((await ada.posts.get({ id })).id).toBe(id)
    expect([await seen(ada), await seen(root)]).toEqual([1, 1])
    expect(await events()).toEqual(['post.created', 'channel.updated', 'channel.updated'])
  })

  test('with nothing to change, nothing happens', async () => {
    const { root, general, events } = await world()
    expect(await root.channels.update({ id: general.id })).toEqual(general)
    expect(await root.channels.update({ id: general.id, name: 'general', archived: false })).toEqual(general)
    expect(await events()).toEqual([])
  })

  test('is the admins’', async () => {
    const everyone = await world()
    await refuses(everyone, (who) => who.channels.update({ id: everyone.general.id, name: 'x' }), {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'insufficient_scope',
      zed: 'not_found',
    })
    await wrong(everyone.root.channels.update({ id: everyone.general.id, name: '' }), 'name')
  })
})

describe('channels.delete', () => {
  test('archives: nobody sees the channel or its posts, until it is brought back', async () => {
    const { root, ada, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Ho' })
    expect(await root.channels.delete({ id: general.id })).toBeUndefined()

    for (const who of [root, ada]) {
      await refused(who.channels.get({ id: general.id }), 'not_found')
      await refused(who.channels.members({ channel_id: general.id }), 'not_found')
      await refused(who.posts.get({ id: post.id }), 'not_found')
      await refused(who.posts.list({ channel_id: general.id }), 'not_found')
      await refused(who.posts.unresolve({ post_id: post.id }), 'not_found')
      await refused(who.comments.get({ id: comment.id }), 'not_found')
      await refused(who.comments.list({ post_id: post.id }), 'not_found')
      expect(await who.posts.list()).toMatchObject({ data: [], total_count: 0 })
      expect(await who.channels.list()).toMatchObject({ data: [], total_count: 0 })
    }
    await refused(root.channels.delete({ id: general.id }), 'not_found')

    const back = await root.channels.update({ id: general.id, archived: false })
    expect(back).toEqual({ ...general, posts_count: 1 })
    expect((await ada.posts.list()).data).toEqual([{ ...post, comments_count: 1, last_activity_at: timestamp }])
    expect((await events()).slice(2)).toEqual(['channel.deleted', 'channel.updated'])
  })

  test('is the admins’', async () => {
    const everyone = await world()
    await refuses(everyone, (who) => who.channels.delete({ id: everyone.general.id }), {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'insufficient_scope',
      zed: 'not_found',
    })
  })
})

describe('channels.list', () => {
  test('the oldest first, or by name', async () => {
    const { root, ada, general } = await world()
    const [zoo, ecole, apple, Bar] = await make(root, 'zoo', 'École', 'apple', 'Bar')
    const byAge = [general, zoo!, ecole!, apple!, Bar!]
    const byName = [apple!, Bar!, ecole!, general, zoo!]

    expect(await ada.channels.list()).toEqual({ data: byAge, total_count: 5, next_cursor: null, prev_cursor: null })
    await turnsPages((page) => ada.channels.list(page), byAge)
    await turnsPages((page) => ada.channels.list({ ...page, sort: 'name' }), byName)
    await turnsPages((page) => ada.channels.list({ ...page, sort: 'name', direction: 'desc' }), byName.toReversed())
  })

  test('those whose name contains something', async () => {
    const { root, ada } = await world()
    await make(root, 'Café 100%', 'cafeteria', 'snake_case')
    const listed = async (name: string) => names(await ada.channels.list({ name }))
    expect(await listed('CAFÉ')).toEqual(['Café 100%', 'cafeteria'])
    expect(await listed('%')).toEqual(['Café 100%'])
    expect(await listed('e_c')).toEqual(['snake_case'])
    expect(await listed('\\')).toEqual([])
    expect(await ada.channels.list({ name: 'cafe', limit: 1 })).toMatchObject({ total_count: 2 })
  })

  test('the archived ones, for admins', async () => {
    const everyone = await world()
    const { root } = everyone
    const [old] = await make(root, 'old')
    await root.channels.delete({ id: old!.id })
    expect(names(await root.channels.list({ archived: true }))).toEqual(['old'])
    expect((await root.channels.list({ archived: true })).data[0]!.archived_at).toEqual(timestamp)
    await refuses(everyone, (who) => who.channels.list({ archived: true }), { ada: 'forbidden', bot: 'forbidden' })
    expect(names(await everyone.ada.channels.list({ archived: false }))).toEqual(['general'])
  })

  test('holds what each may see, and counts that', async () => {
    const { root, ada, gus, zed, bot } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    expect(await root.channels.list()).toMatchObject({ total_count: 2 })
    for (const who of [ada, bot]) expect(await who.channels.list()).toMatchObject({ total_count: 1 })
    expect(await gus.channels.list()).toMatchObject({ data: [], total_count: 0 })
    expect(names(await zed.channels.list())).toEqual(['general'])
    await root.channels.addMember({ channel_id: secret.id, member_id: gus.id })
    expect(names(await gus.channels.list())).toEqual(['secret'])
  })

  test('a page costs the same few statements however long it is', async () => {
    const everyone = await world()
    const { root, ada } = everyone
    const cost = () => costOf(everyone, ada, (who) => who.channels.list({ sort: 'name' }))
    const few = await cost()
    await Promise.all(Array.from({ length: 30 }, (_, number) => root.channels.create({ name: `c${number}` })))
    expect(await cost()).toBe(few)
    expect(few).toBeLessThanOrEqual(3)
  })
})

describe('channels.addMember and channels.removeMember', () => {
  test('members and apps come and go', async () => {
    const { root, ada, bot, general, events } = await world()
    const channel_id = general.id
    const inside = async () => ids((await ada.channels.members({ channel_id })).data)
    time.pass(5)
    expect(await root.channels.addMember({ channel_id, member_id: bot.id })).toBeUndefined()
    time.pass(5)
    await root.channels.addMember({ channel_id, member_id: ada.id })
    await root.channels.addMember({ channel_id, member_id: ada.id })
    expect(await inside()).toEqual(ids([root, bot, ada]))
    expect((await ada.channels.get({ id: channel_id })).members_count).toBe(3)

    expect(await root.channels.removeMember({ channel_id, member_id: bot.id })).toBeUndefined()
    await refused(root.channels.removeMember({ channel_id, member_id: bot.id }), 'not_found')
    expect(await inside()).toEqual(ids([root, ada]))
    expect((await ada.channels.get({ id: channel_id })).members_count).toBe(2)
    expect(await events()).toEqual(['channel.member_added', 'channel.member_added', 'channel.member_removed'])
  })

  test('an app sees a private channel while it is in it', async () => {
    const { root, bot } = await world()
    const { id: channel_id } = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id, member_id: bot.id })
    const post = await bot.posts.create({ channel_id, content_markdown: 'Psst.' })
    await root.channels.removeMember({ channel_id, member_id: bot.id })
    await refused(bot.posts.get({ id: post.id }), 'not_found')
    await refused(bot.posts.delete({ id: post.id }), 'not_found')
  })

  test('are the admins’', async () => {
    const everyone = await world()
    const { general, ada, root, zed } = everyone
    for (const change of ['addMember', 'removeMember'] as const) {
      await refuses(everyone, (who) => who.channels[change]({ channel_id: general.id, member_id: root.id }), {
        ada: 'forbidden',
        vic: 'forbidden',
        gus: 'forbidden',
        bot: 'insufficient_scope',
        zed: 'not_found',
      })
      await refused(root.channels[change]({ channel_id: 'chan_nowhere', member_id: ada.id }), 'not_found')
      await refused(root.channels[change]({ channel_id: general.id, member_id: 'mem_nowhere' }), 'not_found')
      await refused(root.channels[change]({ channel_id: general.id, member_id: zed.id }), 'not_found')
    }
  })
})

describe('channels.members', () => {
  test('in the order they came, at a constant cost', async () => {
    const everyone = await world()
    const { root, ada, bob, vic, bot, gus, general } = everyone
    const channel_id = general.id
    for (const { id } of [bot, vic, ada, bob]) {
      time.pass(5)
      await root.channels.addMember({ channel_id, member_id: id })
    }
    const inside = (await vic.channels.members({ channel_id })).data
    expect(ids(inside)).toEqual(ids([root, bot, vic, ada, bob]))
    await turnsPages((page) => vic.channels.members({ channel_id, ...page }), inside)
    await turnsPages((page) => vic.channels.members({ channel_id, direction: 'desc', ...page }), inside.toReversed())
    await refused(gus.channels.members({ channel_id }), 'not_found')
    expect(await costOf(everyone, ada, (who) => who.channels.members({ channel_id }))).toBeLessThanOrEqual(3)
  })
})
