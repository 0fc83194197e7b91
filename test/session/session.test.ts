import { describe, expect, test } from 'bun:test'
import { problem } from '../http/wire'
import { startTestServer, time } from '../server'
import { world } from '../world'
import { cookieOf, linkFor, send, signedIn, type Token } from './browser'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

describe('signing in with a link', () => {
  test('shows who it is for, and works once', async () => {
    const cast = await world()
    const link = await linkFor(cast, cast.ada)
    const workspace = { slug: cast.slug, name: cast.slug }
    for (let look = 0; look < 2; look++) {
      const told = await send(cast.baseUrl, 'POST', '/session/link', { link })
      expect([told.status, told.headers.get('set-cookie')]).toEqual([200, null])
      const expires_at = expect.any(String)
      expect(await told.json()).toEqual({ name: 'Ada Lovelace', email: 'ada@example.com', workspace, expires_at })
    }
    const response = await send(cast.baseUrl, 'POST', '/session', { link })
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    const member = { id: cast.ada.id, name: 'Ada Lovelace' }
    expect(await response.json()).toEqual({ member, workspace, expires_at: expect.any(String) })
    expect(response.headers.get('set-cookie')).toMatch(
      /^parley_session=parley_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    expect(await cast.events()).toEqual(['session.created'])

    for (const path of ['/session', '/session/link'])
      await problem(await send(cast.baseUrl, 'POST', path, { link }), 'link_gone')
  })

  test('used ten times at once works once', async () => {
    const cast = await world()
    const link = await linkFor(cast, cast.ada)
    const all = await Promise.all(Array.from({ length: 10 }, () => send(cast.baseUrl, 'POST', '/session', { link })))
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(410)])
  })

  test('ends the previous session of the browser, and prevents session fixation', async () => {
    const cast = await world()
    const ada = await signedIn(cast, cast.ada)
    const again = await send(
      cast.baseUrl,
      'POST',
      '/session',
      { link: await linkFor(cast, cast.bob) },
      { Cookie: ada.cookie },
    )
    expect(cookieOf(again)).not.toBe(ada.cookie)
    await problem(await ada.ask('POST', '/session/token'), 'unauthenticated')
    expect(await cast.events()).toEqual(['session.created', 'session.ended', 'session.created'])

    const made = { Cookie: `parley_session=parley_${'A'.repeat(43)}` }
    const fixed = await send(cast.baseUrl, 'POST', '/session', { link: await linkFor(cast, cast.ada) }, made)
    expect(cookieOf(fixed)).not.toBe(made.Cookie)
    await problem(await send(cast.baseUrl, 'POST', '/session/token', {}, made), 'unauthenticated')
  })
})

describe('the token of a page', () => {
  test('is the same for all pages of a browser, for a quarter of an hour', async () => {
    const cast = await world()
    const { ask } = await signedIn(cast, cast.ada)
    const { token, expires_at } = (await (await ask('POST', '/session/token')).json()) as Token
    expect(await cast.as(token).me.get()).toMatchObject({ author: { id: cast.ada.id }, role: 'member' })
    const life = Date.parse(expires_at) - time.now()
    expect(life).toBeGreaterThan(9 * MINUTE)
    expect(life).toBeLessThanOrEqual(15 * MINUTE)

    time.advance(15 * MINUTE)
    await expect(cast.as(token).me.get()).rejects.toMatchObject({ code: 'unauthenticated' })
    const next = (await (await ask('POST', '/session/token')).json()) as Token
    expect(next.token).not.toBe(token)
    expect(await cast.as(next.token).me.get()).toMatchObject({ author: { id: cast.ada.id } })
  })

  test('is not listed, and the cookie is not a token', async () => {
    const cast = await world()
    const { cookie, token } = await signedIn(cast, cast.ada)
    const pageToken = await token()
    expect((await cast.as(pageToken).tokens.listMine()).total_count).toBe(1)
    const secret = cookie.split('=')[1]!
    expect(secret).not.toBe(pageToken)
    await expect(cast.as(secret).me.get()).rejects.toMatchObject({ code: 'unauthenticated' })
    await problem(await fetch(`${cast.baseUrl}/v2/me`, { headers: { Cookie: cookie } }), 'unauthenticated')
  })

  test('ends with the session, on every server, and so do streams', async () => {
    const one = await startTestServer()
    const other = await startTestServer({ DATABASE_URL: one.config.databaseUrl })
    const cast = await world(one)
    const { ask, token } = await signedIn(cast, cast.ada)
    const Authorization = `Bearer ${await token()}`
    const me = (url: string) => fetch(`${url}/v2/me`, { headers: { Authorization } })
    expect([(await me(one.url)).status, (await me(other.url)).status]).toEqual([200, 200])
    const streams = await Promise.all(
      [one, other].map(({ url }) =>
        fetch(`${url}/v2/events`, { headers: { Authorization, Accept: 'text/event-stream' } }),
      ),
    )
    const ends = streams.map((stream) => stream.text())

    const out = await ask('DELETE', '/session')
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      'parley_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ])
    expect([(await me(one.url)).status, (await me(other.url)).status]).toEqual([401, 401])
    await Promise.all(ends)
    await problem(await ask('POST', '/session/token'), 'unauthenticated')
    expect((await ask('DELETE', '/session')).status).toBe(204)
    expect(await cast.events()).toEqual(['session.created', 'session.ended'])
    await Promise.all([one.stop(), other.stop()])
  })

  test('ends when its member is deactivated, and so does the session', async () => {
    const cast = await world()
    const { ask, token } = await signedIn(cast, cast.ada)
    const as = cast.as(await token())
    await cast.root.members.update({ id: cast.ada.id, is_deactivated: true })
    await expect(as.me.get()).rejects.toMatchObject({ code: 'unauthenticated' })
    await problem(await ask('POST', '/session/token'), 'unauthenticated')
  })

  test('extends the session once a day, until it is unused for thirty days', async () => {
    const cast = await world()
    const { ask } = await signedIn(cast, cast.ada)
    const asked = async () => (await ask('POST', '/session/token')).headers.get('set-cookie')
    expect(await asked()).toBeNull()
    for (let month = 0; month < 2; month++) {
      time.advance(29 * DAY)
      expect(await asked()).toMatch(/; Max-Age=25(9199|9200)\d; HttpOnly; SameSite=Lax$/)
      expect(await asked()).toBeNull()
    }
    time.advance(30 * DAY)
    await problem(await ask('POST', '/session/token'), 'unauthenticated')
  })
})
