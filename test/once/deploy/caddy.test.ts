import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programNamed } from '../../debian'
import { projectRoot, read } from '../../documents'
import { problem } from '../../http/wire'
import { expectLiveStream, expectUploads, openProxied, type Proxied } from './proxied'

setDefaultTimeout(300_000)

describe('deploy/Caddyfile', () => {
  let proxied: Proxied
  let caddy: string

  // It may have to be installed.
  beforeAll(async () => {
    caddy = programNamed('caddy')
    proxied = await openProxied()
  }, 600_000)
  afterAll(() => proxied.stop())

  /** Caddy writes only into the folder of the test. */
  const env = () => ({ HOME: proxied.folder, XDG_DATA_HOME: proxied.folder, XDG_CONFIG_HOME: proxied.folder })

  test('is valid for Debian’s Caddy, and formatted', () => {
    const run = (...words: string[]) =>
      Bun.spawnSync([caddy, ...words], { cwd: projectRoot, env: { ...process.env, ...env() } })
    const validated = run('validate', '--adapter', 'caddyfile', '--config', 'deploy/Caddyfile')
    expect([validated.exitCode, String(validated.stdout).trim()]).toEqual([0, 'Valid configuration'])
    expect(String(run('fmt', 'deploy/Caddyfile').stdout)).toBe(read('deploy/Caddyfile'))
  })

  test('proxies requests and live streams, but not the metrics', async () => {
    const { folder, ports, client, token, get } = proxied
    writeFileSync(join(folder, 'Caddyfile'), adapted(read('deploy/Caddyfile'), ports))
    await proxied.start([caddy, 'run', '--adapter', 'caddyfile', '--config', 'Caddyfile'], env())
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

/** The file as it is, but for names and ports of this machine, and a certificate that nobody has to be asked for. */
const adapted = (file: string, ports: { plain: number; tls: number; parley: number }) =>
  `{
	admin off
	auto_https disable_redirects
	skip_install_trust
}
${file
  .replace('parley.example.com {', `https://localhost:${ports.tls} {\n\ttls internal`)
  .replace('127.0.0.1:3000', `127.0.0.1:${ports.parley}`)}`
