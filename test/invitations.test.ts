import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { nameFromAddress, splitAddresses, toAddress, toDomain } from '../src/contract/browser/addresses'
import { expectConsistent } from './consistency'
import { expectInvalid, expectRefusals, expectRefused } from './expectations'
import { mailWorld } from './mail/world'
import { time } from './server'
import { type Person, world } from './world'

setDefaultTimeout(60_000)

const DAY = 24 * 60 * 60_000
const unique = () => `${crypto.randomUUID()}@example.com`

/** What became of each address, in a word. */
const statuses = async (root: Person, emails: string[]) =>
  (await root.invitations.create({ emails, role: 'member' })).data.map(({ status }) => status)

describe('invitations.create', () => {
  test('invites each address once, with a name after it, and says what became of each', async () => {
    const { root, ada, events } = await world()
    const id = crypto.randomUUID()
    const emails = [
      ` Luca.Ferri+work@${id}.example `,
      `luca.ferri+WORK@${id}.example`,
      'ada@example.com',
      'mei@acme',
      '"a@b.example"@c.example',
      `ΑΛΦΑ@${id}.example`,
    ]
    const { data } = await root.invitations.create({ emails, role: 'viewer' })
    expect(data.map(({ email, status }) => [email, status])).toEqual([
      [`luca.ferri+work@${id}.example`, 'invited'],
      ['ada@example.com', 'already_member'],
      ['mei@acme', 'invalid'],
      ['"a@b.example"@c.example', 'invalid'],
      [`ΑΛΦΑ@${id}.example`, 'invalid'],
    ])
    const [luca, known, ...invalid] = data.map(({ member }) => member)
    expect(luca).toMatchObject({ role: 'viewer', user: { display_name: 'Luca Ferri' } })
    expect(await ada.members.get({ id: luca!.id })).toEqual(luca!)
    expect(known).toMatchObject({ id: ada.id, role: 'member' })
    expect(invalid).toEqual([null, null, null])
    expect(await events()).toEqual(['member.created'])
    expect(await statuses(root, emails)).toEqual([
      ...['already_member', 'already_member'],
      ...Array(3).fill('invalid'),
    ] as never)
  })

  test('adds them to channels, without news for their inboxes; nobody else is told of a private one', async () => {
    const cast = await world()
    const { root, ada, general, events } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    const channel_ids = [general.id, secret.id]
    const { data } = await root.invitations.create({ emails: [unique(), unique()], role: 'guest', channel_ids })
    for (const { member } of data)
      for (const channel_id of channel_ids)
        expect((await root.channels.members({ channel_id })).data).toContainEqual(
          expect.objectContaining({ id: member!.id }),
        )
    const one = ['member.created', 'channel.member_added', 'channel.member_added'] as const
    expect(await events()).toEqual(['channel.created', ...one, ...one])
    const seen = (await ada.events.list({ types: ['channel.member_added'] })).data
    expect(JSON.stringify(seen)).not.toContain(secret.id)

    await cast.fillInboxes()
    const guest = await cast.tokenFor(data[0]!.member!.id, ['read'])
    expect((await guest.inbox.list()).total_count).toBe(0)
  })

  test('adds many people to default channels and others, and each event has the number of members by then', async () => {
    const cast = await world()
    const { root, general, tokenFor, events, eventRows } = cast
    await root.channels.update({ id: general.id, default: true })
    const secret = await root.channels.create({ name: 'secret', private: true })
    const before = (await root.channels.get({ id: general.id })).members_count
    const told = (await events()).length
    const emails = Array.from({ length: 3 }, unique)
    const channel_ids = [secret.id, general.id]
    const { data } = await root.invitations.create({ emails, role: 'member', channel_ids })
    expect(data.map(({ email, status }) => [email, status])).toEqual(emails.map((email) => [email, 'invited']))
    const added = (await eventRows()).slice(told).flatMap(({ type, data }) => {
      const { channel, member } = JSON.parse(String(data))
      return type === 'channel.member_added' ? [[channel.id, channel.members_count, member.id]] : []
    })
    expect(added).toEqual(
      data.flatMap(({ member }, at) => [
        [general.id, before + at + 1, member!.id],
        [secret.id, 1 + at + 1, member!.id],
      ]),
    )
    expect((await root.channels.get({ id: secret.id })).members_count).toBe(4)
    // Nothing is unread, until somebody writes something.
    const newcomer = await tokenFor(data[1]!.member!.id, ['read'])
    const unread = async () => (await newcomer.unread.get()).channels.map(({ id }) => id)
    expect(await unread()).toEqual([])
    await root.posts.create({ channel_id: secret.id, content_markdown: 'Hello' })
    expect(await unread()).toEqual([secret.id])
    await expectConsistent(cast.server)
  })

  test('refuses to add so many people to so many channels that others would have to wait', async () => {
    const { root } = await world()
    const channel_ids: string[] = []
    for (let at = 0; at < 21; at++) channel_ids.push((await root.channels.create({ name: `c${at}` })).id)
    const emails = Array.from({ length: 50 }, unique)
    const refused = root.invitations.create({ emails, role: 'guest', channel_ids })
    await expect(refused).rejects.toMatchObject({ detail: expect.stringContaining('Invite up to 47 people at a time') })
    await expectInvalid(root.invitations.create({ emails, role: 'guest', channel_ids }), 'channel_ids')
    expect((await root.members.list({ q: emails[0] })).total_count).toBe(0)
    await root.invitations.create({ emails, role: 'guest', channel_ids: channel_ids.slice(1) })
    // Those who are members already are added to none.
    const all = [...emails.slice(0, 49), unique()]
    const { data } = await root.invitations.create({ emails: all, role: 'guest', channel_ids })
    expect(data.at(-1)).toMatchObject({ status: 'invited' })
  })

  test('guests need a channel, and nobody is added to one that the caller cannot see', async () => {
    const { root, ada, tokenFor } = await world()
    const hidden = await root.channels.create({ name: 'hidden', private: true })
    await root.members.update({ id: ada.id, role: 'admin' })
    const admin = await tokenFor(ada.id, ['admin'])
    const emails = [unique()]
    await expectInvalid(admin.invitations.create({ emails, role: 'guest' }), 'channel_ids')
    await expectInvalid(admin.invitations.create({ emails, role: 'member', channel_ids: [hidden.id] }), 'channel_ids')
    await expectInvalid(admin.invitations.create({ emails: [], role: 'member' }), 'emails')
    await expectInvalid(
      admin.invitations.create({ emails: Array.from({ length: 51 }, unique), role: 'member' }),
      'emails',
    )
    expect((await root.members.list({ q: emails[0] })).total_count).toBe(0)
  })

  test('of one address at the same time makes one member', async () => {
    const { root } = await world()
    const email = unique()
    const all = await Promise.all(Array.from({ length: 6 }, () => statuses(root, [email])))
    expect(all.flat().sort()).toEqual([...Array(5).fill('already_member'), 'invited'])
  })

  test('says of a deactivated member that they are one, and changes nothing', async () => {
    const { root, ada } = await world()
    await root.members.update({ id: ada.id, is_deactivated: true })
    const { data } = await root.invitations.create({ emails: ['ada@example.com'], role: 'admin' })
    expect(data).toMatchObject([{ status: 'already_member', member: { role: 'member', is_deactivated: true } }])
  })

  test('only admins are allowed, and apps with the scope admin', async () => {
    const cast = await world()
    const call = (who: Pick<Person, 'invitations'>) => who.invitations.create({ emails: [unique()], role: 'member' })
    await expectRefusals(cast, call, {
      ...{ ada: 'forbidden', vic: 'forbidden', gus: 'forbidden' },
      ...{ bot: 'insufficient_scope', reader: 'insufficient_scope' },
    })
    await call(await cast.tokenFor(cast.bot.id, ['admin']))
  })

  test('mails each of them, and 500 people a day', async () => {
    await using cast = await mailWorld()
    const { root, mailbox, deliver } = cast
    const [first, second] = [unique(), unique()]
    await root.invitations.create({ emails: [first, second, 'ada@example.com', 'nobody'], role: 'member' })
    await deliver()
    expect(mailbox.mails.flatMap(({ to }) => to).sort()).toEqual([first, second].sort())

    // The world has invited its own cast, and two more were just invited.
    const left = 500 - (await root.members.list({ limit: 1 })).total_count
    const many = (count: number) => Array.from({ length: count }, unique)
    for (let done = 0; done < left; done += 50) await statuses(root, many(Math.min(50, left - done)))
    const last = many(3)
    const refused = root.invitations.create({ emails: last, role: 'member' })
    await expect(refused).rejects.toMatchObject({
      code: 'rate_limited',
      detail: expect.stringContaining('; 0 are left'),
    })
    await expectRefused(root.members.create({ email: last[0]!, display_name: 'Eve', role: 'member' }), 'rate_limited')
    expect((await root.members.list({ q: last[0] })).total_count).toBe(0)
    // Who is there already takes no mail.
    expect(await statuses(root, [first, second])).toEqual(['already_member', 'already_member'])
    expect(await statuses(cast.zed, [unique()])).toEqual(['invited'])
    time.advance(DAY)
    expect(await statuses(root, last)).toEqual(['invited', 'invited', 'invited'])
  })
})

