import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Person, type World, world } from '../world'

/** Sends a request up to the last byte of its body, then the last byte after `meanwhile`. The status and the body of the answer. */
async function sendSlowly(
  { baseUrl }: World,
  who: Person,
  method: string,
  path: string,
  body: object,
  meanwhile: () => Promise<unknown>,
) {
  const { hostname, port } = new URL(baseUrl)
  const text = JSON.stringify(body)
  const socket = connect(Number(port), hostname)
  const answer = new Promise<string>((resolve, reject) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
  socket.write(
    [
      `${method} ${path} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${who.token}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      'Connection: close',
      '',
      text.slice(0, -1),
    ].join('\r\n'),
  )
  // Long enough for the server to look at who asks; if it takes longer, it is refused all the same.
  await Bun.sleep(200)
  await meanwhile()
  socket.write(text.slice(-1))
  const [head, ...rest] = (await answer).split('\r\n\r\n')
  return { status: Number(head!.split(' ')[1]), body: rest.join('') }
}

describe('a request whose body arrives slowly', () => {
  test('cannot create a token with a token that was revoked meanwhile', async () => {
    const cast = await world()
    const { root } = cast
    const { id, token } = await root.tokens.createMine({ scopes: ['admin'] })
    const stolen = { ...root, token } as Person
    const answer = await sendSlowly(cast, stolen, 'POST', '/v2/me/tokens', { scopes: ['admin'] }, () =>
      root.tokens.delete({ id }),
    )
    expect([answer.status, answer.body]).toEqual([401, expect.stringContaining('unauthenticated')])
    expect((await cast.events()).filter((type) => type === 'token.created')).toHaveLength(1)
  })

  test('cannot make an admin of someone who was demoted meanwhile', async () => {
    const cast = await world()
    const { root, ada } = cast
    await root.members.update({ id: ada.id, role: 'admin' })
    const answer = await sendSlowly(cast, ada, 'PATCH', `/v2/members/${ada.id}`, { role: 'admin' }, () =>
      root.members.update({ id: ada.id, role: 'member' }),
    )
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('forbidden')])
    expect((await root.members.get({ id: ada.id })).role).toBe('member')
  })

  test('cannot reactivate someone who was deactivated meanwhile', async () => {
    const cast = await world()
    const { root, ada } = cast
    await root.members.update({ id: ada.id, role: 'admin' })
    const answer = await sendSlowly(cast, ada, 'PATCH', `/v2/members/${ada.id}`, { is_deactivated: false }, () =>
      root.members.update({ id: ada.id, is_deactivated: true }),
    )
    expect([answer.status, answer.body]).toEqual([401, expect.stringContaining('unauthenticated')])
    expect((await root.members.get({ id: ada.id })).is_deactivated).toBe(true)
  })

  test('succeeds if nothing changed meanwhile', async () => {
    const cast = await world()
    const answer = await sendSlowly(cast, cast.root, 'POST', '/v2/me/tokens', { scopes: ['read'] }, async () => {})
    expect(answer.status).toBe(201)
  })

  test.each<[string, number, (cast: World, channel_id: string, id: string) => Promise<unknown>]>([
    [
      'its owner was removed',
      404,
      ({ root, ada }, channel_id) => root.channels.removeMember({ channel_id, member_id: ada.id }),
    ],
    ['its owner became a guest', 403, ({ root, ada }) => root.members.update({ id: ada.id, role: 'guest' })],
    ['its owner was deactivated', 404, ({ root, ada }) => root.members.update({ id: ada.id, is_deactivated: true })],
    ['the channel was archived', 404, ({ root }, id) => root.channels.delete({ id })],
    ['it got a new address', 404, ({ ada }, _, id) => ada.hooks.rotateSecret({ id })],
  ])('cannot post by an incoming webhook if %s meanwhile', async (_, status, change) => {
    const cast = await world()
    const { root, ada } = cast
    const { id: channel_id } = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id, member_id: ada.id })
    const { id, url } = await ada.hooks.create({ name: 'CI', channel_id })
    const meanwhile = () => change(cast, channel_id, id)
    const answer = await sendSlowly(cast, ada, 'POST', new URL(url).pathname, { text: 'x' }, meanwhile)
    expect(answer.status).toBe(status)
    expect(await cast.events()).not.toContain('post.created')
  })
})
