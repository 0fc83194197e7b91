import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { InviteDetails, SignedIn } from '../../src/contract/sessions'
import { createClient } from '../client'
import { expectConsistent } from '../consistency'
import { openMailbox, refusal } from '../mail/smtp'
import { mailWorld, tokenIn } from '../mail/world'
import { startTestServer, time } from '../server'
import { type World, world } from '../world'
import { cookieOf, secretOf, send } from './browser'

setDefaultTimeout(60_000)

const DAY = 24 * 60 * 60_000
const unique = (domain = 'example.com') => `${crypto.randomUUID()}@${domain}`

type Link = Parameters<World['root']['inviteLinks']['create']>[0]

/** The secret of a new link. */
async function linkOf({ root }: Pick<World, 'root'>, link: Partial<Link> = {}) {
  const { id, url } = await root.inviteLinks.create({ role: 'member', ...link })
  return { id, secret: secretOf(url!) }
}

const join = ({ baseUrl }: Pick<World, 'baseUrl'>, body: object, headers: Record<string, string> = {}) =>
  send(baseUrl, 'POST', '/session/join', body, headers)

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code

/** A client of whoever a response has signed in. */
async function clientOf({ baseUrl }: Pick<World, 'baseUrl'>, response: Response) {
  expect(response.status).toBe(201)
  const page = await send(baseUrl, 'POST', '/session/token', {}, { Cookie: cookieOf(response) })
  return createClient({ baseUrl, token: ((await page.json()) as { token: string }).token })
}

const signedInAs = async (response: Response) => ((await response.json()) as SignedIn).member

type MailWorld = Awaited<ReturnType<typeof mailWorld>>

/** The secret that is mailed to who wants to join; undefined where no mail is sent. */
async function askToJoin(cast: MailWorld, link: string, email: string): Promise<string | undefined> {
  await cast.deliver()
  cast.mailbox.mails.length = 0
  const response = await cast.ask('/session/join', { link, email })
  expect([response.status, await response.text()]).toEqual([202, '{}'])
  await cast.deliver()
  const mail = cast.mailbox.mails[0]
  return mail && tokenIn(mail.text)
}

