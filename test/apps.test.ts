import { describe, expect, test } from 'bun:test'
import {
  avatarUrls,
  countReads,
  expectInvalid,
  expectPages,
  expectRefusals,
  expectRefused,
  idOf,
  ids,
  timestamp,
} from './expectations'
import { time } from './server'
import { world } from './world'

/** Only admins can manage apps. */
const onlyAdmins = { ada: 'forbidden', vic: 'forbidden', gus: 'forbidden', bot: 'insufficient_scope' } as const

describe('apps.create', () => {
  test('creates an app', async () => {
    const { root, events } = await world()
    const app = await root.apps.create({ name: ' Build \n server ' })
    expect(app).toEqual({
      id: idOf('app'),
      name: 'Build server',
      avatar_urls: avatarUrls,
      ...{ created_at: timestamp, updated_at: app.created_at },
    })
    expect((await root.apps.list()).data).toContainEqual(app)
    expect(await events()).toEqual(['app.created'])
  })

  test('names are unique, ignoring case', async () => {
    const { root, zed, events } = await world()
    await expect(root.apps.create({ name: 'BOT' })).rejects.toMatchObject({ code: 'name_taken', status: 409 })
    expect(await events()).toEqual([])
    expect((await zed.apps.create({ name: 'Bot' })).name).toBe('Bot')
  })

  test('only admins can create apps, and a name is required', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.apps.create({ name: 'Mine' }), {
      ...onlyAdmins,
      reader: 'insufficient_scope',
    })
    await expectInvalid(everyone.root.apps.create({} as never), 'name')
    await expectInvalid(everyone.root.apps.create({ name: ' ' }), 'name')
    await expectInvalid(everyone.root.apps.create({ name: 'x', scopes: [] } as never), 'scopes')
  })
})

describe('apps.list', () => {
  test('lists the oldest first', async () => {
    const everyone = await world()
    const { root, bot } = everyone
    const made = []
    for (const name of ['c', 'a', 'b']) {
      time.advance(5)
      made.push(await root.apps.create({ name }))
    }
    const { data } = await root.apps.list()
    expect(ids(data)).toEqual(ids([bot, ...made]))
    await expectPages((page) => root.apps.list(page), data)
    await expectPages((page) => root.apps.list({ ...page, direction: 'desc' }), data.toReversed())
    expect(await everyone.zed.apps.list()).toMatchObject({ data: [], total_count: 0 })
  })

  test('everyone can search apps by name; a guest finds only apps in their channels and threads', async () => {
    const { root, ada, vic, gus, bot, zed } = await world()
    const ship = await root.apps.create({ name: 'Ship It 100%' })
    for (const who of [ada, vic, bot]) {
      expect(ids((await who.apps.list()).data)).toEqual(ids([bot, ship]))
      expect(await who.apps.list({ q: 'sHÏp' })).toMatchObject({ data: [ship], total_count: 1 })
      expect((await who.apps.list({ q: '0%' })).total_count).toBe(1)
      expect((await who.apps.list({ q: '1_0' })).total_count).toBe(0)
    }
    expect((await gus.apps.list()).total_count).toBe(0)
    await root.threads.create({ member_ids: [gus.id, ship.id] })
    expect(await gus.apps.list({ q: 'ship' })).toMatchObject({ data: [ship], total_count: 1 })
    expect((await gus.apps.list({ q: 'bot' })).total_count).toBe(0)
    expect((await zed.apps.list({ q: 'ship' })).total_count).toBe(0)
    for (const name of ['Ship 2', 'Ship 3', 'Ship 4']) await root.apps.create({ name })
    const { data } = await ada.apps.list({ q: 'ship' })
    await expectPages((page) => ada.apps.list({ ...page, q: 'ship' }), data)
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone = await world()
    const { root } = everyone
    const cost = () => countReads(everyone, root, (who) => who.apps.list())
    const few = await cost()
    await Promise.all(Array.from({ length: 20 }, (_, number) => root.apps.create({ name: `App ${number}` })))
    expect(await cost()).toBe(few)
    expect(few).toBeLessThanOrEqual(3)
  })
})

