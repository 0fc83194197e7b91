import { afterEach, describe, expect, test } from 'bun:test'
import { operations } from '../../src/contract'
import { time } from '../server'
import { world } from '../world'
import { problem } from './wire'

afterEach(() => time.unfreeze())

const me = (baseUrl: string, headers: Record<string, string>) => fetch(`${baseUrl}/v2/me`, { headers })
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

describe('a request without a valid token', () => {
  test.each([
    ['no header', {}],
    ['an empty header', { Authorization: '' }],
    ['no token', { Authorization: 'Bearer' }],
    ['an empty token', { Authorization: 'Bearer  ' }],
    ['another scheme', { Authorization: 'Basic YWRhOnBhc3N3b3Jk' }],
    ['two tokens', { Authorization: 'Bearer parley_a parley_b' }],
    ['a cookie', { Cookie: 'parley_session=parley_x' }],
  ])('%s: is asked for one', async (_, headers) => {
    const { baseUrl } = await world()
    const response = await me(baseUrl, headers)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="parley"')
    await problem(response, 'unauthenticated')
  })

  test.each(['parley_', `parley_${'A'.repeat(43)}`, 'x', 'A'.repeat(5_000), "' OR 1=1 --".replaceAll(' ', '')])(
    'an unknown one is refused: %s',
    async (token) => {
      const { baseUrl } = await world()
      const response = await me(baseUrl, bearer(token))
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="parley", error="invalid_token"')
      const { request_id: _, ...told } = await problem(response, 'unauthenticated')
      expect(JSON.stringify(told)).not.toContain(`${token.slice(0, 40)}"`)
    },
  )

  test('a token in the URL or in a cookie is ignored', async () => {
    const { ada, raw } = await world()
    await problem(await raw(undefined, `/v2/me?access_token=${ada.token}`), 'unauthenticated')
    await problem(
      await raw(undefined, '/v2/me', { headers: { Cookie: `parley_session=${ada.token}` } }),
      'unauthenticated',
    )
  })

  test('is refused by every operation, even with other errors', async () => {
    const { baseUrl } = await world()
    for (const { method, path, access } of Object.values(operations)) {
      if (access === 'public') continue
      const address = path.replace(/:\w+/g, 'x')
      const response = await fetch(`${baseUrl}${address}?wrong=1`, { method, body: method === 'GET' ? undefined : '{' })
      await problem(response, 'unauthenticated')
    }
  })
})

describe('a token', () => {
  test('works whatever the case of the scheme', async () => {
    const { ada, baseUrl } = await world()
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await me(baseUrl, { Authorization: `${scheme} ${ada.token}` })).status).toBe(200)
  })

  test('works until it expires', async () => {
    const { ada, tokenFor, raw } = await world()
    time.freeze()
    const short = await tokenFor(ada.id, ['read'], new Date(time.now() + 60_000).toISOString())
    time.advance(59_999)
    expect((await raw(short, '/v2/me')).status).toBe(200)
    time.advance(1)
    const response = await raw(short, '/v2/me')
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect((await problem(response, 'unauthenticated')).detail).toContain('expired')
  })

  test('is refused from the first request after it was revoked', async () => {
    const { ada, as, baseUrl } = await world()
    const { id, token } = await ada.tokens.createMine({ scopes: ['read'] })
    await as(token).me.get()
    await ada.tokens.delete({ id })
    const response = await me(baseUrl, bearer(token))
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect((await problem(response, 'unauthenticated')).detail).toContain('revoked')
  })

  test('stops working for good when its member is deactivated', async () => {
    const { root, bob, raw } = await world()
    await root.members.update({ id: bob.id, is_deactivated: true })
    const response = await raw(bob, '/v2/me')
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    await problem(response, 'unauthenticated')
    await root.members.update({ id: bob.id, is_deactivated: false })
    await problem(await raw(bob, '/v2/me'), 'unauthenticated')
  })

  test('stops working when its app is deleted', async () => {
    const { root, bot, raw } = await world()
    expect((await raw(bot, '/v2/me')).status).toBe(200)
    await root.apps.delete({ id: bot.id })
    await problem(await raw(bot, '/v2/me'), 'unauthenticated')
  })

  test('without the required scope gets an error that names it', async () => {
    const { ada, tokenFor, raw } = await world()
    const reader = await tokenFor(ada.id, ['read'])
    const response = await raw(reader, '/v2/posts', { method: 'POST', body: '{}' })
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="parley", error="insufficient_scope", scope="write"',
    )
    await problem(response, 'insufficient_scope')
  })

  test('cannot see anything of another workspace', async () => {
    const { ada, zed, general, raw } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Ours' })
    await problem(await raw(zed, `/v2/posts/${post.id}`), 'not_found')
    expect((await zed.posts.list()).total_count).toBe(0)
  })
})