describe('joining by a link, on a server with mail', () => {
  test('takes a mail that confirms the address; then they are in, in the channels of the link', async () => {
    await using cast = await mailWorld()
    const { root, general, events, ask } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    // Everyone joins one of them, whatever the link says: once.
    await root.channels.update({ id: general.id, default: true })
    const link = await linkOf(cast, { channel_ids: [general.id, secret.id], max_uses: 2, email_domain: 'acme.example' })
    const email = unique('acme.example')
    const inspect = async (token: string) =>
      (await (await ask('/session/invite', { link: token })).json()) as InviteDetails
    const details = {
      workspace: { slug: cast.slug, name: cast.slug },
      icon_url: null,
      ...{ role: 'member', email_domain: 'acme.example', is_mail_configured: true },
    }
    expect(await inspect(link.secret)).toEqual({ ...details, email: null, name: null } as InviteDetails)
    const confirmed = (await askToJoin(cast, link.secret, ` ${email.toUpperCase()} `))!
    expect((await root.members.list({ q: email })).total_count).toBe(0)
    expect(await inspect(confirmed)).toMatchObject({ ...details, email } as InviteDetails)

    const newcomer = await clientOf(cast, await join(cast, { link: confirmed, display_name: ' Luca  Ferri ' }))
    const me = await newcomer.me.get()
    expect(me).toMatchObject({ role: 'member', author: { name: 'Luca Ferri' } })
    const joined = (await newcomer.channels.list({ joined: true })).data.map(({ id }) => id)
    expect(joined).toEqual(expect.arrayContaining([general.id, secret.id]))
    expect(await root.inviteLinks.list()).toMatchObject({ data: [{ uses_count: 1 }] })
    expect(joined).toHaveLength(2)
    expect((await events()).slice(3)).toEqual([
      'member.created',
      ...joined.map(() => 'channel.member_added' as const),
      'invite_link.updated',
      'session.created',
    ])
    expect((await newcomer.inbox.list()).total_count).toBe(0)
    // It works once.
    expect(await codeOf(await join(cast, { link: confirmed }))).toBe('link_gone')
    await expectConsistent(cast.server)
  })

  test('says the same to everyone; the mail to a member signs them in, and a deactivated one gets none', async () => {
    await using cast = await mailWorld()
    const { root, ada, bob, mailbox, baseUrl } = cast
    const link = await linkOf(cast, { max_uses: 1 })
    const asAda = await askToJoin(cast, link.secret, 'ada@example.com')
    expect(mailbox.mails).toMatchObject([{ to: ['ada@example.com'] }])
    expect(await codeOf(await join(cast, { link: asAda! }))).toBe('link_gone')
    const signedIn = await send(baseUrl, 'POST', '/session', { link: asAda! })
    expect(await signedInAs(signedIn)).toMatchObject({ id: ada.id })

    await root.members.update({ id: bob.id, is_deactivated: true })
    expect(await askToJoin(cast, link.secret, 'bob@example.com')).toBeUndefined()
    expect(await root.inviteLinks.list()).toMatchObject({ data: [{ uses_count: 0 }] })
  })

  test('with an address of another workspace attaches to that account only once it is confirmed', async () => {
    await using cast = await mailWorld()
    const { zed, root } = cast
    const email = unique()
    const elsewhere = await zed.members.create({ email, display_name: 'Grace', role: 'admin' })
    const link = await linkOf(cast)
    const confirmed = (await askToJoin(cast, link.secret, email))!
    expect((await root.members.list({ q: email })).total_count).toBe(0)
    const member = await clientOf(cast, await join(cast, { link: confirmed, display_name: 'Hopper' }))
    // It says nothing about the other workspace, and opens nothing there.
    const me = await member.me.get()
    expect(me.workspace.slug).toBe(cast.slug)
    const here = await root.members.get({ id: me.author.id })
    expect(here.user).toMatchObject({ email, display_name: 'Hopper' })
    expect(here.user.id).not.toBe(elsewhere.user.id)
    expect((await zed.members.get({ id: elsewhere.id })).user.display_name).toBe('Grace')
  })

  test('limited to a domain lets in addresses of exactly that domain', async () => {
    await using cast = await mailWorld()
    const link = await linkOf(cast, { email_domain: 'acme.example' })
    const others = [
      ...['a@sub.acme.example', 'a@notacme.example', 'a@acme.example.evil.example', 'a@acme.example@evil.example'],
      ...['"a@acme.example"@evil.example', '"a@evil.example"@acme.example', 'a@ａｃｍｅ.example', 'a@acme.example.'],
      ...['a@acme.example, b@evil.example', 'Eve <a@acme.example>', 'a@[acme.example]', 'a@\u212Acme.example'],
    ]
    for (const email of others)
      expect(await codeOf(await join(cast, { link: link.secret, email }))).toBe('invalid_input')
    for (const email of ['a@acme.example\n', 'A+many@ACME.example'])
      expect((await join(cast, { link: link.secret, email })).status).toBe(202)
    await cast.deliver()
    expect(cast.mailbox.mails.map(({ to }) => to).sort()).toEqual([['a+many@acme.example'], ['a@acme.example']])
  })

  const changes: [string, (cast: MailWorld, id: string) => Promise<unknown>, string][] = [
    ['is revoked', (cast, id) => cast.root.inviteLinks.delete({ id }), 'link_gone'],
    ['expires', async () => time.advance(DAY / 2), 'link_gone'],
    [
      'is for another domain',
      ({ root }, id) => root.inviteLinks.update({ id, email_domain: 'b.example' }),
      'invalid_input',
    ],
    [
      'has a creator who was demoted',
      async ({ root, ada, tokenFor, workspaceKey, server }, id) => {
        await root.members.update({ id: ada.id, role: 'admin' })
        await (await tokenFor(ada.id, ['admin'])).members.update({ id: root.id, role: 'member' })
        const left = await server.parley.engine.read((db) =>
          db
            .selectFrom('invite_links')
            .where('workspace_key', '=', workspaceKey)
            .where('id', '=', id)
            .select('key')
            .execute(),
        )
        expect(left).toEqual([])
      },
      'link_gone',
    ],
    [
      'was used up by others',
      async (cast, id) => {
        await cast.root.inviteLinks.update({ id, max_uses: 1 })
        const other = await askToJoin(cast, secretOf((await cast.root.inviteLinks.list()).data[0]!.url!), unique())
        expect((await join(cast, { link: other! })).status).toBe(201)
      },
      'link_gone',
    ],
  ]
  test.each(changes)('is refused if the link %s before the address is confirmed', async (_, change, code) => {
    await using cast = await mailWorld()
    const link = await linkOf(cast, { expires_at: new Date(time.now() + DAY / 2).toISOString() })
    const email = unique()
    const confirmed = (await askToJoin(cast, link.secret, email))!
    await change(cast, link.id)
    expect(await codeOf(await join(cast, { link: confirmed }))).toBe(code)
    expect(
      await cast.server.parley.engine.read((db) =>
        db.selectFrom('users').where('email', '=', email).select('key').execute(),
      ),
    ).toEqual([])
  })

  test('adds nobody to a channel that its chooser cannot see any more, or that was made private or archived', async () => {
    await using cast = await mailWorld()
    const { root, ada, tokenFor } = cast
    const make = (name: string, isPrivate: boolean) => root.channels.create({ name, private: isPrivate })
    const [left, kept] = [await make('left', true), await make('kept', true)]
    const [closed, archived] = [await make('closed', false), await make('archived', false)]
    for (const { id } of [left, kept]) await root.channels.addMember({ channel_id: id, member_id: ada.id })
    const link = await linkOf(cast, { channel_ids: [left, kept, closed, archived].map(({ id }) => id) })
    await root.channels.leave({ channel_id: left.id })
    await root.channels.update({ id: closed.id, private: true })
    await root.channels.delete({ id: archived.id })
    const newcomer = await clientOf(cast, await join(cast, { link: (await askToJoin(cast, link.secret, unique()))! }))
    const joined = (await newcomer.channels.list({ joined: true })).data.map(({ name }) => name)
    expect(joined.filter((name) => name !== 'general')).toEqual(['kept'])

    // A guest who would be in none of them is not let in.
    const guests = await linkOf(cast, { role: 'guest', channel_ids: [kept.id] })
    await root.channels.leave({ channel_id: kept.id })
    expect(await codeOf(await join(cast, { link: (await askToJoin(cast, guests.secret, unique()))! }))).toBe(
      'link_gone',
    )
    expect(await (await tokenFor(ada.id, ['read'])).members.list({ roles: ['guest'] })).toMatchObject({
      total_count: 1,
    })
  })

  test('is refused to those who asked before the link got a new address, whether their mail was sent or not', async () => {
    await using cast = await mailWorld()
    const { root, mailbox, ask } = cast
    const link = await linkOf(cast)
    const confirmed = await askToJoin(cast, link.secret, unique())
    const waiting = unique()
    expect((await ask('/session/join', { link: link.secret, email: waiting })).status).toBe(202)
    const hidden = await root.channels.create({ name: 'hidden', private: true })
    const { url } = await root.inviteLinks.update({ id: link.id, channel_ids: [hidden.id] })
    await cast.deliver()
    expect(mailbox.to(waiting)).toEqual([])
    expect(await codeOf(await join(cast, { link: confirmed! }))).toBe('link_gone')
    expect(await codeOf(await join(cast, { link: link.secret, email: unique() }))).toBe('link_gone')
    const newcomer = await clientOf(cast, await join(cast, { link: (await askToJoin(cast, secretOf(url!), waiting))! }))
    expect((await newcomer.channels.get({ id: hidden.id })).id).toBe(hidden.id)
  })

  test('is not mailed again if the link gets a new address after the mail was refused for now', async () => {
    let whileSending: (() => Promise<unknown>) | undefined
    const mailbox = await openMailbox({
      onRcptTo(_, __, accept) {
        if (whileSending) void whileSending().then(() => accept(refusal(451, 'Try again later')))
        else accept()
      },
    })
    const cast = await mailWorld(mailbox)
    const link = await linkOf(cast)
    const email = unique()
    const hidden = await cast.root.channels.create({ name: 'hidden', private: true })
    whileSending = () => cast.root.inviteLinks.update({ id: link.id, channel_ids: [hidden.id] })
    expect((await cast.ask('/session/join', { link: link.secret, email })).status).toBe(202)
    await cast.deliver()
    whileSending = undefined
    time.advance(5 * 60_000)
    await cast.deliver()
    expect(mailbox.to(email)).toEqual([])
    await cast.server.stop()
    await mailbox.close()
  })

  test('adds nobody to a private channel that was public meanwhile, when everyone could have the link', async () => {
    await using cast = await mailWorld()
    const { root } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    const link = await linkOf(cast, { channel_ids: [secret.id] })
    await root.channels.update({ id: secret.id, private: false })
    await root.channels.update({ id: secret.id, private: true })
    const newcomer = await clientOf(cast, await join(cast, { link: (await askToJoin(cast, link.secret, unique()))! }))
    expect((await newcomer.channels.list()).data.map(({ name }) => name)).not.toContain('secret')
  })

  test('the last use is taken by one of those who confirm at the same time', async () => {
    await using cast = await mailWorld()
    const link = await linkOf(cast, { max_uses: 2 })
    const confirmed: string[] = []
    for (let count = 0; count < 6; count++) confirmed.push((await askToJoin(cast, link.secret, unique()))!)
    const answers = await Promise.all(confirmed.map((token) => join(cast, { link: token })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 410, 410, 410, 410])
    expect(await cast.root.inviteLinks.list()).toMatchObject({ data: [{ uses_count: 2 }] })
    await expectConsistent(cast.server)
  })

  test('one mail, used many times at once, makes one member', async () => {
    await using cast = await mailWorld()
    const link = await linkOf(cast)
    const email = unique()
    const [first, second] = [await askToJoin(cast, link.secret, email), await askToJoin(cast, link.secret, email)]
    const answers = await Promise.all([first, first, second, second].map((token) => join(cast, { link: token! })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 410, 410, 410])
    expect((await cast.root.members.list({ q: email })).total_count).toBe(1)
  })

  test('mails an address 5 times in a quarter of an hour', async () => {
    await using cast = await mailWorld()
    const link = await linkOf(cast)
    const ask = (email: string) => cast.ask('/session/join', { link: link.secret, email })
    const email = unique()
    for (let count = 0; count < 5; count++) expect((await ask(email)).status).toBe(202)
    const refused = await ask(email)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await ask(unique())).status).toBe(202)
  })

  test('from one network is limited, and so are all who join in a day; admins can still invite', async () => {
    await using cast = await mailWorld()
    const link = await linkOf(cast)
    const statuses: number[] = []
    for (let count = 0; count < 61; count++)
      statuses.push((await cast.ask('/session/join', { link: link.secret, email: unique() })).status)
    expect(statuses).toEqual([...Array(60).fill(202), 429])
    const ask = async () => (await cast.ask('/session/join', { link: link.secret, email: unique() })).json()
    for (let joined = 60; joined < 500; joined++) {
      if (joined % 60 === 0) time.advance(DAY / 96)
      expect(await ask()).toEqual({})
    }
    time.advance(DAY / 96)
    expect(await ask()).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('today') })
    const { data } = await cast.root.invitations.create({ emails: [unique()], role: 'member' })
    expect(data).toMatchObject([{ status: 'invited' }])
    time.advance(DAY)
    expect(await ask()).toEqual({})
  })

  test('the mail names the workspace and says nothing that someone else chose', async () => {
    await using cast = await mailWorld()
    const link = await linkOf(cast)
    await cast.ask('/session/join', { link: link.secret, email: unique(), display_name: 'Call 555' })
    await cast.deliver()
    const [mail] = cast.mailbox.mails
    expect(mail!.headers.get('subject')).toBe(`Join ${cast.slug}`)
    for (const part of [mail!.text, mail!.html]) expect(part).not.toContain('Call 555')
  })
})

