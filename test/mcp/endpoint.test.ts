import { afterEach, describe, expect, test } from 'bun:test'
import { startTestServer, time } from '../server'
import { world } from '../world'
import { callTool, type Json, request } from './agent'

afterEach(() => time.unfreeze())

/** Sends raw bytes to `/mcp`. */
const send = (who: { baseUrl: string; token: string }, body: string, headers: Record<string, string> = {}) =>
  fetch(`${who.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${who.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  })

/** The JSON-RPC messages of a response to a client of 2025, which are server-sent events. */
const eventsOf = async (response: Response): Promise<Json[]> =>
  [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!))

const rpc = (method: string, params: object = {}, id: number | undefined = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('/mcp', () => {
  test('tells a caller without a valid token how to get one', async () => {
    const { ada, baseUrl, raw } = await world()
    for (const token of [undefined, `parley_${'x'.repeat(43)}`]) {
      const { status, headers } = await request({ baseUrl, token }, 'tools/list')
      expect(status).toBe(401)
      const [, address] = headers.get('www-authenticate')!.match(/resource_metadata="([^"]+)"/)!
      const metadata = await (await fetch(address!)).json()
      expect(metadata).toMatchObject({
        resource: `${baseUrl}/mcp`,
        bearer_methods_supported: ['header'],
        token_page: `${baseUrl}/settings/tokens`,
        token_instructions: expect.stringContaining('no authorization server'),
        resource_documentation: `${baseUrl}/docs/agents`,
      })
      expect((await fetch(metadata.resource_documentation)).status).toBe(200)
    }
    const api = await (await raw(undefined, '/.well-known/oauth-protected-resource')).json()
    expect(api).toMatchObject({ resource: baseUrl, scopes_supported: ['read', 'write', 'admin'] })
    expect(api).not.toHaveProperty('authorization_servers')
    expect((await fetch(api.resource_documentation)).status).toBe(200)
    const cookie = await request({ baseUrl }, 'tools/list', {}, { Cookie: `parley_session=${ada.token}` })
    expect(cookie.status).toBe(401)
  })

  test('serves clients of the revisions before 2026, which begin with `initialize`', async () => {
    const { ada } = await world()
    const clientInfo = { name: 'old', version: '1' }
    const hello = await send(ada, rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }))
    const [initialized] = await eventsOf(hello)
    expect(initialized.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'parley' } })
    expect(initialized.result.instructions).toContain('Ada Lovelace')
    expect(hello.headers.get('mcp-session-id')).toBeNull()
    const notified = await send(ada, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect(notified.status).toBe(202)
    const params = { name: 'write_post', arguments: { channel: 'general', title: 'Old' } }
    const [called] = await eventsOf(
      await send(ada, rpc('tools/call', params), { 'MCP-Protocol-Version': '2025-06-18' }),
    )
    expect(called.result.structuredContent.post.title).toBe('Old')
    expect((await ada.edits.list({ ids: [called.result.structuredContent.post.id] })).data[0]!.via).toBe('an agent')
  })

  test('refuses pages of other sites and names that are not its own', async () => {
    const { ada, baseUrl } = await world()
    const status = async (headers: Record<string, string>) => (await request(ada, 'tools/list', {}, headers)).status
    const { host, origin } = new URL(baseUrl)
    expect(await status({ Host: 'evil.example.com' })).toBe(403)
    expect(await status({ Host: 'localhost.evil.example.com' })).toBe(403)
    for (const foreign of ['https://evil.example.com', 'null', 'http://localhost:1', `${origin}.evil.example.com`])
      expect(await status({ Origin: foreign })).toBe(403)
    expect(await status({ Origin: origin, Host: host })).toBe(200)
    expect(await status({ Host: '[::1]:3000' })).toBe(200)
  })

  test('refuses what is no JSON-RPC request, at little cost', async () => {
    const { ada, raw, events } = await world()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await raw(ada, '/mcp', { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
    const statusOf = async (body: string, headers?: Record<string, string>) => (await send(ada, body, headers)).status
    expect(await statusOf(rpc('tools/list'), { 'Content-Type': 'text/plain' })).toBe(415)
    expect(await statusOf('{')).toBe(400)
    expect(await statusOf('')).toBe(400)
    expect(await statusOf('[]')).toBe(400)
    expect(await statusOf('"x"')).toBe(400)
    expect(await statusOf(`"${'x'.repeat(1024 * 1024)}"`)).toBe(413)
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const params = `{"name":"write_post","arguments":${deep}}`
    expect(await statusOf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)).toBe(400)
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, at]))
    for (const params of [wide, { _meta: wide }, { name: 'list_posts', arguments: wide }, { x: [Object.keys(wide)] }])
      expect(await statusOf(rpc('tools/call', params))).toBe(400)
    const batch = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => JSON.parse(rpc('tools/list', {}, id))))
    expect(await statusOf(batch)).toBe(400)
    // Nobody would answer the first message, and the request would never end.
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    expect(await statusOf(JSON.stringify([JSON.parse(rpc('tools/call', { name: 'list_posts' })), cancel]))).toBe(400)
    expect(await events()).toEqual([])
  })

  test('a session id of a client means nothing', async () => {
    const { ada, bob } = await world()
    const { body } = await request(ada, 'server/discover', {}, { 'Mcp-Session-Id': bob.token })
    expect(body.result.instructions).toContain('Ada Lovelace')
  })

  test('a revoked token is refused by the next request', async () => {
    const { ada } = await world()
    const { id, token } = await ada.tokens.createMine({ scopes: ['write'] })
    expect((await request({ ...ada, token }, 'tools/list')).status).toBe(200)
    await ada.tokens.delete({ id })
    expect((await request({ ...ada, token }, 'tools/list')).status).toBe(401)
  })

  test('has the rate limit of the token', async () => {
    const server = await startTestServer({ RATE_LIMIT: '2' })
    const { ada } = await world(server)
    time.freeze()
    const answers = await Promise.all(Array.from({ length: 8 }, () => request(ada, 'tools/list')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
    time.advance(600)
    // One request is left: it is admitted, and what the tool asks for is not.
    expect(await callTool(ada, 'list_posts')).toMatchObject({
      isError: true,
      code: 'rate_limited',
      text: expect.stringMatching(/Wait \d+ s/),
    })
    await server.stop()
  })

  test('many requests at once are answered, each for its caller', async () => {
    const { ada, bob } = await world()
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => request(at % 2 ? ada : bob, 'server/discover')),
    )
    for (const [at, { body }] of answers.entries())
      expect(body.result.instructions).toContain(at % 2 ? 'Ada Lovelace' : 'Bob Moore')
  })
})
