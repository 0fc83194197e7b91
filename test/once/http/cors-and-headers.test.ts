import { describe, expect, test } from 'bun:test'
import { operations } from '../../../src/contract'
import { freePort } from '../../postgres'
import { startTestServer } from '../../server'
import { world } from '../../world'

describe('a page of another origin', () => {
  test('may send a preflight request for every operation', async () => {
    const { raw } = await world()
    for (const { method, path } of Object.values(operations)) {
      const response = await raw(undefined, path.replace(/:\w+/g, 'x'), {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://app.example',
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'authorization, content-type, idempotency-key',
        },
      })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-methods')).toContain(method)
      const allowed = response.headers.get('access-control-allow-headers')!.toLowerCase().split(', ')
      for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'accept'])
        expect(allowed).toContain(name)
      expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0)
    }
  })

  test('may read every response and its headers, without credentials', async () => {
    const { ada, raw } = await world()
    for (const [who, path] of [
      [ada, '/v2/posts'],
      [undefined, '/v2/posts'],
      [ada, '/v2/nothing'],
    ] as const) {
      const { headers } = await raw(who, path, { headers: { Origin: 'https://app.example' } })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      for (const name of ['ETag', 'Link', 'RateLimit', 'Retry-After', 'X-Request-Id', 'WWW-Authenticate'])
        expect(headers.get('access-control-expose-headers')!.split(', ')).toContain(name)
    }
  })
})

describe('every response', () => {
  test('has security headers', async () => {
    const { ada, raw } = await world()
    for (const path of ['/v2/posts', '/v2/nothing', '/', '/docs', '/docs/errors', '/sign-in']) {
      const { headers } = await raw(ada, path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('strict-transport-security')).toBeNull()
    }
  })

  test('has a Vary header', async () => {
    const { ada, raw } = await world()
    const { headers } = await raw(ada, '/v2/posts')
    expect(headers.get('vary')).toBe('Authorization, Accept, Accept-Encoding')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect((await raw(ada, '/v2/me/tokens')).headers.get('cache-control')).toBe('no-store')
  })

  test('has Strict-Transport-Security over TLS', async () => {
    const port = String(await freePort())
    const server = await startTestServer({ PUBLIC_URL: 'https://parley.example.com/', PORT: port })
    const local = `http://127.0.0.1:${port}`
    for (const path of ['/v2/posts', '/v2/nothing', '/', '/docs', '/sign-in'])
      expect([path, (await fetch(local + path)).headers.get('strict-transport-security')]).toEqual([
        path,
        'max-age=31536000',
      ])
    await server.stop()
  })
})