const silentWorld = async () => world(await startTestServer())

describe('joining by a link, on a server without mail', () => {
  test('lets somebody in whose address the server does not know', async () => {
    const cast = await silentWorld()
    const link = await linkOf(cast, { role: 'viewer', max_uses: 1 })
    const email = unique()
    const newcomer = await clientOf(cast, await join(cast, { link: link.secret, email, display_name: 'Luca' }))
    expect(await newcomer.me.get()).toMatchObject({ role: 'viewer', author: { name: 'Luca' } })
    expect(await codeOf(await join(cast, { link: link.secret, email: unique() }))).toBe('link_gone')
  })

  test('refuses an address that the server knows, from whichever workspace', async () => {
    const cast = await silentWorld()
    const link = await linkOf(cast)
    const elsewhere = unique()
    await cast.zed.members.create({ email: elsewhere, display_name: 'Grace', role: 'admin' })
    for (const email of ['ada@example.com', ' ADA@example.com', elsewhere, elsewhere.toUpperCase()])
      expect(await codeOf(await join(cast, { link: link.secret, email }))).toBe('email_taken')
    expect(await cast.root.inviteLinks.list()).toMatchObject({ data: [{ uses_count: 0 }] })
  })

  test('of two who claim one address at the same time, in two workspaces, one gets an account', async () => {
    const cast = await silentWorld()
    const links = [await linkOf(cast), await linkOf({ root: cast.zed })]
    for (let round = 0; round < 5; round++) {
      const email = unique()
      const answers = await Promise.all([...links, ...links].map(({ secret }) => join(cast, { link: secret, email })))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    }
    await expectConsistent(cast.server)
  })

  test('the last use is taken once', async () => {
    const cast = await silentWorld()
    const link = await linkOf(cast, { max_uses: 1 })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => join(cast, { link: link.secret, email: unique() })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 410, 410, 410, 410, 410])
  })

  test('a browser that was signed in elsewhere is signed in here alone', async () => {
    const cast = await silentWorld()
    const [link, away] = [await linkOf(cast), await linkOf({ root: cast.zed })]
    const first = await join(cast, { link: away.secret, email: unique() })
    const second = await join(cast, { link: link.secret, email: unique() }, { Cookie: cookieOf(first) })
    expect(second.status).toBe(201)
    const old = await send(cast.baseUrl, 'POST', '/session/token', {}, { Cookie: cookieOf(first) })
    expect(old.status).toBe(401)
  })
})

describe('POST /session/join', () => {
  test('is for pages of this server, and refuses other bodies, without repeating a secret', async () => {
    const cast = await silentWorld()
    const link = await linkOf(cast)
    const other = await join(
      cast,
      { link: link.secret, email: unique() },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    )
    expect(other.status).toBe(403)
    const secret = `parley_${'S'.repeat(43)}`
    const bodies = [
      {},
      { link: secret, email: unique() },
      { link: secret, email: secret },
      { link: link.secret },
      { link: link.secret, email: 'a@b' },
      { link: link.secret, email: unique(), role: 'admin' },
      { link: link.secret, email: unique(), display_name: '\u202E' },
    ]
    const answers = []
    for (const body of bodies) answers.push(await join(cast, body))
    expect(answers.map(({ status }) => status)).toEqual([422, 410, 410, 422, 422, 422, 422])
    for (const answer of answers) expect(await answer.text()).not.toContain('SSSS')
    expect(await cast.root.inviteLinks.list()).toMatchObject({ data: [{ uses_count: 0 }] })
  })
})
