import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createClient } from '../client'
import { expectInvalid, expectRefused } from '../expectations'
import { problem } from '../http/wire'
import { time } from '../server'
import { choosePassword, linkFor, secretOf, send, signedIn } from '../session/browser'
import { type Person, type World, world } from '../world'

// Checking a password is slow on purpose.
setDefaultTimeout(300_000)

const [REAL, PLANTED, THIRD] = ['correct horse', 'planted by mallory', 'battery staple']
const HOUR = 60 * 60_000

/** A member of two workspaces with different admins: `here` and `there`. */
async function person() {
  const [here, there] = [await world(), await world()]
  const email = `eve+${crypto.randomUUID()}@example.com`
  const join = async (cast: World): Promise<Person> => {
    const { id } = await cast.root.members.create({ email, display_name: 'Eve', role: 'member' })
    return cast.tokenFor(id, ['admin'])
  }
  return { here, there, email, join }
}

const signIn = (cast: World, email: string, password: string, workspace?: string) =>
  send(cast.baseUrl, 'POST', '/session', { email, password, ...(workspace && { workspace }) })

const opens = async (cast: World, email: string, password: string) => {
  const { status } = await signIn(cast, email, password, cast.slug)
  return status === 201
}

/** Signs in as a member by a new sign-in link, as the admin of their workspace can. */
const impersonate = async (cast: World, who: Person) => {
  const { url } = await cast.root.members.createSignInLink({ member_id: who.id })
  const response = await send(cast.baseUrl, 'POST', '/session', { link: secretOf(url) })
  const Cookie = response.headers.get('set-cookie')!.split(';')[0]!
  const { token } = (await (await send(cast.baseUrl, 'POST', '/session/token', {}, { Cookie })).json()) as {
    token: string
  }
  return createClient({ baseUrl: cast.baseUrl, token })
}

describe('the admin of another workspace cannot sign in here as a member', () => {
  test('by replacing the password of a person they added', async () => {
    const { here, there, email, join } = await person()
    await choosePassword(here, await join(here), REAL)
    const mallory = await impersonate(there, await join(there))

    await expectInvalid(mallory.me.setPassword({ password: PLANTED }), 'current_password')
    await expectInvalid(mallory.me.setPassword({ password: PLANTED, current_password: 'a guess' }), 'current_password')
    await mallory.me.deletePassword({})
    expect([await opens(here, email, PLANTED), await opens(here, email, REAL)]).toEqual([false, true])
    expect((await there.root.me.get()).has_password).toBe(false)
  })

  test('by setting a password before the person joins', async () => {
    const { here, there, email, join } = await person()
    const mallory = await impersonate(there, await join(there))
    await mallory.me.setPassword({ password: PLANTED })
    const eve = await join(here)

    expect([await opens(there, email, PLANTED), await opens(here, email, PLANTED)]).toEqual([true, false])
    expect(await eve.me.get()).toMatchObject({ has_password: false })
    await mallory.me.setPassword({ password: THIRD })
    expect(await opens(here, email, THIRD)).toBe(false)
    // Nor can it lock out a person who was here before.
    expect(await here.events()).not.toContain('session.ended')
  })

  test('by setting a password for a person who has none', async () => {
    const { here, there, email, join } = await person()
    const eve = await join(here)
    const session = await signedIn(here, eve)
    const link = await linkFor(here, eve)
    const mallory = await impersonate(there, await join(there))
    await mallory.me.setPassword({ password: PLANTED })
    await mallory.me.setPassword({ password: THIRD, current_password: PLANTED })

    expect([await opens(here, email, PLANTED), await opens(here, email, THIRD)]).toEqual([false, false])
    // This workspace is not affected.
    expect((await session.ask('POST', '/session/token')).status).toBe(200)
    expect((await send(here.baseUrl, 'POST', '/session/link', { link })).status).toBe(200)
  })

  test('with a new session, if the person uses the password in both workspaces', async () => {
    const { here, there, email, join } = await person()
    await choosePassword(here, await join(here), REAL)
    const eve = await join(there)
    await eve.me.setPassword({ password: REAL })
    expect([await opens(here, email, REAL), await opens(there, email, REAL)]).toEqual([true, true])

    const mallory = await impersonate(there, eve)
    await expectInvalid(mallory.me.setPassword({ password: PLANTED }), 'current_password')
    // They can remove it from their workspace, which does not affect this one.
    await mallory.me.deletePassword({})
    await expectInvalid(mallory.me.setPassword({ password: PLANTED }), 'current_password')
    expect([await opens(here, email, REAL), await opens(there, email, REAL)]).toEqual([true, false])
    expect(await here.events()).not.toContain('password.removed')
  })

  test('by setting a password while the person is deactivated here', async () => {
    const { here, there, email, join } = await person()
    const eve = await join(here)
    await choosePassword(here, eve, REAL)
    await here.root.members.update({ id: eve.id, is_deactivated: true })
    const mallory = await impersonate(there, await join(there))
    await mallory.me.setPassword({ password: PLANTED })
    await here.root.members.update({ id: eve.id, is_deactivated: false })
    expect([await opens(here, email, PLANTED), await opens(here, email, REAL)]).toEqual([false, false])
  })

  test('by changing it while the person starts to use it in another workspace', async () => {
    for (let round = 0; round < 3; round++) {
      const { here, there, email, join } = await person()
      const eve = { here: await join(here), there: await join(there) }
      await choosePassword(there, eve.there, REAL)
      const mallory = await impersonate(there, eve.there)
      const done = await Promise.allSettled([
        mallory.me.setPassword({ password: PLANTED }),
        eve.here.me.setPassword({ password: REAL }),
      ])
      const isPlanted = done[0].status === 'fulfilled'
      expect(await opens(here, email, PLANTED)).toBe(false)
      expect(await opens(here, email, REAL)).toBe(!isPlanted)
    }
  })
})

