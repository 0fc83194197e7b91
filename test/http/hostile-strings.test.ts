import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { insertFile } from '../insert-file'
import { mailWorld } from '../mail/world'
import { request } from '../mcp/agent'
import { choosePassword, send, signedIn } from '../session/browser'
import { overSocket } from './wire'

setDefaultTimeout(300_000)

/** PostgreSQL stores no NUL, and neither engine stores half a character or bytes that are no UTF-8. */
const SEGMENTS = {
  'a NUL': '%00',
  'a NUL after an id': 'file_01m7nkbe1netrtd4dy1zs9js68%00',
  'half a character': '%ED%A0%80',
  'bytes that are no UTF-8': 'a%FF%C3%28',
  'a percent sign': '%25%2500%',
  'a long value': 'x'.repeat(8_000),
}
const TEXTS = ['\0', 'a\0@example.com', 'ada@example.com\0', '\ud800@example.com', `a\udfff`, 'x'.repeat(5_000)]

let cast: Awaited<ReturnType<typeof mailWorld>>
let cookie: string
let file: string

beforeAll(async () => {
  cast = await mailWorld(undefined, { IMAGE_PROXY: 'on' })
  await choosePassword(cast, cast.ada, 'correct horse battery')
  cookie = (await signedIn(cast, cast.ada)).cookie
  file = await insertFile(cast, cast.ada)
})
afterAll(() => cast[Symbol.asyncDispose]())

/** Sends bytes that `fetch` would change or refuse to send. Gives the status. */
async function statusOf(method: string, target: string, headers: Record<string, string> = {}, body = '') {
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  const answer = await overSocket(cast.baseUrl, Buffer.from(head, 'latin1'), body)
  return Number(answer.slice(9, 12))
}

