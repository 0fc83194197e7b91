import { describe, expect, test } from 'bun:test'
import { problem } from '../http/wire'
import { freePort } from '../postgres'
import { startTestServer } from '../server'
import { world } from '../world'
import { cookieOf, linkFor, send, signedIn } from './browser'

const everything = [
  ['POST', '/session'],
  ['DELETE', '/session'],
  ['POST', '/session/link'],
  ['POST', '/session/token'],
] as const

describe('a page of another site', () => {
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'nonsense' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://localhost.evil.example' },
    { Origin: '' },
  ]
  test.each(foreign)('is refused: %j', async (headers) => {
    const cast = await world()
    const { cookie, ask } = await signedIn(cast, cast.ada)
    const link = await linkFor(cast, cast.bob)
    const plain = { 'Sec-Fetch-Site': 'same-origin', ...headers, Cookie: cookie }
    for (const [method, path] of everything) {
      const body = method === 'POST' ? { link } : undefined
      const response = await send(cast.baseUrl, method, path, body, plain)
      expect(response.headers.get('set-cookie')).toBeNull()
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      await problem(response, 'forbidden')
    }
    expect((await ask('POST', '/session/token')).status).toBe(200)
    expect((await send(cast.baseUrl, 'POST', '/session/link', { link })).status).toBe(200)
  })

  test('cannot send a form or a preflight request', async () => {
    const cast = await world()
    const { cookie } = await signedIn(cast, cast.ada)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
      for (const [method, path] of everything)
        if (method === 'POST') {
          const response = await fetch(cast.baseUrl + path, {
            method,
            body: '{"link":"x"}',
            headers: { 'Content-Type': type, Cookie: cookie },
          })
          await problem(response, 'unsupported_media_type')
        }
    for (const [, path] of everything) {
      const asked = await fetch(cast.baseUrl + path, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } })
      expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([405, null])
    }
  })

  test('a program without these headers may call', async () => {
    const cast = await world()
    const link = await linkFor(cast, cast.ada)
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(`${cast.baseUrl}/session`, { method: 'POST', headers, body: JSON.stringify({ link }) })
    expect(response.status).toBe(201)
  })
})

describe('over TLS', () => {
  test('the cookie is bound to the host and to TLS, and only the public origin may call', async () => {
    const port = String(await freePort())
    const server = await startTestServer({ PUBLIC_URL: 'https://parley.example.com', PORT: port })
    const base = `http://127.0.0.1:${port}`
    const cast = { ...(await world(server)), baseUrl: base }
    const link = await linkFor(cast, cast.ada)
    const ours = { Origin: 'https://parley.example.com' }
    for (const Origin of [base, 'http://parley.example.com'])
      expect((await send(base, 'POST', '/session', { link }, { Origin })).status).toBe(403)

    const response = await send(base, 'POST', '/session', { link }, ours)
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-parley_session=parley_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    )
    const cookie = cookieOf(response)
    expect((await send(base, 'POST', '/session/token', {}, { ...ours, Cookie: cookie })).status).toBe(200)
    // One that another host, or a page without TLS, could have set is not looked at.
    const unbound = { ...ours, Cookie: cookie.replace('__Host-', '') }
    expect((await send(base, 'POST', '/session/token', {}, unbound)).status).toBe(401)
    await server.stop()
  })
})
