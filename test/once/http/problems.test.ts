import { describe, expect, test } from 'bun:test'
import type { ErrorCode } from '../../../src/contract/errors'
import { openLog } from '../../../src/log'
import { json, problem } from '../../http/wire'
import { startTestServer } from '../../server'
import { type Person, type World, world } from '../../world'

type Case = (cast: World) => [who: Person | undefined, path: string, init?: RequestInit]

const cases: [ErrorCode, string, Case][] = [
  ['malformed_json', 'half a body', ({ ada }) => [ada, '/v2/posts', { ...json(0), body: '{"a":' }]],
  [
    'forbidden',
    'a viewer writes',
    ({ vic, general }) => [vic, '/v2/posts', json({ channel_id: general.id, content_markdown: 'x' })],
  ],
  ['forbidden', 'a member manages', ({ ada }) => [ada, '/v2/webhooks']],
  ['not_found', 'a post nobody wrote', ({ ada }) => [ada, '/v2/posts/post_00000000000000000000000000']],
  ['not_found', 'a path nobody made', ({ ada }) => [ada, '/v2/nothing']],
  ['not_found', 'a path outside the API', () => [undefined, '/wp-login.php']],
  ['not_found', 'a longer path', ({ ada }) => [ada, '/v2/posts/x/y/z']],
  ['not_found', 'a path in capitals', ({ ada }) => [ada, '/V2/POSTS']],
  ['not_found', 'another version', ({ ada }) => [ada, '/v1/posts']],
  ['not_found', 'an unknown channel to list by', ({ ada }) => [ada, '/v2/posts?channel_id=chan_x']],
  ['method_not_allowed', 'a method nobody takes', ({ ada }) => [ada, '/v2/posts', { method: 'PUT' }]],
  [
    'email_taken',
    'a known e-mail',
    ({ root }) => [root, '/v2/members', json({ email: 'ada@example.com', display_name: 'A', role: 'member' })],
  ],
  ['name_taken', 'a known channel', ({ root }) => [root, '/v2/channels', json({ name: 'General' })]],
  [
    'last_admin',
    'the last admin',
    ({ root }) => [root, `/v2/members/${root.id}`, json({ role: 'member' }, {}, 'PATCH')],
  ],
  [
    'unsupported_media_type',
    'a form',
    ({ ada }) => [ada, '/v2/posts', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }],
  ],
  ['invalid_input', 'no content', ({ ada, general }) => [ada, '/v2/posts', json({ channel_id: general.id })]],
  ['invalid_cursor', 'a made-up cursor', ({ ada }) => [ada, '/v2/posts?after=abc']],
]

describe('every error is a problem', () => {
  test.each(cases)('%s: %s', async (code, _, request) => {
    const cast = await world()
    await problem(await cast.raw(...request(cast)), code)
  })

  test('all invalid fields are reported at once', async () => {
    const { ada, raw } = await world()
    const response = await raw(ada, '/v2/posts?x=1', json({ title: 5, content_markdown: 5, colour: 'red' }))
    const { errors, detail } = await problem(response, 'invalid_input')
    const places = errors!.map((error) => `${error.in} ${error.name}`)
    expect(places.toSorted()).toEqual([
      'body channel_id',
      'body colour',
      'body content_markdown',
      'body title',
      'query x',
    ])
    for (const { name } of errors!) expect(detail).toContain(name)
    expect(detail).toContain('colour: Unknown field. Supported: channel_id, content_markdown, title, file_ids.')
  })

  test('an unknown id in a body is a 422 that names the field', async () => {
    const { ada, raw } = await world()
    const response = await raw(ada, '/v2/posts', json({ channel_id: 'chan_x', content_markdown: 'Hi' }))
    expect((await problem(response, 'invalid_input')).errors).toEqual([
      { in: 'body', name: 'channel_id', message: expect.any(String) },
    ])
  })

  test('the page that `type` points to explains the code', async () => {
    const { ada, raw } = await world()
    const { type, code } = await problem(await raw(ada, '/v2/nothing'), 'not_found')
    expect(await (await fetch(type)).text()).toContain(`id="${code}"`)
  })

  test('request ids are unique', async () => {
    const { raw } = await world()
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await raw(undefined, '/x')).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(20)
  })

  test.each([
    '/v2/posts/%00',
    '/v2/posts/%ff',
    '/v2/posts/%',
    '/v2/posts/%E0%A4%A',
    `/v2/posts/${'a'.repeat(5_000)}`,
    '/v2/posts/a%2Fb',
    '/v2/posts/..%2f..%2fetc',
    '/v2/posts/%F0%9F%98%80',
  ])('the address %s is no bug', async (path) => {
    const { ada, raw } = await world()
    const response = await raw(ada, path)
    expect([400, 404, 422]).toContain(response.status)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  })
})

describe('an unexpected error', () => {
  test('is logged with the request id, and its details are not sent', async () => {
    const lines: string[] = []
    let isBroken = false
    const server = await startTestServer(
      {},
      {
        log: openLog({ level: 'warn', format: 'json', write: (text) => void lines.push(text) }),
        onStatement(sql) {
          if (isBroken && sql.includes('posts')) throw new TypeError('the flux capacitor')
        },
      },
    )
    const { ada, raw } = await world(server)
    isBroken = true
    const response = await raw(ada, '/v2/posts')
    isBroken = false
    const body = await problem(response, 'internal')
    expect(JSON.stringify(body)).not.toContain('flux')
    expect(body.detail).toContain(body.request_id)
    // Work in the background may have met it, too.
    const line = JSON.parse(lines.join('').match(new RegExp(`^.*"request_id":"${body.request_id}".*$`, 'm'))![0])
    expect(line).toMatchObject({ level: 'error', request_id: body.request_id, path: '/v2/posts' })
    expect(line.error).toContain('flux capacitor')
    await server.stop()
  })
})
