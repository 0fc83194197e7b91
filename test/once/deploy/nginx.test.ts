import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programNamed } from '../../debian'
import { read } from '../../documents'
import { problem } from '../../http/wire'
import { expectLiveStream, expectUploads, hasIpv6, openProxied, type Proxied, statusOverHttp2 } from './proxied'

setDefaultTimeout(300_000)

describe('deploy/nginx.conf', () => {
  let proxied: Proxied
  let nginx: string[]

  // It may have to be installed.
  beforeAll(async () => {
    const program = programNamed('nginx')
    const openssl = programNamed('openssl')
    proxied = await openProxied()
    const { folder } = proxied
    await Bun.$`${openssl} req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout key.pem -out cert.pem`
      .cwd(folder)
      .quiet()
    writeFileSync(join(folder, 'parley.conf'), adapted(read('deploy/nginx.conf'), proxied))
    writeFileSync(join(folder, 'nginx.conf'), around(folder))
    nginx = [program, '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]
  }, 600_000)
  afterAll(() => proxied.stop())

  test('is valid for Debian’s nginx', () => {
    const { stderr, exitCode } = Bun.spawnSync([...nginx, '-t'])
    expect(String(stderr)).toContain('test is successful')
    expect(String(stderr)).not.toMatch(/\[(emerg|alert|crit|error)\]/)
    expect(exitCode).toBe(0)
  })

  test('proxies requests over HTTP/2, with the address of the client', async () => {
    await proxied.start([...nginx, '-g', 'daemon off;'])
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

  test('does not proxy the metrics', async () => {
    expect((await proxied.get('/metrics')).status).toBe(404)
    expect((await proxied.get('//metrics')).status).not.toBe(200)
    expect((await proxied.get('/%6detrics')).status).toBe(404)
    expect((await fetch(`${proxied.direct}/metrics`)).status).toBe(401)
  })
})

/** The file as it is, but for names, ports and certificates of this machine. */
function adapted(
  file: string,
  { folder, ports }: { folder: string; ports: { plain: number; tls: number; parley: number } },
) {
  return file
    .split('\n')
    .filter((line) => hasIpv6 || !line.includes('listen [::]'))
    .join('\n')
    .replace(/^(\s*listen (?:\[::\]:)?)80;/gm, `$1${ports.plain};`)
    .replace(/^(\s*listen (?:\[::\]:)?)443 /gm, `$1${ports.tls} `)
    .replace('127.0.0.1:3000', `127.0.0.1:${ports.parley}`)
    .replaceAll(/^(\s*server_name) parley\.example\.com;/gm, '$1 parley.example.com localhost;')
    .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, join(folder, 'cert.pem'))
    .replace(/\/etc\/letsencrypt\S+privkey\.pem/, join(folder, 'key.pem'))
}

/** What surrounds it in /etc/nginx/nginx.conf, with every file in one folder. */
const around = (folder: string) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
events {}
http {
    access_log off;
    error_log ${folder}/error.log warn;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${folder}/${each};`).join(' ')}
    include ${folder}/parley.conf;
}
`
