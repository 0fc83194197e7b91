import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { author, expectPages, expectRefusals, expectRefused, idOf, ids, timestamp } from './expectations'
import { startTestServer, time } from './server'
import { linkFor, secretOf, send, signedIn } from './session/browser'
import { type World, world } from './world'

setDefaultTimeout(300_000)

const DAY = 24 * 60 * 60_000

/** Whether a link is still valid. Does not use it. */
const works = async ({ baseUrl }: World, link: string) =>
  (await send(baseUrl, 'POST', '/session/link', { link })).status === 200

describe('a sign-in link', () => {
  test('replaces the previous one', async () => {
    const cast = await world()
    const { root, ada, bob, events } = cast
    const make = async (member_id: string) => secretOf((await root.members.createSignInLink({ member_id })).url)
    const [first, other] = [await make(ada.id), await make(bob.id)]
    const second = await make(ada.id)
    expect([await works(cast, first), await works(cast, other), await works(cast, second)]).toEqual([false, true, true])
    expect((await send(cast.baseUrl, 'POST', '/session', { link: first })).status).toBe(410)
    expect(await events()).toEqual([
      'sign_in_link.created',
      'sign_in_link.created',
      'sign_in_link.revoked',
      'sign_in_link.created',
    ])
  })

  test('created concurrently is one link', async () => {
    const cast = await world()
    const { root, ada } = cast
    const made = await Promise.all(
      Array.from({ length: 12 }, () => root.members.createSignInLink({ member_id: ada.id })),
    )
    const working = await Promise.all(made.map(({ url }) => works(cast, secretOf(url))))
    expect(working.filter(Boolean)).toHaveLength(1)
    expect((await root.signInLinks.list()).total_count).toBe(1)
  })

  test('is revoked by a new password, by its removal, and by signing out everywhere', async () => {
    const cast = await world()
    const { root } = cast
    const change = async (work: () => Promise<unknown>) => {
      const link = await linkFor(cast, root)
      await work()
      return works(cast, link)
    }
    expect(await change(() => root.me.setPassword({ password: 'correct horse' }))).toBe(false)
    expect(await change(() => root.me.deletePassword({ current_password: 'correct horse' }))).toBe(false)
    expect(await change(() => root.sessions.deleteAll())).toBe(false)
    expect((await cast.events()).slice(-1)).toEqual(['sign_in_link.revoked'])
    expect(await change(() => cast.ada.sessions.deleteAll())).toBe(true)
  })

  test('can be used once, even by concurrent requests', async () => {
    const cast = await world()
    const link = await linkFor(cast, cast.ada)
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(cast.baseUrl, 'POST', '/session', { link })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(410)])
  })

  test('has its secret in the fragment, and no response repeats it', async () => {
    const cast = await world()
    const { url } = await cast.root.members.createSignInLink({ member_id: cast.ada.id })
    const { pathname, search, hash } = new URL(url)
    expect([pathname, search, hash.startsWith('#token=parley_')]).toEqual(['/sign-in', '', true])
    const page = await fetch(url)
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])

    const secret = `parley_${'S'.repeat(43)}`
    const responses = [
      await send(cast.baseUrl, 'POST', '/session', { link: secret }),
      await send(cast.baseUrl, 'POST', '/session/link', { link: secret }),
      await send(cast.baseUrl, 'POST', '/session/link', { link: secret.repeat(9) }),
      await send(cast.baseUrl, 'POST', '/session', { link: secret, more: true }),
      await send(cast.baseUrl, 'POST', '/session', { email: 'a@b', password: secret }),
      await send(cast.baseUrl, 'POST', '/session/token', {}, { Cookie: `parley_session=${secret}` }),
      await fetch(`${cast.baseUrl}/v2/me`, { headers: { Authorization: `Bearer ${secret}` } }),
      await cast.raw(cast.root, '/v2/me/password', {
        method: 'PUT',
        body: JSON.stringify({ password: secret.slice(0, 3), current_password: secret }),
        headers: { 'Content-Type': 'application/json' },
      }),
    ]
    for (const response of responses) {
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(`${await response.text()} ${JSON.stringify([...response.headers])}`).not.toContain('SSSS')
    }
  })
})

