import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { projectRoot, read } from '../../documents'
import { problem } from '../../http/wire'
import { expectLiveStream, expectUploads, openProxied, type Proxied } from './proxied'
import { type ProxyCommand, prepareCaddy } from './proxies'

setDefaultTimeout(300_000)

describe('deploy/Caddyfile', () => {
  let proxied: Proxied
  let caddy: ProxyCommand

  beforeAll(async () => {
    proxied = await openProxied()
    const { folder, ports } = proxied
    caddy = prepareCaddy(folder, ports)
  }, 600_000)
  afterAll(() => proxied.stop())

  test('is valid for Debian’s Caddy, and formatted', () => {
    const { command, env } = caddy
    const run = (...words: string[]) =>
      Bun.spawnSync([command[0]!, ...words], { cwd: projectRoot, env: { ...process.env, ...env } })
    const validated = run('validate', '--adapter', 'caddyfile', '--config', 'deploy/Caddyfile')
    expect([validated.exitCode, String(validated.stdout).trim()]).toEqual([0, 'Valid configuration'])
    expect(String(run('fmt', 'deploy/Caddyfile').stdout)).toBe(read('deploy/Caddyfile'))
  })

  test('proxies requests and live streams, but not the metrics', async () => {
    const { client, token, get } = proxied
    await proxied.start(caddy.command, caddy.env)
    expect((await client.me.get()).role).toBe('admin')
    const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip' }
    const page = await get('/v2/posts', { headers })
    expect([page.status, page.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    await expectLiveStream(client)
    expect((await get('/metrics')).status).toBe(404)
  })

  test('passes files and pictures on, as large as Parley takes them', () => expectUploads(proxied))

  test('leaves the limit of all other bodies to Parley', async () => {
    const response = await proxied.get('/v2/posts', {
      method: 'POST',
      headers: { Authorization: `Bearer ${proxied.token}`, 'Content-Type': 'application/json' },
      body: `"${'x'.repeat(1024 * 1024)}"`,
    })
    await problem(response, 'payload_too_large')
  })
})
