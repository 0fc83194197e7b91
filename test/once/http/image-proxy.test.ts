import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import type { Running } from '../../../src/server'
import { startTestServer, time } from '../../server'
import { signedIn } from '../../session/browser'
import { type World, world } from '../../world'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

let server: Running
let cast: World
let cookie: string
let other: Server<undefined>
const seen: Headers[] = []

beforeAll(async () => {
  other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/a.png': (request) => {
        seen.push(request.headers)
        return new Response(PNG, { headers: { 'Content-Type': 'text/html' } })
      },
      '/page': () => new Response('<html><script>1</script>', { headers: { 'Content-Type': 'image/png' } }),
      '/a.svg': () => new Response(SVG, { headers: { 'Content-Type': 'image/svg+xml' } }),
      '/large': () => new Response(Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)])),
      '/once': () => Response.redirect('/a.png'),
      '/private': () => Response.redirect(`http://127.0.0.2:${other.port}/a.png`),
      '/loop': () => Response.redirect('/loop'),
      '/script': () => new Response(null, { status: 302, headers: { Location: 'file:///etc/passwd' } }),
    },
    fetch: () => new Response('', { status: 404 }),
  })
  server = await startTestServer({ IMAGE_PROXY: 'on', WEBHOOK_NETWORKS: '127.0.0.1/32' })
  cast = await world(server)
  cookie = (await signedIn(cast, cast.ada)).cookie
})
afterAll(async () => {
  await server.stop()
  await other.stop(true)
})

const load = (url: string, headers: Record<string, string> = { cookie }) =>
  fetch(`${server.url}/images?url=${encodeURIComponent(url)}`, { headers })
const at = (path: string) => `http://127.0.0.1:${other.port}${path}`

describe('the image proxy', () => {
  test('loads an image for a member, directly or after a redirect, and tells its server nothing about them', async () => {
    for (const path of ['/a.png', '/once']) {
      const response = await load(at(path))
      expect(response.status).toBe(200)
      expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, max-age=86400',
      })
    }
    expect(seen).toHaveLength(2)
    for (const headers of seen)
      expect([headers.get('cookie'), headers.get('referer'), headers.get('x-forwarded-for')]).toEqual([
        null,
        null,
        null,
      ])
  })

  test.each([
    ['HTML', '/page'],
    ['SVG', '/a.svg'],
    ['more than 10 MB', '/large'],
    ['what is not there', '/none'],
    ['a redirect to a private address', '/private'],
    ['endless redirects', '/loop'],
    ['a redirect to a file', '/script'],
  ])('refuses %s', async (_, path) => {
    expect((await load(at(path))).status).toBe(404)
  })

  test('refuses private addresses, other protocols, and URLs that are none', async () => {
    const urls = [
      'http://127.0.0.2/',
      'http://[::1]/',
      'http://169.254.169.254/',
      'http://localhost/',
      'file:///etc/passwd',
    ]
    for (const url of [...urls, 'data:image/png,x', 'x']) expect((await load(url)).status).toBe(404)
    expect((await load('')).status).toBe(400)
  })

  test('is for members who are signed in in a browser, and only for reading', async () => {
    for (const headers of [{}, { cookie: 'parley_session=x' }, { authorization: `Bearer ${cast.ada.token}` }])
      expect((await load(at('/a.png'), headers as Record<string, string>)).status).toBe(401)
    const posted = await fetch(`${server.url}/images?url=x`, { method: 'POST', headers: { cookie } })
    expect(posted.status).toBe(405)
  })

  test('is limited for each member', async () => {
    const gus = (await signedIn(cast, cast.gus)).cookie
    time.freeze()
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await load('x', { cookie: gus })).status),
    ).finally(time.unfreeze)
    expect(statuses).toContain(429)
    expect((await load(at('/a.png'))).status).toBe(200)
  })

  test('is off by default', async () => {
    const plain = await world()
    const own = (await signedIn(plain, plain.ada)).cookie
    const response = await fetch(`${plain.baseUrl}/images?url=${at('/a.png')}`, { headers: { cookie: own } })
    expect(response.status).toBe(404)
  })
})