describe('an address', () => {
  test.each([
    ['Luca.Ferri@Acme.example', 'luca.ferri@acme.example'],
    ['a+b@sub.acme.example', 'a+b@sub.acme.example'],
    ['mei@acme', undefined],
    ['a@b.example, c@d.example', undefined],
    ['a@b@c.example', undefined],
    ['"a@b.example"@c.example', undefined],
    ['a@[127.0.0.1]', undefined],
    ['a@127.0.0.1', undefined],
    ['a@acme.example\u0000', undefined],
    // In lower case, the Kelvin sign is a k: the domain would be another one than it was checked as.
    ['a@\u212Aacme.example', undefined],
    ['a@ａｃｍｅ.example', undefined],
    [`${'a'.repeat(65)}@acme.example`, undefined],
  ])('%j is stored as %j', (given, stored) => expect(toAddress(given)).toBe(stored as string))

  test.each([
    ['@Acme.example', 'acme.example'],
    ['acme', undefined],
    ['acme.example.', undefined],
    ['straße.example', undefined],
    ['xn--strae-oqa.example', 'xn--strae-oqa.example'],
  ])('the domain %j is stored as %j', (given, stored) => expect(toDomain(given)).toBe(stored as string))

  test.each([
    ['luca.ferri@acme.example', 'Luca Ferri'],
    ['jean-luc_picard+x@acme.example', 'Jean-Luc Picard'],
    ['amara@acme.example', 'Amara'],
    ['_@acme.example', '_@acme.example'],
  ])('%j gives the name %j', (given, name) => expect(nameFromAddress(given)).toBe(name))

  test('is found in what people paste', () => {
    const pasted = `Luca Ferri <luca@acme.example>, "Okafor, Jo" <jo@acme.example>;mei@acme
      amara@acme.example\tzoe@acme.example bo@acme.example\r\n<mailto:ann@acme.example> luca@acme.example`
    expect(splitAddresses(pasted)).toEqual([
      ...['luca@acme.example', 'jo@acme.example', 'mei@acme', 'amara@acme.example', 'zoe@acme.example'],
      ...['bo@acme.example', 'ann@acme.example'],
    ])
  })
})
