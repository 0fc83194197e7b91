import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import type { ErrorCode } from '../../../src/contract/errors'
import { waitUntil } from '../../expectations'
import { json, overSocket, problem } from '../../http/wire'
import { bugs } from '../../server'
import { world } from '../../world'

const MIB = 1024 * 1024
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Sends a body as it is, to where posts are made; a good one would be made. */
async function sendBody(body: RequestInit['body'], headers: Record<string, string> = JSON_TYPE) {
  const cast = await world()
  return { ...cast, response: await cast.raw(cast.ada, '/v2/posts', { method: 'POST', headers, body }) }
}

describe('the size of a body', () => {
  const padded = (channel_id: string, size: number) => {
    const text = JSON.stringify({ channel_id, content_markdown: 'Hi' })
    return text.padEnd(size, ' ')
  }

  test('1 MiB is accepted, one more byte is not', async () => {
    const { ada, general, raw } = await world()
    const send = (size: number) => raw(ada, '/v2/posts', { ...json(0), body: padded(general.id, size) })
    expect((await send(MIB)).status).toBe(201)
    await problem(await send(MIB + 1), 'payload_too_large')
  })

  test('is limited without Content-Length too', async () => {
    const { ada, general, raw } = await world()
    const send = (size: number) => {
      const text = padded(general.id, size)
      const body = new ReadableStream({
        start(controller) {
          for (let at = 0; at < text.length; at += 65_536)
            controller.enqueue(new TextEncoder().encode(text.slice(at, at + 65_536)))
          controller.close()
        },
      })
      return raw(ada, '/v2/posts', { method: 'POST', headers: JSON_TYPE, body })
    }
    expect((await send(MIB)).status).toBe(201)
    await problem(await send(MIB + 1), 'payload_too_large')
  })

  const declare = (token: string, length: number) =>
    `POST /v2/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`

  test('a declared body that is much too large is refused before it is read', async () => {
    const { ada, baseUrl } = await world()
    const answer = await overSocket(baseUrl, declare(ada.token, 10 * MIB))
    expect(answer).toStartWith('HTTP/1.1 413')
    expect(answer).toContain('"code":"payload_too_large"')
    expect(await overSocket(baseUrl, declare(ada.token, 1e12))).toStartWith('HTTP/1.1 413')
  })

  test('a body that is a little too large is received before it is refused, so that a proxy which sends it sees why', async () => {
    const { ada, baseUrl } = await world()
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.write(declare(ada.token, 8 * MIB))
    for (let sent = 1; sent < 8 * MIB; sent += MIB) {
      await Bun.sleep(10)
      expect(answer).toBe('')
      await new Promise((resolve) => socket.write('x'.repeat(Math.min(MIB, 8 * MIB - sent)), resolve))
    }
    await new Promise((resolve) => socket.once('close', resolve))
    expect(answer).toStartWith('HTTP/1.1 413')
    expect(answer).toContain('"code":"payload_too_large"')
  })

  test('is limited for signing in too', async () => {
    const { raw } = await world()
    await problem(await raw(undefined, '/session', json({ link: 'a'.repeat(MIB) })), 'payload_too_large')
  })

  test('a body without a valid token is not read', async () => {
    const { baseUrl } = await world()
    const answer = await overSocket(baseUrl, 'POST /v2/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
    expect(answer).toStartWith('HTTP/1.1 401')
  })
})

describe('the type of a body', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/problem+json',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'json',
    '',
  ])('%j is refused', async (type) => {
    const { response } = await sendBody(new TextEncoder().encode('{}'), type ? { 'Content-Type': type } : {})
    await problem(response, 'unsupported_media_type')
  })

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; foo=bar',
  ])('%j is taken', async (type) => {
    const { ada, general, raw } = await world()
    const body = JSON.stringify({ channel_id: general.id, content_markdown: 'Hi' })
    const response = await raw(ada, '/v2/posts', { method: 'POST', headers: { 'Content-Type': type }, body })
    expect(response.status).toBe(201)
  })
})

describe('a body that cannot be read', () => {
  const broken: [string, string | Uint8Array<ArrayBuffer>, ErrorCode][] = [
    ['half', '{"channel_id":', 'malformed_json'],
    ['a word', 'hello', 'malformed_json'],
    ['single quotes', "{'a':1}", 'malformed_json'],
    ['a trailing comma', '{"a":1,}', 'malformed_json'],
    ['two values', '{} {}', 'malformed_json'],
    ['NaN', '{"a":NaN}', 'malformed_json'],
    ['blanks', '   ', 'malformed_json'],
    ['brackets without end', '['.repeat(500_000), 'malformed_json'],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'malformed_request'],
    ['a surrogate in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'malformed_request'],
  ]
  test.each(broken)('%s', async (_, body, code) => {
    const { response } = await sendBody(body)
    await problem(response, code)
  })
})

