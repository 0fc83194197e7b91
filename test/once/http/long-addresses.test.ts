import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { errors, type ProblemBody } from '../../../src/contract/errors'
import { openLog } from '../../../src/log'
import { overSocket } from '../../http/wire'
import { startTestServer } from '../../server'
import { world } from '../../world'

setDefaultTimeout(60_000)

const longQuery = (length: number) => `q=${'x'.repeat(length)}`

describe('an address of more than 16,000 characters', () => {
  const entries: [what: string, path: string, init?: RequestInit][] = [
    ['the API', `/v2/search?${longQuery(20_000)}`],
    [
      'the API, with as many characters of three bytes as a search may have',
      `/v2/search?q=${'%E6%9D%B1'.repeat(10_000)}`,
    ],
    ['the API, without a token', `/v2/posts?${longQuery(20_000)}`],
    ['the API, a write', `/v2/posts?${longQuery(20_000)}`, { method: 'POST', body: '{}' }],
    ['a path of the API that does not exist', `/v2/${'x'.repeat(20_000)}`],
    ['the web app', `/search?${longQuery(20_000)}`, { headers: { Accept: 'text/html' } }],
    ['a page that does not exist', `/${'x'.repeat(20_000)}`, { headers: { Accept: 'text/html' } }],
    ['the sign-in', `/login?${longQuery(20_000)}`],
    ['an incoming webhook', `/hooks/x?${longQuery(20_000)}`, { method: 'POST', body: '{}' }],
    ['agents', `/mcp?${longQuery(20_000)}`, { method: 'POST', body: '{}' }],
    ['the documentation', `/docs?${longQuery(20_000)}`],
    ['what operators use', `/healthz?${longQuery(20_000)}`],
  ]
  test.each(entries)('is a problem at every entry: %s', async (...[what, path, init]) => {
    const { ada, raw } = await world()
    const response = await raw(what.includes('without') ? undefined : ada, path, init)
    expect([response.status, response.headers.get('content-type')]).toEqual([431, 'application/problem+json'])
    const body = (await response.json()) as ProblemBody
    expect(body).toMatchObject({ status: 431, code: 'address_too_long', title: errors.address_too_long.title })
    expect(body.request_id).toBe(response.headers.get('x-request-id')!)
    expect(body.instance.length).toBeLessThan(1_100)
  })

  test('changes nothing, and the connection can be used again', async () => {
    const { ada, raw, general, events } = await world()
    const content = { channel_id: general.id, content_markdown: 'Lunch?' }
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(content) }
    expect((await raw(ada, `/v2/posts?${longQuery(16_000)}`, init)).status).toBe(431)
    expect(await events()).toEqual([])
    expect((await raw(ada, '/v2/posts', init)).status).toBe(201)
  })

  test('shows no secret, in the answer or in the log', async () => {
    const written: string[] = []
    const log = openLog({ level: 'info', format: 'json', write: (text) => void written.push(text) })
    const server = await startTestServer({}, { log })
    const secret = `parley_${'a'.repeat(43)}`
    for (const path of [`/hooks/${secret}${'x'.repeat(17_000)}`, `/v2/${'x/'.repeat(8_000)}${secret}`]) {
      const response = await fetch(server.url + path)
      expect(response.status).toBe(431)
      expect(await response.text()).not.toContain(secret.slice(0, 20))
    }
    log.flush()
    expect(written.join('')).toContain('address_too_long')
    expect(written.join('')).not.toContain(secret.slice(0, 20))
    for (const line of written.join('').split('\n')) expect(line.length).toBeLessThan(2_000)
    await server.stop()
  })
})

test('an address of 16,000 characters is answered', async () => {
  const { ada, raw } = await world()
  const path = '/v2/search?q='
  const response = await raw(
    ada,
    path +
      'x '
        .repeat(8_000 - path.length / 2)
        .trim()
        .replaceAll(' ', '+'),
  )
  // The query is longer than a search may be, and the answer says so.
  expect(response.status).toBe(422)
})

test('a head of more than 128 KB is refused without a body, before the server sees it', async () => {
  const { server } = await world()
  const answer = await overSocket(server.url, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(132_000)}\r\n\r\n`)
  expect(answer).toStartWith('HTTP/1.1 431 ')
})
