import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createClient } from '../client'
import { choosePassword, secretOf, send, signedIn } from '../session/browser'
import { mailWorld, tokenIn } from './world'

// Hashing a password is slow on purpose.
setDefaultTimeout(300_000)

const NAME = 'Call 555 0100'
const WORKSPACE = 'evil.example'

type Cast = Awaited<ReturnType<typeof mailWorld>>

/** Zed, the admin of another workspace, adds someone under a name of his choice. */
async function addAway({ zed, deliver, mailbox }: Cast, email: string) {
  await zed.workspace.update({ name: WORKSPACE })
  const member = await zed.members.create({ email, display_name: NAME, role: 'member' })
  await deliver()
  const mails = [...mailbox.mails]
  mailbox.mails.length = 0
  return { member, mails }
}

/** Signs in as someone by a link that the admin of their workspace made. */
async function impersonate({ baseUrl }: Cast, admin: Cast['root'], member_id: string) {
  const { url } = await admin.members.createSignInLink({ member_id })
  const response = await send(baseUrl, 'POST', '/session', { link: secretOf(url) })
  const Cookie = response.headers.get('set-cookie')!.split(';')[0]!
  const page = await send(baseUrl, 'POST', '/session/token', {}, { Cookie })
  return createClient({ baseUrl, token: ((await page.json()) as { token: string }).token })
}

describe('a mail', () => {
  test('to reset a password, to sign in or to change an address says nothing that someone else chose', async () => {
    await using cast = await mailWorld()
    const { ask, deliver, mailbox, zed } = cast
    const { member } = await addAway(cast, 'eve@example.com')
    const eve = await impersonate(cast, zed, member.id)
    await eve.me.changeEmail({ email: 'new@example.com' })
    await ask('/session/mail', { kind: 'password_reset', email: 'eve@example.com' })
    await ask('/session/mail', { kind: 'sign_in_link', email: 'eve@example.com' })
    await deliver()

    const subjects = mailbox.mails.map(({ headers }) => headers.get('subject'))
    expect(subjects.sort()).toEqual([
      'Confirm your new e-mail address',
      'Reset your password',
      'Your e-mail address is being changed',
      'Your sign-in link',
    ])
    // What is searched for has a space or a dot: secrets and boundaries are random letters and digits.
    for (const { raw, text, html } of mailbox.mails)
      for (const part of [raw.replaceAll('=\r\n', ''), text, html])
        for (const chosen of ['555 0100', WORKSPACE, 'Call 555']) expect(part).not.toContain(chosen)
  })

  test('to sign in to several workspaces tells them apart by their short names', async () => {
    await using cast = await mailWorld()
    await addAway(cast, 'ada@example.com')
    await cast.root.workspace.update({ name: WORKSPACE })
    await cast.ask('/session/mail', { kind: 'sign_in_link', email: 'ada@example.com' })
    await cast.deliver()
    const { text } = cast.mailbox.mails[0]!
    expect(text).toContain(`Sign in to ${cast.slug}:`)
    expect(text).toContain(`Sign in to ${cast.slug}-away:`)
    expect(text).not.toContain(WORKSPACE)
  })

  test('that invites names the workspace, and nothing else', async () => {
    await using cast = await mailWorld()
    const { mails } = await addAway(cast, 'eve@example.com')
    const [{ headers, text, html }] = mails as [(typeof mails)[0]]
    expect(headers.get('subject')).toBe(`Join ${WORKSPACE}`)
    for (const part of [text, html]) {
      expect(part).toContain(WORKSPACE)
      expect(part).not.toContain('555 0100')
    }
  })
})

