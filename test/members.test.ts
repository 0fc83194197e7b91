import { describe, expect, test } from 'bun:test'
import type { Member } from '../src/contract/members'
import { avatarUrls, expectInvalid, expectRefusals, expectRefused, idOf, ids, timestamp } from './expectations'
import { statementsOf, time } from './server'
import { secretOf, send } from './session/browser'
import { type Person, world } from './world'

const invite = (root: Person, display_name: string, email: string) =>
  root.members.create({ email, display_name, role: 'member' })

describe('members.create', () => {
  test('invites a member', async () => {
    const { root, ada, events } = await world()
    const member = await root.members.create({
      email: ' Grace@Example.com'.trim(),
      display_name: '  Grace \n Hopper ',
      role: 'viewer',
    })

    expect(member).toEqual({
      id: idOf('mem'),
      role: 'viewer',
      created_at: timestamp,
      is_deactivated: false,
      user: { id: idOf('user'), avatar_urls: avatarUrls, email: 'grace@example.com', display_name: 'Grace Hopper' },
    })
    expect(await ada.members.get({ id: member.id })).toEqual(member)
    expect(await ada.members.list({ roles: ['viewer'] })).toMatchObject({ total_count: 2 })
    expect(await events()).toEqual(['member.created'])
  })

  test('an e-mail address in use is a conflict, ignoring case', async () => {
    const { root, events } = await world()
    await expect(invite(root, 'Ada Again', 'ADA@example.com')).rejects.toMatchObject({
      code: 'email_taken',
      status: 409,
    })
    expect(await events()).toEqual([])
  })

  test('concurrent invitations of one address create one member', async () => {
    const { root, zed } = await world()
    const email = `${crypto.randomUUID()}@example.com`
    const results = await Promise.allSettled([root, root, zed].map((who) => invite(who, 'Grace', email)))
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect((await root.members.list({ q: email })).total_count).toBe(1)
  })

  test('a person can be in two workspaces, under two names', async () => {
    const { root, zed } = await world()
    const email = `${crypto.randomUUID()}@example.com`
    const here = await invite(root, 'Grace', email)
    const there = await invite(zed, 'G. Hopper', email)
    expect(there.user.id).not.toBe(here.user.id)
    expect(there.id).not.toBe(here.id)
    expect((await root.members.get({ id: here.id })).user.display_name).toBe('Grace')
  })

  test('does not tell whether the address has an account in another workspace', async () => {
    const cast = await world()
    const known = `${crypto.randomUUID()}@example.com`
    const elsewhere = await invite(cast.zed, 'Grace', known)
    time.advance(1_000)
    const add = async (email: string) => {
      const log = statementsOf(cast.server)
      log.length = 0
      const record = await invite(cast.root, 'Grace', email)
      return { record, statements: log.filter((sql) => sql.includes('"users"')) }
    }
    const ofKnown = await add(known)
    const ofNew = await add(`${crypto.randomUUID()}@example.com`)

    // The first characters of an id are the time when it was made.
    const timesOf = ({ id, user }: Member) => [id.slice(4, 14), user.id.slice(5, 15)]
    expect(ofKnown.record.user.id).not.toBe(elsewhere.user.id)
    for (const { record } of [ofKnown, ofNew]) expect(new Set(timesOf(record)).size).toBe(1)
    expect(timesOf(ofKnown.record)).not.toEqual(timesOf(elsewhere))
    expect(ofKnown.statements).toEqual(ofNew.statements)
    // It stays the same, also in lists, in events and when the address changes.
    const { id, user } = ofKnown.record
    expect((await cast.root.members.get({ id })).user.id).toBe(user.id)
    expect((await cast.root.members.list({ q: known })).data[0]!.user.id).toBe(user.id)
    const { data } = await cast.root.events.list({ types: ['member.created'] })
    expect(JSON.stringify(data)).toContain(user.id)
    expect(JSON.stringify(data)).not.toContain(elsewhere.user.id)
  })

  test('only admins are allowed', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => invite(who as Person, 'Eve', 'eve@example.com'), {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'insufficient_scope',
      reader: 'insufficient_scope',
    })
    const adminBot = await everyone.tokenFor(everyone.bot.id, ['admin'])
    expect((await invite(adminBot, 'Eve', 'eve@example.com')).role).toBe('member')
  })

  test('reports every invalid field', async () => {
    const { root, events } = await world()
    await expectInvalid(root.members.create({} as never), 'email', 'display_name', 'role')
    await expectInvalid(invite(root, 'Eve', 'not an address'), 'email')
    await expectInvalid(invite(root, ' ', 'eve@example.com'), 'display_name')
    const owner = { email: 'eve@example.com', display_name: 'Eve', role: 'owner' }
    await expectInvalid(root.members.create(owner as never), 'role')
    expect(await events()).toEqual([])
  })
})

