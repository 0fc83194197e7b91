import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problem } from '../../http/wire'
import { expectLiveStream, expectUploads, openProxied, type Proxied, statusOverHttp2 } from './proxied'
import { prepareNginx } from './proxies'

setDefaultTimeout(300_000)

describe('deploy/nginx.conf', () => {
  let proxied: Proxied
  let nginx: string[]

  beforeAll(async () => {
    proxied = await openProxied()
    const { folder, ports } = proxied
    nginx = (await prepareNginx(folder, ports)).command
  }, 600_000)
  afterAll(() => proxied.stop())

  test('is valid for Debian’s nginx', () => {
    const { stderr, exitCode } = Bun.spawnSync([...nginx, '-t'])
    expect(String(stderr)).toContain('test is successful')
    expect(String(stderr)).not.toMatch(/\[(emerg|alert|crit|error)\]/)
    expect(exitCode).toBe(0)
  })

  test('proxies requests over HTTP/2, with the address of the client', async () => {
    await proxied.start(nginx)
    expect(await statusOverHttp2(proxied.url, '/healthz')).toBe(200)
    const { client, token, get } = proxied
    expect((await client.me.get()).role).toBe('admin')
    const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '203.0.113.9', 'Accept-Encoding': 'gzip' }
    const page = await get('/v2/posts', { headers })
    expect([page.status, page.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    expect(proxied.logged()).toContain('"ip":"203.0.113.9"')
    const { status, headers: redirect } = await fetch(`http://127.0.0.1:${proxied.ports.plain}/posts`, {
      headers: { Host: 'parley.example.com' },
      redirect: 'manual',
    })
    expect([status, redirect.get('location')]).toEqual([301, 'https://parley.example.com/posts'])
  })

  test('does not buffer live streams', () => expectLiveStream(proxied.client))

  test('passes files and pictures on, as large as Parley takes them, without writing them to its disk', async () => {
    await expectUploads(proxied)
    expect(readFileSync(join(proxied.folder, 'error.log'), 'utf8')).not.toContain('temporary file')
  })

  test('has the same limit as Parley for all other bodies', async () => {
    const { token, get } = proxied
    const send = (bytes: number) =>
      get('/v2/posts', {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: `"${'x'.repeat(bytes - 2)}"`,
      })
    await problem(await send(1024 * 1024), 'invalid_input')
    expect((await send(1024 * 1024 + 1)).status).toBe(413)
  })

  test('writes the address of an incoming webhook to no log, also if a request fails', async () => {
    const send = (path: string) => proxied.get(path, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })
    expect((await send('/hooks/hunter2')).status).toBe(413)
    expect((await send('/v2/posts')).status).toBe(413)
    const logged = readFileSync(join(proxied.folder, 'error.log'), 'utf8')
    expect(logged).toContain('POST /v2/posts')
    expect(logged).not.toContain('hunter2')
  })

  test('does not proxy the metrics', async () => {
    expect((await proxied.get('/metrics')).status).toBe(404)
    expect((await proxied.get('//metrics')).status).not.toBe(200)
    expect((await proxied.get('/%6detrics')).status).toBe(404)
    expect((await fetch(`${proxied.direct}/metrics`)).status).toBe(401)
  })
})
