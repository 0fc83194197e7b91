import { describe, expect, test } from 'bun:test'
import { expectPages, expectRefused, idOf, ids, timestamp } from './expectations'
import { time } from './server'
import { signedIn } from './session/browser'
import { world } from './world'

const FIREFOX = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:151.0) Gecko/20100101 Firefox/151.0' }
const HOSTILE = { 'User-Agent': `<img src=x onerror=alert(1)>'; DROP TABLE sessions; --${'x'.repeat(2000)}` }

describe('sessions.list', () => {
  test('lists one’s own browsers, oldest first, with readable names', async () => {
    const cast = await world()
    const first = await signedIn(cast, cast.ada, FIREFOX)
    time.advance(6 * 60_000)
    await signedIn(cast, cast.ada, HOSTILE)
    await signedIn(cast, cast.bob, FIREFOX)
    const { data, total_count } = await cast.as(await first.token()).sessions.list()
    const session = { id: idOf('ses'), created_at: timestamp, last_used_at: timestamp, expires_at: timestamp }
    expect(data).toEqual([
      { ...session, name: 'Firefox on Linux', is_current: true },
      { ...session, name: 'Unknown browser', is_current: false },
    ])
    expect(total_count).toBe(2)
    expect(Date.parse(data[0]!.last_used_at)).toBeGreaterThan(Date.parse(data[0]!.created_at))
    expect((await cast.ada.sessions.list()).data.map(({ is_current }) => is_current)).toEqual([false, false])
    for (const who of [cast.vic, cast.zed]) expect((await who.sessions.list()).total_count).toBe(0)
    await expectRefused(cast.bot.sessions.list(), 'insufficient_scope')
  })

  test('is paged, and has no ETag', async () => {
    const cast = await world()
    for (let count = 0; count < 4; count++) await signedIn(cast, cast.ada)
    const { data } = await cast.ada.sessions.list()
    await expectPages((page) => cast.ada.sessions.list(page), data)
    expect((await cast.raw(cast.ada, '/v2/me/sessions')).headers.get('etag')).toBeNull()
  })
})

describe('sessions.delete', () => {
  test('signs out one browser only; sessions of others are not found', async () => {
    const cast = await world()
    const [one, other] = [await signedIn(cast, cast.ada), await signedIn(cast, cast.ada)]
    const as = cast.as(await other.token())
    const [first] = ids((await cast.ada.sessions.list()).data)
    for (const who of [cast.root, cast.bob, cast.zed])
      await expectRefused(who.sessions.delete({ id: first! }), 'not_found')
    await expectRefused(
      (await cast.tokenFor(cast.ada.id, ['write'])).sessions.delete({ id: first! }),
      'insufficient_scope',
    )

    await as.sessions.delete({ id: first! })
    expect((await one.ask('POST', '/session/token')).status).toBe(401)
    expect(await as.sessions.list()).toMatchObject({ total_count: 1, data: [{ is_current: true }] })
    await expectRefused(as.sessions.delete({ id: first! }), 'not_found')
    expect((await cast.events()).filter((type) => type === 'session.ended')).toHaveLength(1)
  })
})

describe('sessions.deleteAll', () => {
  test('signs out all of one’s own browsers, including this one; access tokens stay', async () => {
    const cast = await world()
    const browsers = [await signedIn(cast, cast.ada), await signedIn(cast, cast.ada)]
    const bob = await signedIn(cast, cast.bob)
    const tokens = await Promise.all(browsers.map(({ token }) => token()))
    await cast.as(tokens[0]!).sessions.deleteAll()
    for (const token of tokens) await expectRefused(cast.as(token).me.get(), 'unauthenticated')
    for (const { ask } of browsers) expect((await ask('POST', '/session/token')).status).toBe(401)
    expect((await bob.ask('POST', '/session/token')).status).toBe(200)
    expect((await cast.ada.sessions.list()).total_count).toBe(0)
    await cast.ada.sessions.deleteAll()
    await expectRefused(cast.bot.sessions.deleteAll(), 'insufficient_scope')
    expect((await cast.events()).slice(3)).toEqual(['session.ended', 'session.ended'])
  })
})
