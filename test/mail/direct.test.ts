import { describe, expect, test } from 'bun:test'
import { createClient } from '../client'
import { time } from '../server'
import { choosePassword, signedIn } from '../session/browser'
import { mailWorld, tokenIn } from './world'

const HOUR = 60 * 60 * 1000

describe('invitations', () => {
  test('a new member gets one, whose link signs them in once', async () => {
    await using cast = await mailWorld()
    await cast.root.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'member' })
    await cast.deliver()
    const [mail] = cast.mailbox.to('eve@example.com')
    expect(mail!.headers.get('subject')).toBe(`Join ${cast.slug}`)
    expect(mail!.headers.get('from')).toBe('Parley <parley@example.com>')
    expect(mail!.html).toContain('Accept invitation')
    const link = tokenIn(mail!.text)
    expect(tokenIn(mail!.html.replaceAll('"', ' '))).toBe(link)
    expect(await (await cast.ask('/session/link', { link })).json()).toMatchObject({ email: 'eve@example.com' })
    expect((await cast.ask('/session', { link })).status).toBe(201)
    expect((await cast.ask('/session', { link })).status).toBe(410)
  })

  test('it can be sent again, and not to someone who was deactivated meanwhile', async () => {
    await using cast = await mailWorld()
    await cast.root.members.sendInvitation({ member_id: cast.ada.id })
    await cast.deliver()
    expect(cast.mailbox.to('ada@example.com')).toHaveLength(1)
    await cast.root.members.sendInvitation({ member_id: cast.bob.id })
    await cast.root.members.update({ id: cast.bob.id, is_deactivated: true })
    await cast.deliver()
    expect(cast.mailbox.to('bob@example.com')).toEqual([])
    expect((await cast.ask('/session', { link: tokenIn(cast.mailbox.to('ada@example.com')[0]!.text) })).status).toBe(
      201,
    )
    await expect(cast.ada.members.sendInvitation({ member_id: cast.bob.id })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('it is sent again three times in a quarter of an hour to a member, and sixty times in a workspace', async () => {
    await using cast = await mailWorld()
    const { root, ada, bob, vic, zed, raw } = cast
    const send = (who: typeof root, member_id: string) =>
      who.members.sendInvitation({ member_id }).then(
        () => 'sent',
        ({ code }) => code,
      )
    for (const answer of ['sent', 'sent', 'sent', 'rate_limited', 'rate_limited'])
      expect(await send(root, ada.id)).toBe(answer)
    const refused = await raw(root, `/v2/members/${ada.id}/invitation`, { method: 'POST' })
    expect([refused.status, Number(refused.headers.get('retry-after')) > 800]).toEqual([429, true])
    expect(await send(root, bob.id)).toBe('sent')
    // Who may not send any uses up nothing.
    for (const who of [zed, vic, ada]) expect(await send(who, bob.id)).not.toBe('sent')
    for (const answer of ['sent', 'sent', 'rate_limited']) expect(await send(root, bob.id)).toBe(answer)
    await cast.deliver()
    expect([cast.mailbox.to('ada@example.com').length, cast.mailbox.to('bob@example.com').length]).toEqual([3, 3])

    const others = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        root.members.create({ email: `other${at}@example.com`, display_name: 'Other', role: 'member' }),
      ),
    )
    const answers = []
    for (const { id } of others) for (let time = 0; time < 3; time++) answers.push(await send(root, id))
    // Six were sent before, and refused ones count, too.
    expect(answers.filter((answer) => answer === 'sent').length).toBeLessThanOrEqual(54)
    expect(answers.filter((answer) => answer === 'sent').length).toBeGreaterThan(40)
    expect(answers.at(-1)).toBe('rate_limited')
    // A reset of the same address is not affected, and time heals.
    expect((await cast.ask('/session/mail', { kind: 'password_reset', email: 'ada@example.com' })).status).toBe(202)
    time.advance(HOUR / 4)
    expect(await send(root, ada.id)).toBe('sent')
  })

  test('it is sent once for each idempotency key, and repetitions are answered alike and not counted', async () => {
    await using cast = await mailWorld()
    const { root, ada, raw } = cast
    const send = (key: string) =>
      raw(root, `/v2/members/${ada.id}/invitation`, { method: 'POST', headers: { 'Idempotency-Key': key } })
    const answers = []
    for (const key of ['a', 'a', 'a', 'a', 'a', 'b', 'c', 'd', 'a']) {
      const { status, headers } = await send(key)
      answers.push(`${status}${headers.has('idempotency-replayed') ? ' again' : ''}`)
    }
    expect(answers).toEqual(['204', ...Array(4).fill('204 again'), '204', '204', '429', '204 again'])
    await cast.deliver()
    expect(cast.mailbox.to('ada@example.com')).toHaveLength(3)
  })

  test('its link ends when the member is deactivated', async () => {
    await using cast = await mailWorld()
    await cast.root.members.sendInvitation({ member_id: cast.ada.id })
    await cast.deliver()
    await cast.root.members.update({ id: cast.ada.id, is_deactivated: true })
    await cast.root.members.update({ id: cast.ada.id, is_deactivated: false })
    expect((await cast.ask('/session', { link: tokenIn(cast.mailbox.mails[0]!.text) })).status).toBe(410)
  })
})