describe('is answered without an error of the server', () => {
  test.each(Object.entries(SEGMENTS))('%s in an address', async (_, text) => {
    const asAda = { Authorization: `Bearer ${cast.ada.token}`, 'Content-Type': 'application/json' }
    const asPage = { Cookie: cookie }
    const requests: [method: string, target: string, headers?: Record<string, string>][] = [
      ['GET', `/unsubscribe/${text}`],
      ['POST', `/unsubscribe/${text}`],
      ['POST', `/hooks/${text}`],
      ['GET', `/files/${text}`, asPage],
      ['GET', `/files/${text}/large`, asPage],
      ['GET', `/files/${file}/${text}`, asPage],
      ['GET', `/avatars/${text}/${text}.svg`],
      ['GET', `/avatars/64/${text}.webp`],
      ['GET', `/emoji/${text}.webp`],
      ['GET', `/assets/${text}`],
      ['GET', `/docs/${text}`],
      ['GET', `/images?url=${text}`, asPage],
      ['GET', `/images?url=http://${text}/`, asPage],
      ['GET', `/${text}`],
      ['GET', `/posts/${text}`, { ...asPage, Accept: 'text/html' }],
      ...[`/v2/${text}`, `/v2/posts/${text}`, `/v2/files/${text}/content`, `/v2/members/${text}`].map(
        (target): [string, string, typeof asAda] => ['GET', target, asAda],
      ),
      ...[`/v2/posts?after=${text}`, `/v2/events?after=${text}`, `/v2/search?q=${text}`, `/v2/members?q=${text}`].map(
        (target): [string, string, typeof asAda] => ['GET', target, asAda],
      ),
      ['DELETE', `/v2/reactions/${text}?emoji=${text}`, asAda],
      ['DELETE', `/v2/drafts/${text}`, asAda],
    ]
    const failed: unknown[] = []
    for (const given of requests) {
      const status = await statusOf(...given)
      if (!(status >= 200 && status < 500)) failed.push([...given.slice(0, 2), status])
    }
    expect(failed).toEqual([])
  })

  test.each(TEXTS)('%j in what pages send to sign in', async (text) => {
    const bodies: [path: string, body: object][] = [
      ['/session', { email: text, password: 'correct horse battery' }],
      ['/session', { email: 'ada@example.com', password: text }],
      ['/session', { email: 'ada@example.com', password: 'correct horse battery', workspace: text }],
      ['/session', { link: text }],
      ['/session/link', { link: text }],
      ['/session/mail', { email: text, kind: 'password_reset' }],
      ['/session/password', { link: text, password: text }],
      ['/session/email', { link: text, confirm: true }],
    ]
    for (const [path, body] of bodies) {
      const { status } = await send(cast.baseUrl, 'POST', path, body)
      expect([path, body, status]).toEqual([path, body, 422])
    }
  })

  test('bytes of any kind in a header', async () => {
    const failed: unknown[] = []
    for (const bytes of ['\x80\xff', '%00', 'x'.repeat(6_000), `parley_${'\xe9'.repeat(43)}`, '"\xed\xa0\x80"'])
      for (const [name, method, target] of [
        ['Cookie', 'POST', '/session/token'],
        ['Cookie', 'GET', `/files/${file}`],
        ['Authorization', 'GET', '/v2/me'],
        ['Idempotency-Key', 'POST', '/v2/posts'],
        ['Last-Event-ID', 'GET', '/v2/events'],
        ['If-None-Match', 'GET', '/v2/posts'],
        ['Range', 'GET', `/v2/files/${file}/content`],
        ['If-Range', 'GET', `/v2/files/${file}/content`],
        ['User-Agent', 'POST', '/session/link'],
        ['X-Forwarded-For', 'POST', '/session/link'],
        ['Content-Type', 'POST', '/v2/files'],
        ['Mcp-Name', 'POST', '/mcp'],
      ] as const) {
        const value = { Cookie: `parley_session=${bytes}`, Authorization: `Bearer ${bytes}` }[name as string] ?? bytes
        const headers = {
          Authorization: `Bearer ${cast.ada.token}`,
          'Content-Type': 'application/json',
          'Sec-Fetch-Site': 'same-origin',
          ...(name === 'Last-Event-ID' && { Accept: 'text/event-stream' }),
          [name]: value,
        }
        const status = await statusOf(method, target, headers, method === 'POST' ? '{"link":"x"}' : '')
        // The content of the file is missing here: a storage that fails is 503.
        if (!(status >= 200 && status < 500) && status !== 503) failed.push([name, target, bytes.slice(0, 20), status])
      }
    expect(failed).toEqual([])
  })

  test.each(TEXTS)('%j from an agent, and as the name of a file', async (text) => {
    const id = `post_01m7nkbe1netrtd4dy1zs9js68${text}`
    const answers = [
      await request(cast.ada, 'tools/call', { name: 'get_post', arguments: { post_id: id } }),
      await request(cast.ada, 'tools/call', { name: 'search', arguments: { query: text } }, { 'Mcp-Name': 'search' }),
      await request(cast.ada, 'resources/read', { uri: `parley://posts/${encodeURI(id.toWellFormed())}` }),
      await request(cast.ada, 'tools/list', {
        _meta: { 'io.modelcontextprotocol/clientInfo': { name: text, version: text }, 'parley/idempotency_key': text },
      }),
    ]
    expect(answers.filter(({ status, body }) => status >= 500 || body?.error?.code === -32603)).toEqual([])
    const form = new FormData()
    form.set('file', new File(['text'], text.toWellFormed()))
    const { status } = await cast.raw(cast.ada, '/v2/files', { method: 'POST', body: form })
    expect([201, 422]).toContain(status)
  })
})

test('a link to unsubscribe that is nobody’s is not found', async () => {
  for (const token of ['%00', 'x', `parley_${'x'.repeat(43)}`])
    for (const method of ['GET', 'POST']) {
      const response = await fetch(`${cast.baseUrl}/unsubscribe/${token}`, { method })
      expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('no longer works')])
    }
})