describe('members.get', () => {
  test('a guest sees only members of their channels and threads', async () => {
    const { root, ada, bob, vic, gus, general } = await world()
    const seen = async () => ids((await gus.members.list()).data).sort()
    expect(await seen()).toEqual([gus.id])
    await expectRefused(gus.members.get({ id: ada.id }), 'not_found')

    for (const who of [ada, bob]) await who.channels.leave({ channel_id: general.id })
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    expect(await seen()).toEqual([root.id, gus.id].sort())
    await ada.threads.create({ member_ids: [gus.id, vic.id] })
    expect(await seen()).toEqual([root.id, gus.id, ada.id, vic.id].sort())
    expect((await gus.members.get({ id: ada.id })).id).toBe(ada.id)
    expect(await gus.members.list({ q: 'example.com', roles: ['member'] })).toMatchObject({ total_count: 1 })
    await expectRefused(gus.members.get({ id: bob.id }), 'not_found')

    await root.channels.delete({ id: general.id })
    expect(await seen()).toEqual([gus.id, ada.id, vic.id].sort())
  })

  test('members of another workspace are not found', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.members.get({ id: everyone.ada.id }), { zed: 'not_found' })
    expect(await everyone.zed.members.list()).toMatchObject({ total_count: 1 })
  })
})

describe('members.update', () => {
  test('changes role and name in one event, also in existing posts', async () => {
    const { root, ada, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    const before = await root.members.get({ id: ada.id })
    const changed = await root.members.update({ id: ada.id, role: 'viewer', display_name: ' Ada  King ' })

    expect(changed).toEqual({
      ...before,
      role: 'viewer',
      user: { ...before.user, display_name: 'Ada King', avatar_urls: avatarUrls },
    })
    expect(await root.members.get({ id: ada.id })).toEqual(changed)
    expect((await root.posts.get({ id: post.id })).author.name).toBe('Ada King')
    expect(ids((await root.members.list({ q: 'king' })).data)).toEqual([ada.id])
    expect((await root.members.list({ q: 'lovelace' })).total_count).toBe(0)
    expect((await root.members.list({ roles: ['viewer'] })).total_count).toBe(2)
    expect((await root.members.list({ roles: ['member'] })).total_count).toBe(1)
    await expectRefused(ada.posts.unresolve({ post_id: post.id }), 'forbidden')
    expect(await events()).toEqual(['post.created', 'member.updated'])
  })

  test('a deactivated member stays listed; their tokens are revoked at once', async () => {
    const { root, ada, events } = await world()
    await ada.me.get()
    const away = await root.members.update({ id: ada.id, is_deactivated: true })
    expect(away.is_deactivated).toBe(true)
    await expect(ada.me.get()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
    expect((await root.members.list({ roles: ['member'] })).data).toContainEqual(away)
    expect((await root.members.list()).total_count).toBe(5)

    await root.members.update({ id: ada.id, is_deactivated: false })
    await expectRefused(ada.me.get(), 'unauthenticated')
    expect(await events()).toEqual(['member.deactivated', 'member.reactivated'])
  })

  test('does nothing if nothing changes', async () => {
    const { root, ada, events } = await world()
    const before = await root.members.get({ id: ada.id })
    expect(await root.members.update({ id: ada.id })).toEqual(before)
    expect(await root.members.update({ id: ada.id, role: 'member', is_deactivated: false })).toEqual(before)
    expect(await events()).toEqual([])
  })

  test('the last active admin cannot be demoted or deactivated', async () => {
    const { root, ada, bob, events } = await world()
    await root.members.update({ id: ada.id, role: 'admin' })
    await root.members.update({ id: ada.id, is_deactivated: true })
    const before = await events()

    for (const change of [{ role: 'member' as const }, { is_deactivated: true }])
      await expect(root.members.update({ id: root.id, ...change })).rejects.toMatchObject({
        code: 'last_admin',
        status: 409,
      })
    expect(await events()).toEqual(before)
    await root.members.update({ id: ada.id, role: 'viewer' })
    await root.members.update({ id: bob.id, role: 'admin' })
    expect((await root.members.update({ id: root.id, role: 'member' })).role).toBe('member')
    await expectRefused(root.members.update({ id: root.id, role: 'admin' }), 'forbidden')
  })

  test('if two admins demote each other concurrently, one stays admin', async () => {
    const { root, ada, bot } = await world()
    await root.members.update({ id: ada.id, role: 'admin' })
    await Promise.allSettled([
      root.members.update({ id: ada.id, role: 'member' }),
      ada.members.update({ id: root.id, role: 'member' }),
    ])
    expect((await bot.members.list({ roles: ['admin'] })).total_count).toBe(1)
  })

  test('only admins are allowed', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => who.members.update({ id: everyone.ada.id, display_name: 'X' }), {
      ada: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      bot: 'insufficient_scope',
      zed: 'not_found',
    })
    await expectInvalid(everyone.root.members.update({ id: everyone.ada.id, role: 'king' } as never), 'role')
    await expectInvalid(everyone.root.members.update({ id: everyone.ada.id, email: 'x@example.com' } as never), 'email')
    await expectRefused(everyone.root.members.update({ id: everyone.bot.id, role: 'admin' }), 'not_found')
  })
})

