import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { isLocal } from '../../src/http/metrics'
import { openLog } from '../../src/log'
import { networksFrom } from '../../src/networks'
import { startServer } from '../../src/server'
import { version } from '../../src/version'
import { parseMetrics, waitForMetrics } from '../metrics'
import { freePort } from '../postgres'
import { engineUnderTest, startTestServer } from '../server'
import { openReceiver } from '../webhooks/receiver'
import { world } from '../world'
import { problem } from './wire'

const TOKEN = 'a-token-for-the-metrics-of-a-test-server'
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

describe('who may read the metrics', () => {
  test('a program on this machine', async () => {
    const server = await startTestServer()
    const { port } = new URL(server.url)
    for (const host of ['localhost', '127.0.0.1'])
      expect((await fetch(`http://${host}:${port}/metrics`)).status).toBe(200)
    expect((await fetch(`${server.url}/metrics`, { method: 'HEAD' })).status).toBe(200)
    await server.stop()
  })

  test.each(['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded', 'Via'])(
    'nobody whose request a proxy passed on with %s',
    async (header) => {
      const { baseUrl } = await world()
      const response = await fetch(`${baseUrl}/metrics`, { headers: { [header]: '127.0.0.1' } })
      expect(response.headers.get('www-authenticate')).toStartWith('Bearer')
      expect((await problem(response, 'unauthenticated')).detail).toContain('METRICS_TOKEN')
    },
  )

  test('nobody without the token if a proxy is configured', async () => {
    const behindProxy = await startTestServer({ TRUSTED_PROXIES: '127.0.0.1' })
    await problem(await fetch(`${behindProxy.url}/metrics`), 'unauthenticated')
    await behindProxy.stop()
    const port = await freePort()
    const withTls = await startTestServer({ PORT: String(port), PUBLIC_URL: 'https://parley.example.com' })
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(401)
    await withTls.stop()
  })

  test('no page in a browser, by DNS rebinding', async () => {
    const { baseUrl } = await world()
    const response = await fetch(`${baseUrl}/metrics`, { headers: { Host: 'evil.example' } })
    expect(response.status).toBe(401)
  })

  test('clients with METRICS_TOKEN, from anywhere', async () => {
    const server = await startTestServer({ METRICS_TOKEN: TOKEN, TRUSTED_PROXIES: '127.0.0.1' })
    const ask = (init?: RequestInit) => fetch(`${server.url}/metrics`, init)
    expect((await ask(bearer(TOKEN))).status).toBe(200)
    expect(
      (await ask({ headers: { Authorization: `bearer ${TOKEN}`, 'X-Forwarded-For': '203.0.113.9' } })).status,
    ).toBe(200)
    for (const wrong of [`${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase(), 'x'])
      await problem(await ask(bearer(wrong)), 'unauthenticated')
    await problem(await ask(), 'unauthenticated')
    await problem(await ask({ headers: { Authorization: `Basic ${TOKEN}` } }), 'unauthenticated')
    const { token } = (await server.ready)!
    await problem(await ask(bearer(token)), 'unauthenticated')
    await server.stop()
  })

  const nobody = networksFrom([])
  test.each([
    ['127.0.0.1', 'localhost:3000', true],
    ['127.3.2.1', '127.0.0.1:3000', true],
    ['::1', '[::1]:3000', true],
    ['::ffff:127.0.0.1', 'LOCALHOST', true],
    ['10.0.0.1', 'localhost:3000', false],
    ['2001:db8::1', '[::1]', false],
    ['', 'localhost', false],
    ['127.0.0.1', '', false],
    ['127.0.0.1', 'localhost.evil.example', false],
    ['127.0.0.1', '127.0.0.1.evil.example:3000', false],
    ['127.0.0.1', '10.0.0.1:3000', false],
  ])('from %j to %j is local: %j', (peer, host, answer) =>
    expect(isLocal(peer, new Headers({ host }), { proxies: nobody, isSecure: false })).toBe(answer),
  )

  test.each(['too short', 'x'.repeat(31), `${'x'.repeat(40)} y`])(
    'METRICS_TOKEN=%j is refused, and not shown',
    (text) => {
      let said = ''
      try {
        readConfig({ METRICS_TOKEN: text, SECRET_KEY: text.slice(0, 20) })
      } catch (error) {
        said = (error as Error).message
      }
      expect(said).toContain('METRICS_TOKEN=*** is not valid: expected at least 32 characters')
      expect(said).toContain('SECRET_KEY=***')
      expect(said).not.toContain(text.slice(0, 9))
    },
  )
})

describe('the metrics', () => {
  test('are complete, in the Prometheus format', async () => {
    const server = await startTestServer()
    const { ada, general } = await world(server)
    await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const families = await waitForMetrics(server.url, /^parley_event_loop_lag_seconds_count [1-9]/m)
    const read = (sample: string) => families.get(sample.split('{')[0]!.replace(/_count$/, ''))?.samples.get(sample)

    for (const [name, { samples }] of families)
      if (!/_webhook_(attempts|lag)|group_size|_pushes_total|_mails?_/.test(name))
        expect([name, samples.size > 0]).toEqual([name, true])
    expect(read(`parley_build_info{version="${version}",bun="${Bun.version}",engine="${engineUnderTest}"}`)).toBe(1)
    expect(read('parley_requests_total{operation="posts.create",status="201"}')).toBe(1)
    expect(read('parley_database_up')).toBe(1)
    expect(read('parley_database_size_bytes')).toBeGreaterThan(100_000)
    expect(read('parley_database_connections_max')).toBeGreaterThan(0)
    const connections = ['busy', 'idle'].map((state) => read(`parley_database_connections{state="${state}"}`)!)
    expect(connections[0]! + connections[1]!).toBeGreaterThan(0)
    expect(read('parley_database_waiting{for="connection"}')).toBe(0)
    expect(read('parley_requests_active{lane="write"}')).toBe(0)
    expect(read('parley_requests_waiting{lane="read"}')).toBe(0)
    expect(read('parley_webhook_deliveries_pending')).toBe(0)
    expect(read('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(read('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(Math.abs(read('process_start_time_seconds')! - Date.now() / 1000)).toBeLessThan(3_600)
    expect(read('process_open_fds')).toBeGreaterThan(3)
    expect(read('process_max_fds')).toBeGreaterThan(read('process_open_fds')!)
    if (engineUnderTest === 'sqlite') {
      expect(read('parley_database_waiting{for="commit"}')).toBe(0)
      expect(read('parley_database_group_size_count')).toBeGreaterThan(0)
    }
    await server.stop()
  })

  test('show how many deliveries wait, and for how long', async () => {
    const server = await startTestServer()
    const { root, ada, general } = await world(server)
    const receiver = openReceiver(() => new Response(null, { status: 500 }))
    await root.webhooks.create({ url: receiver.url, types: ['post.created'] })
    for (const content_markdown of ['One', 'Two']) await ada.posts.create({ channel_id: general.id, content_markdown })

    await waitForMetrics(server.url, /^parley_webhook_deliveries_pending 2$/m)
    const families = await waitForMetrics(
      server.url,
      /^parley_webhook_attempts_total\{outcome="retry"\} ([2-9]|\d\d+)$/m,
    )
    expect(families.get('parley_webhook_oldest_due_seconds')!.samples.size).toBe(1)
    expect(families.get('parley_webhooks_due')!.samples.size).toBe(1)
    await server.stop()
    receiver.stop()
  })

  test('show that the database is down, and everything else', async () => {
    const config = readConfig({ PORT: '0', HOST: '127.0.0.1', DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' })
    const server = startServer(config, { log: openLog({ level: 'silent', format: 'json' }) })
    server.ready.catch(() => {})
    // Until there is a database, nobody can ask over HTTP.
    const text = await server.parley.metrics.render()
    expect(text).toContain('parley_database_up 0')
    expect(text).not.toMatch(/^parley_database_size_bytes \d/m)
    expect(parseMetrics(text).get('process_open_fds')?.samples.size).toBe(1)
    await server.stop()
  })
})