describe('a link to reset a password', () => {
  /** Ada is in two workspaces; the admin of either may end or change her membership there. */
  async function worldWithLink() {
    const cast = await mailWorld()
    const { member } = await addAway(cast, 'ada@example.com')
    await cast.ask('/session/mail', { kind: 'password_reset', email: 'ada@example.com' })
    await cast.deliver()
    const link = tokenIn(cast.mailbox.mails.at(-1)!.text)
    const opens = async (workspace: string, password: string) =>
      (await cast.ask('/session', { email: 'ada@example.com', password, workspace })).status === 201
    return {
      ...cast,
      away: member,
      reset: (password: string) => cast.ask('/session/password', { link, password }),
      inspect: () => cast.ask('/session/password', { link }),
      opened: async (password: string) => ({
        here: await opens(cast.slug, password),
        away: await opens(`${cast.slug}-away`, password),
      }),
    }
  }

  test('shows the address, and no name: a person has one in each workspace', async () => {
    await using cast = await worldWithLink()
    expect(await (await cast.inspect()).json()).toEqual({ email: 'ada@example.com' })
    expect((await cast.reset('a new password')).status).toBe(200)
    expect(await cast.opened('a new password')).toEqual({ here: true, away: true })
  })

  test.each(['here', 'away'] as const)(
    'survives that the member is deactivated %s, and opens the other workspace alone',
    async (where) => {
      await using cast = await worldWithLink()
      const admin = where === 'here' ? cast.root : cast.zed
      const id = where === 'here' ? cast.ada.id : cast.away.id
      await admin.members.update({ id, is_deactivated: true })
      expect((await cast.inspect()).status).toBe(200)
      // Reactivation revives nothing, as for other links.
      await admin.members.update({ id, is_deactivated: false })
      expect((await cast.reset('a new password')).status).toBe(200)
      expect(await cast.opened('a new password')).toEqual({ here: where !== 'here', away: where !== 'away' })
    },
  )

  test('ends when the last membership is deactivated', async () => {
    await using cast = await worldWithLink()
    await cast.root.members.update({ id: cast.ada.id, is_deactivated: true })
    await cast.zed.members.update({ id: cast.away.id, is_deactivated: true })
    expect((await cast.inspect()).status).toBe(410)
    await cast.root.members.update({ id: cast.ada.id, is_deactivated: false })
    expect((await cast.reset('a new password')).status).toBe(410)
  })

  test('survives that an admin chooses a password as the member, in a workspace of their own', async () => {
    await using cast = await worldWithLink()
    const mallory = await impersonate(cast, cast.zed, cast.away.id)
    await mallory.me.setPassword({ password: 'planted by mallory' })
    await mallory.me.setPassword({ password: 'planted again', current_password: 'planted by mallory' })
    await mallory.me.deletePassword({ current_password: 'planted again' })
    await mallory.me.setPassword({ password: 'planted at last' })
    expect((await cast.reset('a new password')).status).toBe(200)
    expect((await cast.opened('a new password')).here).toBe(true)
    expect(await cast.opened('planted at last')).toEqual({ here: false, away: false })
  })

  test('survives that an admin changes the address of the member in a workspace of their own', async () => {
    await using cast = await worldWithLink()
    const mallory = await impersonate(cast, cast.zed, cast.away.id)
    await mallory.me.changeEmail({ email: 'mallory@example.com' })
    await cast.deliver()
    const confirm = tokenIn(cast.mailbox.to('mallory@example.com')[0]!.text)
    expect((await cast.ask('/session/email', { link: confirm, confirm: true })).status).toBe(200)
    expect((await cast.reset('a new password')).status).toBe(200)
    expect(await cast.opened('a new password')).toEqual({ here: true, away: false })
    const stolen = await cast.ask('/session', { email: 'mallory@example.com', password: 'a new password' })
    expect(stolen.status).toBe(401)
  })

  test('does not open a workspace that the person was added to since', async () => {
    await using cast = await mailWorld()
    await cast.ask('/session/mail', { kind: 'password_reset', email: 'ada@example.com' })
    await cast.deliver()
    const link = tokenIn(cast.mailbox.mails.at(-1)!.text)
    await addAway(cast, 'ada@example.com')
    expect((await cast.ask('/session/password', { link, password: 'a new password' })).status).toBe(200)
    const signIn = await cast.ask('/session', { email: 'ada@example.com', password: 'a new password' })
    expect(((await signIn.json()) as { workspace: { slug: string } }).workspace.slug).toBe(cast.slug)
  })

  test('ends when the address is changed, and when a password is chosen where it opens', async () => {
    await using cast = await worldWithLink()
    // The one of the workspace it was chosen in.
    await cast.ada.me.setPassword({ password: 'chosen by ada' })
    expect((await cast.inspect()).status).toBe(200)
    const away = await impersonate(cast, cast.zed, cast.away.id)
    await away.me.setPassword({ password: 'chosen by ada' })
    await cast.ada.me.setPassword({ password: 'chosen again', current_password: 'chosen by ada' })
    expect((await cast.inspect()).status).toBe(410)

    await using other = await worldWithLink()
    await choosePassword(other, other.ada, 'correct horse')
    for (const [who, id] of [
      [other.root, other.ada.id],
      [other.zed, other.away.id],
    ] as const) {
      const page =
        who === other.root
          ? other.as(await (await signedIn(other, other.ada)).token())
          : await impersonate(other, who, id)
      const email = `moved-${id}@example.com`
      await page.me.changeEmail({ email })
      await other.deliver()
      const confirm = tokenIn(other.mailbox.to(email)[0]!.text)
      expect((await other.ask('/session/email', { link: confirm, confirm: true })).status).toBe(200)
    }
    expect((await other.reset('a new password')).status).toBe(410)
  })
})