describe('members.createSignInLink', () => {
  test('creates a link that signs the member in, once', async () => {
    const cast = await world()
    const { root, ada, events } = cast
    const { url, expires_at } = await root.members.createSignInLink({ member_id: ada.id })
    expect(url).toStartWith(`${cast.baseUrl}/sign-in#token=parley_`)
    expect(Date.parse(expires_at) - time.now()).toBeGreaterThan(6 * 24 * 60 * 60_000)
    const link = secretOf(url)
    const response = await send(cast.baseUrl, 'POST', '/session', { link })
    expect(await response.json()).toMatchObject({ member: { id: ada.id } })
    expect((await send(cast.baseUrl, 'POST', '/session', { link })).status).toBe(410)
    expect(await events()).toEqual(['sign_in_link.created', 'session.created'])
  })

  test('the link works for a week, and not for a deactivated member', async () => {
    const { root, ada, bob, baseUrl } = await world()
    const secretFor = async (who: Person) => secretOf((await root.members.createSignInLink({ member_id: who.id })).url)
    const [first, second] = [await secretFor(ada), await secretFor(bob)]
    await root.members.update({ id: bob.id, is_deactivated: true })
    await expectRefused(root.members.createSignInLink({ member_id: bob.id }), 'member_deactivated')
    expect((await send(baseUrl, 'POST', '/session', { link: second })).status).toBe(410)
    time.advance(7 * 24 * 60 * 60_000)
    expect((await send(baseUrl, 'POST', '/session', { link: first })).status).toBe(410)
  })

  test('only admins are allowed, for members of this workspace; the link is shown once', async () => {
    const everyone = await world()
    const { root, ada, zed, bot, events } = everyone
    await expectRefusals(everyone, (who) => who.members.createSignInLink({ member_id: ada.id }), {
      ...{ ada: 'forbidden', vic: 'forbidden', gus: 'forbidden', bot: 'insufficient_scope' },
      ...{ reader: 'insufficient_scope', zed: 'not_found' },
    })
    for (const member_id of [zed.id, bot.id, 'x'])
      await expectRefused(root.members.createSignInLink({ member_id }), 'not_found')
    const manager = await everyone.tokenFor(bot.id, ['admin'])
    await expectRefused(manager.members.createSignInLink({ member_id: ada.id }), 'forbidden')
    const once = { idempotencyKey: crypto.randomUUID() }
    await root.members.createSignInLink({ member_id: ada.id }, once)
    await expectRefused(root.members.createSignInLink({ member_id: ada.id }, once), 'secret_already_shown')
    expect((await events()).slice(-2)).toEqual(['token.created', 'sign_in_link.created'])
  })
})
