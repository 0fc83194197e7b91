import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { throttleAttempt, throttleByEmail } from '../../src/accounts/throttle'
import { expectInvalid, expectRefused } from '../expectations'
import { time } from '../server'
import { choosePassword, send, signedIn } from '../session/browser'
import { type World, world } from '../world'

// Checking a password is slow on purpose.
setDefaultTimeout(300_000)

const MINUTE = 60_000
const [FIRST, SECOND] = ['correct horse', 'battery staple']

/** Root has a different address in every world; the others share theirs, and so their password. */
const emailOf = ({ slug }: World) => `root@${slug}.example.com`

const canSignIn = async (cast: World, password: string) =>
  (await send(cast.baseUrl, 'POST', '/session', { email: emailOf(cast), password })).status === 201

describe('me.setPassword', () => {
  test('sets a password to sign in with; changing it requires the current one', async () => {
    const cast = await world()
    const { root, events } = cast
    expect(await root.me.get()).toMatchObject({ has_password: false })
    await root.me.setPassword({ password: FIRST })
    expect(await root.me.get()).toMatchObject({ has_password: true })
    await expectInvalid(root.me.setPassword({ password: SECOND }), 'current_password')
    await expectInvalid(root.me.setPassword({ password: SECOND, current_password: 'no' }), 'current_password')
    await root.me.setPassword({ password: SECOND, current_password: FIRST })
    expect(await events()).toEqual(['password.changed', 'password.changed'])
    expect([await canSignIn(cast, FIRST), await canSignIn(cast, SECOND)]).toEqual([false, true])
  })

  test('signs out all other browsers', async () => {
    const cast = await world()
    const [here, there] = [await signedIn(cast, cast.root), await signedIn(cast, cast.root)]
    const [bob, token] = [await signedIn(cast, cast.bob), await there.token()]
    await cast.as(await here.token()).me.setPassword({ password: FIRST })
    await expectRefused(cast.as(token).me.get(), 'unauthenticated')
    const still = await Promise.all(
      [here, there, bob].map(async ({ ask }) => (await ask('POST', '/session/token')).status),
    )
    expect(still).toEqual([200, 401, 200])
    expect((await cast.events()).slice(3)).toEqual(['password.changed', 'session.ended'])
    expect((await cast.root.tokens.listMine()).total_count).toBe(1)
  })

  test('the old password is not required right after signing in', async () => {
    const cast = await world()
    await choosePassword(cast, cast.root, FIRST)
    const { token } = await signedIn(cast, cast.root)
    time.advance(11 * MINUTE)
    const late = cast.as(await token())
    await expectInvalid(late.me.setPassword({ password: SECOND }), 'current_password')
    await expectInvalid(late.me.deletePassword({}), 'current_password')
    const now = cast.as(await (await signedIn(cast, cast.root)).token())
    await now.me.setPassword({ password: SECOND })
    expect(await canSignIn(cast, SECOND)).toBe(true)
  })

  test('attempts to guess the old password are limited', async () => {
    const cast = await world()
    await choosePassword(cast, cast.root, FIRST)
    const { engine, clock } = cast.server.parley
    for (let guess = 0; guess < 8; guess++) await throttleAttempt(engine, [throttleByEmail(emailOf(cast))], clock())
    const codes = await Promise.all(
      Array.from({ length: 4 }, () =>
        cast.root.me.setPassword({ password: SECOND, current_password: 'guess' }).catch(({ code }) => code as string),
      ),
    )
    expect(codes.sort()).toEqual(['invalid_input', 'invalid_input', 'rate_limited', 'rate_limited'])
    await expectRefused(cast.root.me.setPassword({ password: SECOND, current_password: FIRST }), 'rate_limited')
    expect(await canSignIn(cast, SECOND)).toBe(false)
  })

  test('every member is allowed, but no app and no weaker token; the password must be valid', async () => {
    const { vic, gus, bot, root, slug, tokenFor } = await world()
    for (const who of [vic, gus]) await who.me.setPassword({ password: FIRST })
    const app = await tokenFor(bot.id, ['admin'])
    await expectRefused(app.me.setPassword({ password: FIRST }), 'forbidden')
    await expectRefused(app.me.deletePassword({}), 'forbidden')
    const writer = await tokenFor(root.id, ['write'])
    await expectRefused(writer.me.setPassword({ password: FIRST }), 'insufficient_scope')
    for (const password of ['', 'seven c', 'x'.repeat(201), `Root@${slug}.example.com`, undefined as never])
      await expectInvalid(root.me.setPassword({ password }), 'password')
    expect(await root.me.get()).toMatchObject({ has_password: false })
  })
})

describe('me.deletePassword', () => {
  test('removes the password if the caller knows it; sign-in links still work', async () => {
    const cast = await world()
    const { root, bot, events } = cast
    await root.me.deletePassword({})
    await choosePassword(cast, root, FIRST)
    await expectInvalid(root.me.deletePassword({}), 'current_password')
    await expectInvalid(root.me.deletePassword({ current_password: SECOND }), 'current_password')
    await root.me.deletePassword({ current_password: FIRST })
    expect([await canSignIn(cast, FIRST), (await root.me.get()).has_password]).toEqual([false, false])
    await expectRefused(bot.me.deletePassword({}), 'insufficient_scope')
    expect(await events()).toEqual(['password.removed'])
  })
})