describe('signInLinks.list', () => {
  test('shows admins the valid links, with member and creator, without secrets', async () => {
    const cast = await world()
    const { root, ada, bob, vic } = cast
    for (const { id } of [ada, bob]) await root.members.createSignInLink({ member_id: id })
    const { url } = await root.members.createSignInLink({ member_id: vic.id })
    const { data, total_count } = await root.signInLinks.list()
    const link = { id: idOf('link'), created_at: timestamp, expires_at: timestamp }
    const created_by = author(root, 'Root Admin')
    expect(data).toEqual([
      { ...link, member: author(ada, 'Ada Lovelace'), created_by },
      { ...link, member: author(bob, 'Bob Moore'), created_by },
      { ...link, member: author(vic, 'Vic Viewer'), created_by },
    ])
    expect(total_count).toBe(3)
    expect(JSON.stringify(data)).not.toContain(secretOf(url))
    await expectPages((page) => root.signInLinks.list(page), data)
    expect(await root.signInLinks.list({ member_id: bob.id })).toMatchObject({ total_count: 1, data: [data[1]] })
    expect(await root.signInLinks.list({ member_id: root.id })).toMatchObject({ total_count: 0, data: [] })

    await send(cast.baseUrl, 'POST', '/session', { link: secretOf(url) })
    expect(ids((await root.signInLinks.list()).data)).toEqual(ids(data.slice(0, 2)))
    time.advance(7 * DAY)
    expect((await root.signInLinks.list()).total_count).toBe(0)
  })

  test('has no creator if the link was created on the command line', async () => {
    const cast = await world()
    await linkFor(cast, cast.ada)
    expect((await cast.root.signInLinks.list()).data).toMatchObject([{ member: { id: cast.ada.id }, created_by: null }])
  })

  test('only admins are allowed, not apps', async () => {
    const everyone = await world()
    const { root, ada, bot, zed } = everyone
    await root.members.createSignInLink({ member_id: ada.id })
    const codes = { ada: 'forbidden', vic: 'forbidden', gus: 'forbidden', bot: 'insufficient_scope' } as const
    await expectRefusals(everyone, (who) => who.signInLinks.list(), { ...codes, reader: 'insufficient_scope' })
    await expectRefused((await everyone.tokenFor(bot.id, ['admin'])).signInLinks.list(), 'forbidden')
    await expectRefused(root.signInLinks.list({ member_id: zed.id }), 'not_found')
    expect((await zed.signInLinks.list()).total_count).toBe(0)
  })
})

describe('signInLinks.delete', () => {
  test('revokes a link at once', async () => {
    const cast = await world()
    const { root, ada, events } = cast
    const { id, url } = await root.members.createSignInLink({ member_id: ada.id })
    expect(await root.signInLinks.delete({ id })).toBeUndefined()
    expect(await works(cast, secretOf(url))).toBe(false)
    await expectRefused(root.signInLinks.delete({ id }), 'not_found')
    expect((await root.signInLinks.list()).total_count).toBe(0)
    expect(await events()).toEqual(['sign_in_link.created', 'sign_in_link.revoked'])
    const [, { data }] = (await cast.eventRows()) as [unknown, { data: string }]
    expect(JSON.parse(data)).toEqual({ id, member: expect.objectContaining({ id: ada.id }) })
  })

  test('only admins are allowed, not apps', async () => {
    const everyone = await world()
    const { root, ada, bot } = everyone
    const { id } = await root.members.createSignInLink({ member_id: ada.id })
    const codes = { ada: 'forbidden', vic: 'forbidden', gus: 'forbidden', bot: 'insufficient_scope' } as const
    await expectRefusals(everyone, (who) => who.signInLinks.delete({ id }), { ...codes, zed: 'not_found' })
    await expectRefused((await everyone.tokenFor(bot.id, ['admin'])).signInLinks.delete({ id }), 'forbidden')
    time.advance(7 * DAY)
    await expectRefused(root.signInLinks.delete({ id }), 'not_found')
  })
})

test('signing in from one workspace into another, both ways concurrently, does not deadlock', async () => {
  const server = await startTestServer()
  const casts = [await world(server), await world(server)] as const
  const cross = async ([from, to]: readonly [World, World]) => {
    const { cookie } = await signedIn(from, from.bob)
    const link = await linkFor(to, to.ada)
    return () => send(to.baseUrl, 'POST', '/session', { link }, { Cookie: cookie })
  }
  for (let round = 0; round < 4; round++) {
    const ways = [await cross(casts), await cross([casts[1], casts[0]])]
    const answers = await Promise.all(ways.map((way) => way()))
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
  }
  await server.stop()
})
