import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { InviteLink } from '../src/contract/invite-links'
import {
  author,
  countReads,
  expectInvalid,
  expectPages,
  expectRefusals,
  expectRefused,
  idOf,
  timestamp,
} from './expectations'
import { mailWorld } from './mail/world'
import { startTestServer, time } from './server'
import { secretOf, send } from './session/browser'
import { type World, world } from './world'

setDefaultTimeout(60_000)

const DAY = 24 * 60 * 60_000
const inDays = (days: number) => new Date(time.now() + days * DAY).toISOString()

/** Whether people can still join by a link. */
const works = async ({ baseUrl }: Pick<World, 'baseUrl'>, { url }: Pick<InviteLink, 'url'>) =>
  (await send(baseUrl, 'POST', '/session/invite', { link: secretOf(url!) })).status === 200

/** Ada as another admin. */
async function withSecondAdmin() {
  const cast = await world()
  await cast.root.members.update({ id: cast.ada.id, role: 'admin' })
  return { ...cast, second: await cast.tokenFor(cast.ada.id, ['admin']) }
}

describe('inviteLinks.create', () => {
  test('creates a link whose address can be copied again, and is in no event', async () => {
    await using cast = await mailWorld()
    const { root, general, events, eventRows } = cast
    const expires_at = inDays(7)
    const limits = { email_domain: '@Acme.example', max_uses: 25, expires_at }
    const link = await root.inviteLinks.create({ role: 'member', channel_ids: [general.id], ...limits })
    expect(link).toEqual({
      id: idOf('inv'),
      url: expect.stringMatching(/\/join#token=parley_[\w-]{43}$/),
      role: 'member',
      channel_ids: [general.id],
      ...{ ...limits, email_domain: 'acme.example' },
      uses_count: 0,
      created_by: author(root, 'Root Admin'),
      created_at: timestamp,
    })
    expect((await root.inviteLinks.list()).data).toEqual([link])
    expect(await events()).toEqual(['invite_link.created'])
    const { url, channel_ids: _, created_at: __, ...note } = link
    expect((await eventRows()).map(({ data }) => JSON.parse(String(data)))).toEqual([note])
    const stored = await cast.server.parley.engine.read((db) => db.selectFrom('invite_links').selectAll().execute())
    expect(JSON.stringify(stored)).not.toContain(secretOf(url!))
  })

  test('refuses what would let in the wrong people', async () => {
    const { root, second } = await withSecondAdmin()
    const hidden = await root.channels.create({ name: 'hidden', private: true })
    const server = await startTestServer()
    const silent = await world(server)
    const { create } = second.inviteLinks
    await expectInvalid(create({ role: 'admin' as 'member' }), 'role')
    await expectInvalid(create({ role: 'guest' }), 'channel_ids')
    await expectInvalid(create({ role: 'member', channel_ids: [hidden.id] }), 'channel_ids')
    await expectInvalid(create({ role: 'member', expires_at: inDays(-1) }), 'expires_at')
    await expectInvalid(create({ role: 'member', max_uses: 0 }), 'max_uses')
    await expectInvalid(create({ role: 'member', email_domain: 'acme' }), 'email_domain')
    // Nobody could confirm an address of it.
    await expectRefused(
      silent.root.inviteLinks.create({ role: 'member', email_domain: 'acme.example' }),
      'mail_not_configured',
    )
    expect((await root.inviteLinks.list()).total_count).toBe(0)
  })

  test('looks up many channels with as many statements as one', async () => {
    const cast = await world()
    const { root, general } = cast
    const many = [general.id]
    for (let at = 0; at < 10; at++) many.push((await root.channels.create({ name: `c${at}` })).id)
    const create = (channel_ids: string[]) =>
      countReads(cast, root, () => root.inviteLinks.create({ role: 'member', channel_ids }))
    expect(await create(many)).toBe(await create([general.id]))
  })

  test('makes at most 100', async () => {
    const { root } = await world()
    const all = await Promise.allSettled(Array.from({ length: 103 }, () => root.inviteLinks.create({ role: 'viewer' })))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(100)
    await expectRefused(root.inviteLinks.create({ role: 'viewer' }), 'too_many_invite_links')
  })
})

describe('inviteLinks.list', () => {
  test('pages through them, newest first', async () => {
    const { root } = await world()
    const made = []
    for (let count = 0; count < 5; count++) {
      made.unshift(await root.inviteLinks.create({ role: 'viewer' }))
      time.advance(10)
    }
    await expectPages((page) => root.inviteLinks.list(page), made)
  })

  test('shows the address only to admins who are in the private channels that it leads to', async () => {
    const { root, ada, second, general } = await withSecondAdmin()
    const secret = await root.channels.create({ name: 'secret', private: true })
    const link = await root.inviteLinks.create({ role: 'member', channel_ids: [general.id, secret.id] })
    const seenBySecond = async () => (await second.inviteLinks.list()).data[0]!
    expect(await seenBySecond()).toEqual({ ...link, url: null, channel_ids: [general.id] })
    expect(await second.inviteLinks.update({ id: link.id, max_uses: 9 })).toMatchObject({ url: null })

    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    expect(await seenBySecond()).toEqual({ ...link, max_uses: 9 })
  })

  test('lists the channels of a link as people sort names', async () => {
    const { root } = await world()
    const ids: string[] = []
    for (const name of ['project-10', 'project-2', 'project-1']) ids.push((await root.channels.create({ name })).id)
    await root.inviteLinks.create({ role: 'member', channel_ids: ids })
    expect((await root.inviteLinks.list()).data[0]!.channel_ids).toEqual(ids.toReversed())
  })

  test('only admins are allowed, not apps', async () => {
    const cast = await world()
    const { id } = await cast.root.inviteLinks.create({ role: 'viewer' })
    const app = await cast.tokenFor(cast.bot.id, ['admin'])
    const codes = { ada: 'forbidden', vic: 'forbidden', gus: 'forbidden', bot: 'insufficient_scope' } as const
    await expectRefusals(cast, (who) => who.inviteLinks.list(), { ...codes, reader: 'insufficient_scope' })
    await expectRefusals(cast, (who) => who.inviteLinks.create({ role: 'viewer' }), codes)
    await expectRefusals(cast, (who) => who.inviteLinks.update({ id, role: 'member' }), { ...codes, zed: 'not_found' })
    await expectRefusals(cast, (who) => who.inviteLinks.delete({ id }), { ...codes, zed: 'not_found' })
    await expectRefused(app.inviteLinks.list(), 'forbidden')
    await expectRefused(app.inviteLinks.create({ role: 'viewer' }), 'forbidden')
    await expectRefused(app.inviteLinks.update({ id, role: 'member' }), 'forbidden')
    await expectRefused(app.inviteLinks.delete({ id }), 'forbidden')
  })
})

describe('inviteLinks.update', () => {
  test('changes what is given, keeps the address, and tells nothing if nothing changes', async () => {
    await using cast = await mailWorld()
    const { root, general, events } = cast
    const link = await root.inviteLinks.create({ role: 'member', max_uses: 3, email_domain: 'acme.example' })
    const changes = { role: 'guest', max_uses: null, expires_at: inDays(1) } as const
    const change = { id: link.id, ...changes, channel_ids: [general.id] }
    const changed = await root.inviteLinks.update(change)
    expect(changed).toEqual({ ...link, ...change })
    expect(await root.inviteLinks.update(change)).toEqual(changed)
    expect(await root.inviteLinks.update({ id: link.id, email_domain: null })).toEqual({
      ...changed,
      email_domain: null,
    })
    expect(await events()).toEqual(['invite_link.created', 'invite_link.updated', 'invite_link.updated'])
    await expectInvalid(root.inviteLinks.update({ id: link.id, channel_ids: [] }), 'channel_ids')
  })

  test('gives it a new address with each private channel that it did not lead to before', async () => {
    const cast = await withSecondAdmin()
    const { root, second, general, events } = cast
    const hidden = await root.channels.create({ name: 'hidden', private: true })
    const other = await root.channels.create({ name: 'other' })
    const link = await second.inviteLinks.create({ role: 'member', channel_ids: [general.id] })
    const { id } = link
    const isSame = { channel_ids: [general.id, other.id], url: link.url }
    expect(await root.inviteLinks.update({ id, channel_ids: [general.id, other.id] })).toMatchObject(isSame)

    const changed = await root.inviteLinks.update({ id, channel_ids: [general.id, hidden.id] })
    expect(changed.url).toMatch(/\/join#token=parley_[\w-]{43}$/)
    // Whoever is not in the channel may have the old address.
    expect([await works(cast, link), await works(cast, changed)]).toEqual([false, true])
    expect((await root.inviteLinks.list()).data).toEqual([changed])
    expect((await second.inviteLinks.list()).data).toEqual([{ ...changed, url: null, channel_ids: [general.id] }])
    expect(await root.inviteLinks.update({ id, max_uses: 3 })).toEqual({ ...changed, max_uses: 3 })
    expect(await root.inviteLinks.update({ id, channel_ids: [hidden.id] })).toMatchObject({ url: changed.url })
    expect((await events()).slice(-4)).toEqual(Array(4).fill('invite_link.updated'))

    // One that became private, chosen again.
    await root.channels.update({ id: general.id, private: true })
    const again = await root.inviteLinks.update({ id, channel_ids: [general.id, hidden.id] })
    expect([await works(cast, changed), await works(cast, again)]).toEqual([false, true])
  })

  test('tells nothing if nothing changes, though a channel has become private', async () => {
    const { root, general, events } = await world()
    const link = await root.inviteLinks.create({ role: 'member', channel_ids: [general.id] })
    await root.channels.update({ id: general.id, private: true })
    const before = await events()
    await root.inviteLinks.update({ id: link.id })
    await root.inviteLinks.update({ id: link.id, role: 'member' })
    expect(await events()).toEqual(before)
    // Whoever chooses it again wants it as it is now.
    await root.inviteLinks.update({ id: link.id, channel_ids: [general.id] })
    expect(await events()).toEqual([...before, 'invite_link.updated'])
  })

  test('leaves the channels that the caller cannot see', async () => {
    const { root, second, general } = await withSecondAdmin()
    const secret = await root.channels.create({ name: 'secret', private: true })
    const own = await second.channels.create({ name: 'own', private: true })
    const { id } = await root.inviteLinks.create({ role: 'guest', channel_ids: [general.id, secret.id] })
    expect(await second.inviteLinks.update({ id, channel_ids: [] })).toMatchObject({ channel_ids: [], url: null })
    await expectInvalid(second.inviteLinks.update({ id, channel_ids: [secret.id] }), 'channel_ids')
    await second.inviteLinks.update({ id, channel_ids: [own.id] })
    // Now neither of them may have the address: it leads to a private channel of the other.
    const [seen] = (await root.inviteLinks.list()).data
    expect(seen).toMatchObject({ url: null, channel_ids: [secret.id] })
  })
})

describe('an invite link', () => {
  test('is revoked at once', async () => {
    const cast = await world()
    const { root, events } = cast
    const link = await root.inviteLinks.create({ role: 'member' })
    expect(await works(cast, link)).toBe(true)
    expect(await root.inviteLinks.delete({ id: link.id })).toBeUndefined()
    expect(await works(cast, link)).toBe(false)
    await expectRefused(root.inviteLinks.delete({ id: link.id }), 'not_found')
    expect(await events()).toEqual(['invite_link.created', 'invite_link.revoked'])
  })

  test.each([
    ['is demoted', { role: 'member' as const }],
    ['is deactivated', { is_deactivated: true }],
  ])('is revoked for good when its creator %s', async (_, change) => {
    const cast = await withSecondAdmin()
    const [link, other] = [
      await cast.second.inviteLinks.create({ role: 'member' }),
      await cast.root.inviteLinks.create({ role: 'member' }),
    ]
    await cast.root.members.update({ id: cast.ada.id, ...change })
    expect([await works(cast, link), await works(cast, other)]).toEqual([false, true])
    expect((await cast.events()).at(-1)).toBe('invite_link.revoked')
    await cast.root.members.update({ id: cast.ada.id, role: 'admin', is_deactivated: false })
    expect(await works(cast, link)).toBe(false)
    expect(await cast.root.inviteLinks.list()).toMatchObject({ total_count: 1, data: [{ id: other.id }] })
  })

  test('stays in the list when it is expired, and works again with a later date', async () => {
    const cast = await world()
    const { root } = cast
    const link = await root.inviteLinks.create({ role: 'member', expires_at: inDays(2) })
    time.advance(2 * DAY)
    expect(await works(cast, link)).toBe(false)
    expect((await root.inviteLinks.list()).data).toEqual([link])
    await root.inviteLinks.update({ id: link.id, expires_at: inDays(1) })
    expect(await works(cast, link)).toBe(true)
  })
})