describe('password reset', () => {
  test('the link sets a password once, ends all sessions, and the answer is the same for everyone', async () => {
    await using cast = await mailWorld()
    await choosePassword(cast, cast.ada, 'an old password')
    const browser = await signedIn(cast, cast.ada)
    const token = await browser.token()
    const answers = []
    for (const email of ['ada@example.com', 'nobody@example.com'])
      answers.push(await cast.ask('/session/mail', { kind: 'password_reset', email }))
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(await answers[0]!.text()).toBe(await answers[1]!.text())
    await cast.deliver()
    expect(cast.mailbox.mails.flatMap(({ to }) => to)).toEqual(['ada@example.com'])

    const link = tokenIn(cast.mailbox.mails[0]!.text)
    expect(await (await cast.ask('/session/password', { link })).json()).toEqual({ email: 'ada@example.com' })
    const same = await cast.ask('/session/password', { link, password: 'ada@example.com' })
    expect(same.status).toBe(422)
    expect((await cast.ask('/session/password', { link, password: 'a new password' })).status).toBe(200)
    expect((await cast.ask('/session/password', { link, password: 'another password' })).status).toBe(410)
    expect((await browser.ask('POST', '/session/token')).status).toBe(401)
    await expect(createClient({ baseUrl: cast.baseUrl, token }).me.get()).rejects.toMatchObject({ status: 401 })
    const signIn = (password: string) =>
      cast.ask('/session', { workspace: cast.slug, email: 'ada@example.com', password })
    expect((await signIn('an old password')).status).toBe(401)
    expect((await signIn('a new password')).status).toBe(201)
  })

  test('the link expires after an hour, and a mail that is an hour late is not sent', async () => {
    await using cast = await mailWorld()
    await cast.ask('/session/mail', { kind: 'password_reset', email: 'ada@example.com' })
    await cast.deliver()
    time.advance(HOUR + 1)
    const link = tokenIn(cast.mailbox.mails[0]!.text)
    expect((await cast.ask('/session/password', { link, password: 'a new password' })).status).toBe(410)
    await cast.ask('/session/mail', { kind: 'password_reset', email: 'bob@example.com' })
    time.advance(HOUR + 1)
    await cast.deliver()
    expect(cast.mailbox.to('bob@example.com')).toEqual([])
  })

  test('a changed password ends links that were mailed before, and too many requests are refused', async () => {
    await using cast = await mailWorld()
    await cast.ask('/session/mail', { kind: 'password_reset', email: 'ada@example.com' })
    await cast.deliver()
    await cast.ada.me.setPassword({ password: 'correct horse' })
    const link = tokenIn(cast.mailbox.mails[0]!.text)
    expect((await cast.ask('/session/password', { link, password: 'a new password' })).status).toBe(410)
    for (let time = 0; time < 4; time++)
      await cast.ask('/session/mail', { kind: 'sign_in_link', email: 'ada@example.com' })
    const refused = await cast.ask('/session/mail', { kind: 'sign_in_link', email: 'ada@example.com' })
    expect(refused.status).toBe(429)
    expect((await cast.ask('/session/mail', { kind: 'sign_in_link', email: 'not an address' })).status).toBe(422)
  })

  test('without a mail server there is none, and the pages can tell', async () => {
    const { startTestServer } = await import('../server')
    const { send } = await import('../session/browser')
    const server = await startTestServer()
    const options = await send(server.url, 'GET', '/session/options')
    expect(await options.json()).toEqual({ is_mail_configured: false })
    const refused = await send(server.url, 'POST', '/session/mail', { kind: 'sign_in_link', email: 'ada@example.com' })
    expect(await refused.json()).toMatchObject({ code: 'mail_not_configured' })
    await server.stop()
  })
})

describe('sign-in links on request', () => {
  test('one link for each workspace, each works once, all end when one was used', async () => {
    await using cast = await mailWorld()
    await cast.zed.members.create({ email: 'ada@example.com', display_name: 'Ada', role: 'member' })
    await cast.deliver()
    cast.mailbox.mails.length = 0
    await cast.ask('/session/mail', { kind: 'sign_in_link', email: 'ADA@example.com' })
    await cast.ask('/session/mail', { kind: 'sign_in_link', email: 'ada@example.com' })
    await cast.deliver()
    const [first, second] = cast.mailbox.mails
    const links = [...first!.text.matchAll(/#token=(\S+)/g)].map(([, token]) => token!)
    expect(links).toHaveLength(2)
    const { member, workspace } = await (await cast.ask('/session', { link: links[0] })).json()
    expect([member.name, workspace.slug]).toEqual(['Ada Lovelace', cast.slug])
    expect((await cast.ask('/session', { link: tokenIn(second!.text) })).status).toBe(410)
    expect((await cast.ask('/session', { link: links[1] })).status).toBe(201)
  })
})