describe('apps.createToken', () => {
  test('creates a token that acts as the app', async () => {
    const { root, bot, as, events } = await world()
    const made = await root.apps.createToken({ id: bot.id, scopes: ['read'], name: 'Reader' })
    expect(made).toEqual({
      id: idOf('tok'),
      name: 'Reader',
      scopes: ['read'],
      created_at: timestamp,
      expires_at: null,
      last_used_at: null,
      token: expect.stringMatching(/^parley_[\w-]{43}$/),
    })
    expect(await as(made.token).me.get()).toMatchObject({ author: { id: bot.id, type: 'app' }, scopes: ['read'] })
    await expectRefused(as(made.token).posts.create({ channel_id: 'x', content_markdown: 'x' }), 'insufficient_scope')
    expect(await events()).toEqual(['token.created'])
  })

  test('a token is listed without its secret, and can be revoked', async () => {
    const { root, bot, as } = await world()
    const { token, ...shown } = await root.apps.createToken({ id: bot.id, scopes: ['read'] })
    const list = () => root.apps.listTokens({ id: bot.id })
    expect((await list()).data).toContainEqual(shown)
    expect(JSON.stringify(await list())).not.toContain(token)
    await root.tokens.delete({ id: shown.id })
    expect(await list()).toMatchObject({ total_count: 1 })
    await expectRefused(as(token).me.get(), 'unauthenticated')
  })

  test('only admins can create tokens, and only for existing apps', async () => {
    const everyone = await world()
    const { root, ada, bot } = everyone
    await expectRefusals(everyone, (who) => who.apps.createToken({ id: bot.id, scopes: ['read'] }), {
      ...onlyAdmins,
      zed: 'not_found',
    })
    await expectRefused(root.apps.createToken({ id: ada.id, scopes: ['read'] }), 'not_found')
    await expectInvalid(root.apps.createToken({ id: bot.id } as never), 'scopes')
    await expectInvalid(
      root.apps.createToken({ id: bot.id, scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }),
      'expires_at',
    )
  })

  test('an app with the admin scope acts as an admin', async () => {
    const { root, bot, as } = await world()
    const { token } = await root.apps.createToken({ id: bot.id, scopes: ['admin'] })
    const admin = as(token)
    expect((await admin.apps.create({ name: 'Child' })).name).toBe('Child')
    expect((await admin.members.update({ id: root.id, display_name: 'R' })).user.display_name).toBe('R')
  })
})

describe('apps.listTokens', () => {
  test('lists the oldest first, for admins only', async () => {
    const everyone = await world()
    const { root, bot } = everyone
    for (const name of ['a', 'b', 'c']) {
      time.advance(5)
      await root.apps.createToken({ id: bot.id, scopes: ['read'], name })
    }
    const { data } = await root.apps.listTokens({ id: bot.id })
    expect(data.map(({ name }) => name)).toEqual(['', 'a', 'b', 'c'])
    await expectPages((page) => root.apps.listTokens({ id: bot.id, ...page }), data)
    await expectRefusals(everyone, (who) => who.apps.listTokens({ id: bot.id }), { ...onlyAdmins, zed: 'not_found' })
    expect(await countReads(everyone, root, (who) => who.apps.listTokens({ id: bot.id }))).toBeLessThanOrEqual(4)
  })
})

describe('apps.delete', () => {
  test('revokes its tokens at once; its posts stay, under its name', async () => {
    const { root, ada, bot, general, events } = await world()
    await root.channels.addMember({ channel_id: general.id, member_id: bot.id })
    const post = await bot.posts.create({ channel_id: general.id, content_markdown: 'Built.' })
    expect(await root.apps.delete({ id: bot.id })).toBeUndefined()

    await expectRefused(bot.me.get(), 'unauthenticated')
    expect(await ada.posts.get({ id: post.id })).toEqual(post)
    expect(await root.apps.list()).toMatchObject({ data: [], total_count: 0 })
    expect((await ada.channels.get({ id: general.id })).members_count).toBe(3)
    await expectRefused(root.apps.delete({ id: bot.id }), 'not_found')
    await expectRefused(root.apps.createToken({ id: bot.id, scopes: ['read'] }), 'not_found')
    await expectRefused(root.channels.addMember({ channel_id: general.id, member_id: bot.id }), 'not_found')
    await expectInvalid(ada.threads.create({ member_ids: [bot.id] }), 'member_ids[0]')
    expect((await root.apps.create({ name: 'Bot' })).id).not.toBe(bot.id)
    const types = ['channel.member_added', 'post.created', 'channel.member_removed', 'app.deleted', 'app.created']
    expect(await events()).toEqual(types)
  })

  test('only admins can delete apps', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.apps.delete({ id: everyone.bot.id }), {
      ...onlyAdmins,
      zed: 'not_found',
    })
  })
})
