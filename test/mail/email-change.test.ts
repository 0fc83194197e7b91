import { describe, expect, test } from 'bun:test'
import { choosePassword, signedIn } from '../session/browser'
import { mailWorld, tokenIn } from './world'

describe('changing the e-mail address', () => {
  test('without the password it changes here alone; with it, wherever the password opens', async () => {
    await using cast = await mailWorld()
    const { ada, zed, deliver, mailbox, ask, root } = cast
    const away = await zed.members.create({ email: 'ada@example.com', display_name: 'Ada', role: 'member' })
    await deliver()
    const userId = (await root.members.get({ id: ada.id })).user.id
    const change = async (email: string, current_password?: string) => {
      mailbox.mails.length = 0
      await ada.me.changeEmail({ email, ...(current_password && { current_password }) })
      await deliver()
      return tokenIn(mailbox.to(email)[0]!.text)
    }
    const emails = async () => [
      (await root.members.get({ id: ada.id })).user.email,
      (await zed.members.get({ id: away.id })).user.email,
    ]
    const link = await change('one@example.com')
    expect(mailbox.to('ada@example.com')).toHaveLength(1)
    expect(await ada.me.getEmail()).toEqual({ email: 'ada@example.com', pending_email: 'one@example.com' })
    expect(await emails()).toEqual(['ada@example.com', 'ada@example.com'])
    expect((await ask('/session/email', { link, confirm: true })).status).toBe(200)
    expect((await ask('/session/email', { link, confirm: true })).status).toBe(410)
    expect(await emails()).toEqual(['one@example.com', 'ada@example.com'])
    // The ids stay.
    expect((await zed.members.get({ id: away.id })).user.id).toBe(away.user.id)
    expect((await root.members.list({ q: 'one@example' })).data[0]!.user.id).toBe(userId)
    expect((await root.members.list({ q: 'one@example' })).total_count).toBe(1)

    await choosePassword(cast, ada, 'correct horse')
    await expect(ada.me.changeEmail({ email: 'two@example.com' })).rejects.toMatchObject({ code: 'invalid_input' })
    const second = await change('two@example.com', 'correct horse')
    const superseding = await change('three@example.com', 'correct horse')
    expect((await ask('/session/email', { link: second, confirm: true })).status).toBe(410)
    await root.members.create({ email: 'three@example.com', display_name: 'Three', role: 'member' })
    const taken = await ask('/session/email', { link: superseding, confirm: true })
    expect(await taken.json()).toMatchObject({ code: 'email_taken' })
    const fourth = await change('four@example.com', 'correct horse')
    expect((await ask('/session/email', { link: fourth, confirm: true })).status).toBe(200)
    const signIn = await ask('/session', { email: 'four@example.com', password: 'correct horse' })
    expect(signIn.status).toBe(201)
    await expect(
      ada.me.changeEmail({ email: 'three@example.com', current_password: 'correct horse' }),
    ).rejects.toMatchObject({
      code: 'email_taken',
    })
  })

  test('a new password, a cancellation and a deactivation end it', async () => {
    await using cast = await mailWorld()
    const { ada, root, deliver, mailbox, ask } = cast
    const ends: (() => Promise<unknown>)[] = [
      () => ada.me.cancelEmailChange(),
      () => ada.me.setPassword({ password: 'correct horse' }),
      () => root.members.update({ id: ada.id, is_deactivated: true }),
    ]
    for (const [at, end] of ends.entries()) {
      await ada.me.changeEmail({ email: `n${at}@example.com`, ...(at === 2 && { current_password: 'correct horse' }) })
      await deliver()
      await end()
      const link = tokenIn(mailbox.to(`n${at}@example.com`)[0]!.text)
      expect((await ask('/session/email', { link, confirm: true })).status).toBe(410)
    }
  })

  test('without the password, a password of other workspaces stays with the old address', async () => {
    await using cast = await mailWorld()
    const { ada, zed, deliver, mailbox, ask } = cast
    await zed.members.create({ email: 'ada@example.com', display_name: 'Ada', role: 'member' })
    await choosePassword(cast, ada, 'correct horse')
    await deliver()
    await ask('/session/mail', { email: 'ada@example.com', kind: 'password_reset' })
    await deliver()
    const reset = tokenIn(mailbox.to('ada@example.com').at(-1)!.text)
    expect((await ask('/session/password', { link: reset, password: 'battery staple' })).status).toBe(200)

    // An admin can sign in as anyone here, and must not get a copy of the password to guess at.
    const browser = await signedIn(cast, ada)
    await cast.as(await browser.token()).me.changeEmail({ email: 'mallory@example.com' })
    await deliver()
    const confirm = tokenIn(mailbox.to('mallory@example.com')[0]!.text)
    expect((await ask('/session/email', { link: confirm, confirm: true })).status).toBe(200)
    const signIn = (email: string) => ask('/session', { email, password: 'battery staple' })
    expect((await signIn('mallory@example.com')).status).toBe(401)
    expect((await signIn('ada@example.com')).status).toBe(201)
    expect((await ada.me.get()).has_password).toBe(false)
  })

  test('nobody can be flooded with links to confirm, by one member or by several', async () => {
    await using cast = await mailWorld()
    const { ada, bob, root } = cast
    const ask = (who: typeof ada, email: string) => who.me.changeEmail({ email }).then(() => 'sent', codeOf)
    const asked = []
    for (let time = 0; time < 6; time++) asked.push(await ask(ada, 'victim@example.com'))
    expect(asked).toEqual([...Array(5).fill('sent'), 'rate_limited'])
    expect(await ask(bob, 'victim@example.com')).toBe('rate_limited')
    const others = []
    for (let time = 0; time < 11; time++) others.push(await ask(root, `victim${time}@example.com`))
    expect(others).toEqual([...Array(10).fill('sent'), 'rate_limited'])
  })
})

const codeOf = (problem: { code: string }) => problem.code
