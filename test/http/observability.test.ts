import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { openLog } from '../../src/log'
import { startServer } from '../../src/server'
import { version } from '../../src/version'
import { freePort } from '../postgres'
import { startTestServer } from '../server'
import { secretOf } from '../session/browser'
import { world } from '../world'
import { json } from './wire'

/** A server whose log one can read. */
async function loggedServer(options: { level?: 'debug' | 'info' | 'warn'; format?: 'json' | 'text' } = {}) {
  const written: string[] = []
  const log = openLog({
    level: options.level ?? 'debug',
    format: options.format ?? 'json',
    write: (text) => void written.push(text),
  })
  const server = await startTestServer({}, { log })
  return {
    server,
    lines() {
      log.flush()
      return written.join('').split('\n').filter(Boolean)
    },
  }
}

describe('the log', () => {
  test('has a JSON line for each request', async () => {
    const { server, lines } = await loggedServer()
    const { ada, raw } = await world(server)
    const answers = [await raw(ada, '/v2/posts?limit=2'), await raw(undefined, '/v2/posts'), await raw(ada, '/nothing')]
    const requests = lines()
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message === 'request')
    expect(requests).toHaveLength(3)
    const common = {
      time: expect.stringMatching(/Z$/),
      level: 'info',
      message: 'request',
      method: 'GET',
      ms: expect.any(Number),
      ip: '127.0.0.1',
    }
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(requests).toEqual([
      { ...common, request_id: ids[0], path: '/v2/posts', operation: 'posts.list', status: 200 },
      {
        ...common,
        request_id: ids[1],
        path: '/v2/posts',
        operation: 'posts.list',
        status: 401,
        code: 'unauthenticated',
      },
      { ...common, request_id: ids[2], path: '/nothing', operation: 'none', status: 404, code: 'not_found' },
    ])
    await server.stop()
  })

  test('holds no token, no sign-in secret, no query and no content', async () => {
    const { server, lines } = await loggedServer()
    const { root, ada, general, raw } = await world(server)
    const { signInLink, token } = (await server.ready)!
    // As they were before, and as someone may still write them.
    const inQuery = signInLink.replace('#', '?')
    await fetch(inQuery)
    await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      body: new URL(inQuery).search.slice(1),
      redirect: 'manual',
    })
    await fetch(inQuery.replace('/sign-in', '/sign-inn'))
    await fetch(inQuery, { method: 'DELETE' })
    await raw(ada, '/v2/members?q=private-query')
    await raw(ada, '/v2/posts', json({ channel_id: general.id, content_markdown: 'private-content' }))
    await raw(undefined, '/v2/posts', { headers: { Authorization: 'Bearer parley_private-guess' } })
    await raw(ada, '/v2/posts', { ...json(0), body: '{"private-broken' })
    const made = await ada.tokens.createMine({ scopes: ['read'], name: 'x' })
    const hook = await root.hooks.create({ name: 'x', channel_id: general.id })
    const secret = hook.url.split('parley_')[1]!
    for (const url of [hook.url, `${hook.url}/`, hook.url.replace('_', '%5F'), `${hook.url.replace('_', '%5f')}/slack`])
      expect(await (await fetch(url, { method: 'PUT' })).text()).not.toContain(secret)
    const text = lines().join('\n')
    expect(text).toContain('"path":"/v2/members"')
    expect(text).toContain('"path":"/hooks/…","operation":"none"')
    const secrets = [ada.token, token, made.token, secretOf(signInLink), secret, 'private', 'parley_']
    for (const secret of secrets) expect(text).not.toContain(secret)
    await server.stop()
  })

  test('as text has one line for each entry: requests cannot inject lines or colours', () => {
    const written: string[] = []
    const log = openLog({ level: 'info', format: 'text', write: (text) => void written.push(text) })
    const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((letter) =>
      /\p{Cc}/u.test(letter),
    )
    log.info(`a${controls.join('')}b`, { path: `c${controls.join('')}d` })
    log.flush()
    const bare = written.join('').replace(/\x1b\[(2|0|33|31)m/g, '')
    expect(bare.trimEnd()).not.toMatch(/\p{Cc}/u)
    expect(bare).toContain('\\n')
    expect(bare).toContain('\\u001b')
    expect(bare).toContain('\\u009b')
  })

  test('leaves out lines below its level', () => {
    const written: string[] = []
    const log = openLog({ level: 'warn', format: 'json', write: (text) => void written.push(text) })
    log.debug('a')
    log.info('b')
    log.warn('c')
    log.error('d')
    const messages = written
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).message)
    expect(messages).toEqual(['c', 'd'])
  })
})

describe('operations endpoints', () => {
  test('/healthz and /readyz need no token', async () => {
    const { raw } = await world()
    expect(await (await raw(undefined, '/healthz')).json()).toEqual({ status: 'ok', version })
    expect(await (await raw(undefined, '/readyz')).json()).toEqual({ status: 'ready' })
  })

  test('/metrics counts requests and statements', async () => {
    const server = await startTestServer()
    const { ada, raw } = await world(server)
    for (let at = 0; at < 3; at++) await raw(ada, '/v2/posts')
    await raw(undefined, '/v2/posts')
    await raw(ada, '/v2/"}\nevil 1')
    const response = await raw(undefined, '/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('parley_requests_total{operation="posts.list",status="200"} 3')
    expect(text).toContain('parley_requests_total{operation="posts.list",status="401"} 1')
    expect(text).toContain('parley_request_seconds_bucket{operation="posts.list",le="+Inf"} 4')
    expect(text).toContain('parley_request_seconds_count{operation="posts.list"} 4')
    expect(text).toMatch(/^parley_database_statements_total \d+$/m)
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^{}]*\})? [\d.e+-]+)$/)
    expect(text).not.toContain('evil')
    await server.stop()
  })

  test('without a database the server does not listen, so that a proxy turns to another one', async () => {
    const log = openLog({ level: 'silent', format: 'json' })
    const PORT = String(await freePort())
    const server = startServer(
      readConfig({ PORT, HOST: '127.0.0.1', DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' }),
      { log },
    )
    server.ready.catch(() => {})
    for (const path of ['/healthz', '/readyz', '/v2/posts'])
      await expect(fetch(`http://127.0.0.1:${PORT}${path}`)).rejects.toThrow()
    expect(server.drain()).toBe(false)
    await server.stop()
  })
})