describe('a body that does not match the schema', () => {
  const wrong: [string, string, string][] = [
    ['an array', '[]', ''],
    ['null', 'null', ''],
    ['a string', '"x"', ''],
    ['a number', '5', ''],
    ['an unknown field', '{"colour":"red"}', 'colour'],
    ['__proto__', '{"__proto__":{"channel_id":"x","content_markdown":"x"}}', '__proto__'],
    ['constructor', '{"constructor":{"prototype":{}}}', 'constructor'],
    ['a field of the answer', '{"id":"post_1"}', 'id'],
    ['the wrong type', '{"content_markdown":5}', 'content_markdown'],
    ['a NUL', '{"channel_id":"x","content_markdown":"a\\u0000b"}', ''],
    ['half a surrogate pair', '{"channel_id":"x","content_markdown":"a\\ud800b"}', ''],
    ['too long a text', `{"content_markdown":"${'a'.repeat(100_001)}"}`, 'content_markdown'],
    ['deep nesting', `{"x":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, 'x'],
    [
      'ten thousand unknown fields',
      `{${Array.from({ length: 10_000 }, (_, at) => `"f${at}":1`).join()}}`,
      'channel_id',
    ],
  ]
  test.each(wrong)('%s is refused by name', async (_, body, name) => {
    const { response, events } = await sendBody(body)
    const { errors } = await problem(response, 'invalid_input')
    expect(errors!.map((error) => error.name)).toContain(name)
    expect(await events()).toEqual([])
  })

  test('a list nested as deeply as fits into a body is refused by name', async () => {
    const { root, raw } = await world()
    const depth = 200_000
    const body = `{"url":"https://example.com/","types":[${'['.repeat(depth)}${']'.repeat(depth)},1]}`
    const response = await raw(root, '/v2/webhooks', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    })
    const { errors } = await problem(response, 'invalid_input')
    expect(errors!.map((error) => error.name)).toContain('types[0]')
  })

  test('no body is the same as an empty one', async () => {
    const { ada, general, raw } = await world()
    const { errors } = await problem(await raw(ada, '/v2/posts', { method: 'POST' }), 'invalid_input')
    expect(errors).toMatchObject([{ name: 'channel_id' }])
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    expect((await raw(ada, `/v2/posts/${post.id}/resolution`, { method: 'POST' })).status).toBe(201)
  })

  test.each([
    ['half of what was announced', 'Content-Length: 500\r\n\r\n{"channel_id":'],
    ['half a piece', 'Transfer-Encoding: chunked\r\n\r\n9\r\n{"a":'],
    ['pieces of no length', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
  ])('%s, and then nobody there, is no bug of ours', async (_, rest) => {
    const { ada, baseUrl } = await world()
    const refusals = async () => {
      const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
      return Number(metrics.match(/^parley_requests_total\{operation="posts.create",status="400"\} (\d+)/m)?.[1] ?? 0)
    }
    const before = await refusals()
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
    socket.on('error', () => {})
    const head = `POST /v2/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n`
    socket.write(`${head}Content-Type: application/json\r\n${rest}`, () => setTimeout(() => socket.destroy(), 100))
    await waitUntil(async () => (await refusals()) === before + 1)
    expect(bugs).toEqual([])
  })

  test('an optional id may be empty or null', async () => {
    const { ada, general, raw } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    for (const parent_id of ['', null]) {
      const response = await raw(ada, `/v2/posts/${post.id}/comments`, json({ content_markdown: 'x', parent_id }))
      expect(response.status).toBe(201)
    }
  })

  test('an operation without query parameters refuses any', async () => {
    const { ada, raw } = await world()
    const { errors } = await problem(await raw(ada, '/v2/me?verbose=1'), 'invalid_input')
    expect(errors).toEqual([{ in: 'query', name: 'verbose', message: expect.stringContaining('verbose') }])
  })
})

describe('hostile Markdown', () => {
  test.each(['>', '> ', '[', '*', '_a__b', '1. ', '*_', '<b>', '![', '`', '> - '])(
    '%j again and again is a post within four seconds of processor time',
    async (piece) => {
      const { ada, general } = await world()
      const before = process.cpuUsage()
      const post = await ada.posts.create({
        channel_id: general.id,
        content_markdown: piece.repeat(100_000 / piece.length),
      })
      expect(process.cpuUsage(before).user / 1e6).toBeLessThan(4)
      expect((await ada.posts.get({ id: post.id })).content).toBe(post.content)
    },
  )
})