describe('one password', () => {
  test('works in the workspaces it was set in; signing in asks which one', async () => {
    const { here, there, email, join } = await person()
    const eve = { here: await join(here), there: await join(there) }
    await eve.here.me.setPassword({ password: REAL })
    expect((await (await signIn(here, email, REAL)).json()) as object).toMatchObject({ workspace: { slug: here.slug } })
    await problem(await signIn(there, email, REAL, there.slug), 'invalid_credentials')

    await expectInvalid(eve.there.me.setPassword({ password: THIRD }), 'current_password')
    await eve.there.me.setPassword({ password: REAL })
    expect([(await eve.here.me.get()).has_password, (await eve.there.me.get()).has_password]).toEqual([true, true])
    const { errors } = await problem(await signIn(here, email, REAL), 'workspace_required')
    expect(errors![0]!.choices!.sort()).toEqual([here.slug, there.slug].sort())
    await problem(await signIn(here, email, 'wrong'), 'invalid_credentials')
  })

  test('is changed in all workspaces at once, and signs out everywhere', async () => {
    const { here, there, email, join } = await person()
    const eve = { here: await join(here), there: await join(there) }
    await choosePassword(here, eve.here, REAL)
    await choosePassword(there, eve.there, REAL)
    const [current, other] = [await signedIn(here, eve.here), await signedIn(here, eve.here)]
    const away = await signedIn(there, eve.there)
    const awayToken = await away.token()
    const links = [await linkFor(here, eve.here), await linkFor(there, eve.there)]
    const before = { here: (await here.events()).length, there: (await there.events()).length }

    await here.as(await current.token()).me.setPassword({ password: THIRD, current_password: REAL })
    const sessions = [current, other, away].map(({ ask }) => ask('POST', '/session/token'))
    expect((await Promise.all(sessions)).map(({ status }) => status)).toEqual([200, 401, 401])
    await expectRefused(there.as(awayToken).me.get(), 'unauthenticated')
    for (const link of links) expect((await send(here.baseUrl, 'POST', '/session', { link })).status).toBe(410)
    expect([await opens(there, email, REAL), await opens(there, email, THIRD)]).toEqual([false, true])
    const told = ['password.changed', 'session.ended', 'sign_in_link.revoked']
    expect((await here.events()).slice(before.here)).toEqual(told)
    expect((await there.events()).slice(before.there, before.there + 3)).toEqual(told)
  })

  test('is required to change it if it works in several workspaces, even in a new session', async () => {
    const { here, there, email, join } = await person()
    const eve = { here: await join(here), there: await join(there) }
    await choosePassword(here, eve.here, REAL)
    await choosePassword(there, eve.there, REAL)
    const fresh = here.as(await (await signedIn(here, eve.here)).token())
    await expectInvalid(fresh.me.setPassword({ password: THIRD }), 'current_password')

    // Who has forgotten it removes it in each workspace, using a link of its admin, and sets another.
    await fresh.me.deletePassword({})
    await there.as(await (await signedIn(there, eve.there)).token()).me.deletePassword({})
    expect([await opens(here, email, REAL), await opens(there, email, REAL)]).toEqual([false, false])
    await fresh.me.setPassword({ password: THIRD })
    expect([await opens(here, email, THIRD), await opens(there, email, THIRD)]).toEqual([true, false])
  })

  test('has one limit of attempts for all workspaces', async () => {
    const { here, there, email, join } = await person()
    await choosePassword(here, await join(here), REAL)
    const eve = await join(there)
    const told: string[] = []
    for (let guess = 0; guess < 6; guess++) {
      told.push(await eve.me.setPassword({ password: `a guess ${guess}` }).catch(({ code }) => code))
      told.push(((await (await signIn(here, email, 'wrong')).json()) as { code: string }).code)
    }
    expect(told.filter((code) => code === 'rate_limited')).toHaveLength(2)
    time.advance(HOUR)
    await eve.me.setPassword({ password: REAL })
  })

  test('can be changed from several workspaces concurrently without a deadlock', async () => {
    const { here, there, email, join } = await person()
    const eve = { here: await join(here), there: await join(there) }
    for (let round = 0; round < 3; round++) {
      const start = `start ${round} ${email}`
      await choosePassword(here, eve.here, start)
      await choosePassword(there, eve.there, start)
      const changes = [
        eve.here.me.setPassword({ password: `here ${round} ${email}`, current_password: start }),
        eve.there.me.setPassword({ password: `there ${round} ${email}`, current_password: start }),
      ]
      const done = (await Promise.allSettled(changes)).map(({ status }) => status)
      expect(done.sort()).toEqual(['fulfilled', 'rejected'])
    }
  })
})
