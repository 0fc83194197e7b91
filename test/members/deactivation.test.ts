import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { expectConsistent } from '../consistency'
import { expectRefused } from '../expectations'
import { startTestServer } from '../server'
import { choosePassword, linkFor, send, signedIn } from '../session/browser'
import { type World, world } from '../world'

setDefaultTimeout(300_000)

const PASSWORD = 'correct horse'

/** All credentials that a member can have. */
async function waysIn(cast: World) {
  const { ada, root, baseUrl, slug } = cast
  const browser = await signedIn(cast, ada)
  const pageToken = await browser.token()
  const { token } = await ada.tokens.createMine({ scopes: ['write'] })
  await choosePassword(cast, ada, PASSWORD)
  await root.members.createSignInLink({ member_id: ada.id })
  const link = await linkFor(cast, ada)
  const body = { email: 'ada@example.com', password: PASSWORD, workspace: slug }
  const statusOf = async (response: Promise<Response>) => (await response).status
  const me = (bearer: string) => statusOf(fetch(`${baseUrl}/v2/me`, { headers: { Authorization: `Bearer ${bearer}` } }))
  return async () => ({
    'a session': await statusOf(browser.ask('POST', '/session/token')),
    'the token of its page': await me(pageToken),
    'a token of the first day': await me(ada.token),
    'a token made since': await me(token),
    'a sign-in link': await statusOf(send(baseUrl, 'POST', '/session/link', { link })),
    'a password': await statusOf(send(baseUrl, 'POST', '/session', body)),
  })
}

const everyWay = (status: { session: number; token: number; link: number; password: number }) => ({
  'a session': status.session,
  'the token of its page': status.token,
  'a token of the first day': status.token,
  'a token made since': status.token,
  'a sign-in link': status.link,
  'a password': status.password,
})

describe('deactivation', () => {
  test('revokes all credentials; reactivation restores none', async () => {
    const server = await startTestServer()
    const cast = await world(server)
    const { root, ada } = cast
    const ways = await waysIn(cast)
    expect(await ways()).toEqual(everyWay({ session: 200, token: 200, link: 200, password: 201 }))
    const over = everyWay({ session: 401, token: 401, link: 410, password: 401 })

    const before = (await cast.events()).length
    await root.members.update({ id: ada.id, is_deactivated: true })
    expect(await ways()).toEqual(over)
    await root.members.update({ id: ada.id, is_deactivated: false })
    expect(await ways()).toEqual(over)
    // One event, however many credentials there were.
    expect((await cast.events()).slice(before)).toEqual(['member.deactivated', 'member.reactivated'])
    await expectConsistent(server)

    const again = await signedIn(cast, ada)
    const back = cast.as(await again.token())
    expect((await back.tokens.listMine()).total_count).toBe(0)
    expect((await back.sessions.list()).total_count).toBe(1)
    await back.me.setPassword({ password: PASSWORD })
    await server.stop()
  })

  test('closes open streams at once, on every server', async () => {
    const one = await startTestServer()
    const other = await startTestServer({ DATABASE_URL: one.config.databaseUrl })
    const cast = await world(one)
    const page = await (await signedIn(cast, cast.ada)).token()
    const open = [one, other].flatMap(({ url }) =>
      [cast.ada.token, page].map(async (token) => {
        const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' }
        return (await fetch(`${url}/v2/events`, { headers })).text()
      }),
    )
    await Bun.sleep(100)
    await cast.root.members.update({ id: cast.ada.id, is_deactivated: true })
    await Promise.all(open)
    await Promise.all([one.stop(), other.stop()])
  })

  test('does not affect other members', async () => {
    const cast = await world()
    const browser = await signedIn(cast, cast.bob)
    const link = await linkFor(cast, cast.gus)
    await cast.root.members.update({ id: cast.ada.id, is_deactivated: true })
    expect((await browser.ask('POST', '/session/token')).status).toBe(200)
    expect((await cast.bob.me.get()).author.id).toBe(cast.bob.id)
    expect((await send(cast.baseUrl, 'POST', '/session/link', { link })).status).toBe(200)
    // Other changes revoke nothing.
    await cast.root.members.update({ id: cast.bob.id, role: 'viewer', is_deactivated: false })
    expect((await cast.bob.me.get()).role).toBe('viewer')
  })

  test('prevents concurrent sign-ins', async () => {
    const cast = await world()
    for (let round = 0; round < 4; round++) {
      const { id } = await cast.root.members.create({
        email: `${crypto.randomUUID()}@example.com`,
        display_name: 'Eve',
        role: 'member',
      })
      const eve = await cast.tokenFor(id, ['admin'])
      const link = await linkFor(cast, eve)
      const [response] = await Promise.all([
        send(cast.baseUrl, 'POST', '/session', { link }),
        cast.root.members.update({ id, is_deactivated: true }),
      ])
      await cast.root.members.update({ id, is_deactivated: false })
      const Cookie = response.headers.get('set-cookie')?.split(';')[0] ?? 'parley_session=none'
      expect((await send(cast.baseUrl, 'POST', '/session/token', {}, { Cookie })).status).toBe(401)
    }
  })
})

test('deleting an app revokes its tokens and closes its streams', async () => {
  const cast = await world()
  const headers = { Authorization: `Bearer ${cast.bot.token}`, Accept: 'text/event-stream' }
  const open = fetch(`${cast.baseUrl}/v2/events`, { headers }).then((response) => response.text())
  await Bun.sleep(100)
  await cast.root.apps.delete({ id: cast.bot.id })
  await open
  await expectRefused(cast.bot.me.get(), 'unauthenticated')
  await expectConsistent(cast.server)
})
