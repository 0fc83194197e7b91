import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { ConnectionError, TimeoutError } from '../../../src/client'
import { type Answer, errorOf, openScriptedServer, problem } from './scripted-server'

const post = { channel_id: 'chan_1', content_markdown: 'Lunch?' }
const ok: Answer = { status: 201, body: { id: 'post_1' } }

/** Delays are a random part of a time. Here they are short, unless a test wants them to be long. */
let random: Mock<typeof Math.random>
beforeEach(() => {
  random = spyOn(Math, 'random').mockReturnValue(0.02)
})
afterEach(() => random.mockRestore())

describe('retries', () => {
  const passing: Record<string, Answer> = {
    'a lost connection': { after: 'ends' },
    'a truncated response': { body: '{"id":"po', after: 'cut' },
    'a response that is not JSON': { body: '{"id":"po' },
    408: problem('request_timeout'),
    429: problem('rate_limited'),
    500: problem('internal'),
    502: { status: 502, body: '<h1>Bad gateway</h1>' },
    503: problem('unavailable'),
    idempotency_in_progress: problem('idempotency_in_progress'),
  }
  test.each(Object.entries(passing))('after %s, the same request is sent again', async (_, failure) => {
    await using server = await openScriptedServer([failure, failure, ok])
    expect<unknown>(await server.client.posts.create(post)).toEqual({ id: 'post_1' })
    const [first, ...others] = server.asked
    expect(others.length).toBe(2)
    expect(first!.headers['idempotency-key']).toMatch(/^\S{16,}$/)
    for (const { body, headers } of others)
      expect([body, headers['idempotency-key']]).toEqual([first!.body, first!.headers['idempotency-key']])
  })

  test('every POST has a key of its own, or the one that is given; other methods have none', async () => {
    await using server = await openScriptedServer([ok])
    await server.client.posts.create(post)
    await server.client.posts.create(post)
    await server.client.posts.create(post, { idempotencyKey: 'nightly' })
    await server.client.posts.update({ id: 'post_1', title: 'Lunch' }, { idempotencyKey: 'nightly' })
    const keys = server.asked.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(4)
    expect(keys.slice(2)).toEqual(['nightly', undefined])
  })

  test.each(['malformed_json', 'unauthenticated', 'forbidden', 'not_found', 'name_taken', 'invalid_input'] as const)(
    'after %s, nothing is sent again',
    async (code) => {
      await using server = await openScriptedServer([problem(code)])
      expect(await errorOf(server.client.posts.create(post))).toMatchObject({ code })
      expect(server.asked.length).toBe(1)
    },
  )

  test('after two of them the error is thrown, or after as many as are asked for', async () => {
    await using server = await openScriptedServer([problem('unavailable', { 'Retry-After': '0' })])
    expect(await errorOf(server.client.posts.list())).toMatchObject({ code: 'unavailable' })
    expect(server.asked.length).toBe(3)
    await errorOf(server.client.posts.list({}, { retries: 0 }))
    expect(server.asked.length).toBe(4)
    await errorOf(server.client.posts.list({}, { retries: 5 }))
    expect(server.asked.length).toBe(10)
  })

  test('wait as long as the server asks for, but not longer than a minute', async () => {
    await using server = await openScriptedServer([problem('rate_limited', { 'Retry-After': '1' }), ok])
    await server.client.posts.list()
    expect(server.asked[1]!.at - server.asked[0]!.at).toBeGreaterThan(990)
    await using patient = await openScriptedServer([problem('unavailable', { 'Retry-After': '61' }), ok])
    expect(await errorOf(patient.client.posts.list())).toMatchObject({ code: 'unavailable' })
    expect(patient.asked.length).toBe(1)
  })

  test('wait a random part of a time that doubles', async () => {
    await using server = await openScriptedServer([{ after: 'ends' }])
    random.mockReturnValue(0)
    const started = performance.now()
    await errorOf(server.client.posts.list())
    expect(performance.now() - started).toBeLessThan(400)
    random.mockReturnValue(0.5)
    await errorOf(server.client.posts.list())
    const [a, b, c] = server.asked.slice(3).map(({ at }) => at) as [number, number, number]
    expect(b - a).toBeGreaterThan(245)
    expect(c - b).toBeGreaterThan(495)
  })

  test('of a deletion succeed if the first attempt has deleted it', async () => {
    await using server = await openScriptedServer([{ after: 'ends' }, problem('not_found')])
    expect(await server.client.posts.delete({ id: 'post_1' })).toBeUndefined()
    const again = server.client.posts.delete({ id: 'post_1' })
    expect(await errorOf(again)).toMatchObject({ code: 'not_found' })
  })

  test('of an operation that returns a record do not hide that it is gone', async () => {
    await using server = await openScriptedServer([{ after: 'ends' }, problem('not_found')])
    expect(await errorOf(server.client.posts.unresolve({ post_id: 'post_1' }))).toMatchObject({ code: 'not_found' })
  })
})

describe('a call', () => {
  test('fails if there is no response in time, also in the middle of one', async () => {
    await using server = await openScriptedServer([{ body: '{', after: 'silence' }], { timeout: 100, retries: 1 })
    const error = await errorOf(server.client.me.get())
    expect([error.name, error instanceof TimeoutError, error instanceof ConnectionError]).toEqual([
      'TimeoutError',
      true,
      true,
    ])
    expect(server.asked.length).toBe(2)
    await errorOf(server.client.me.get({}, { timeout: 50, retries: 0 }))
    expect(server.asked.length).toBe(3)
  })

  test('fails in time also if a custom fetch ignores its signal', async () => {
    const never = (() => new Promise(() => {})) as unknown as typeof fetch
    await using server = await openScriptedServer([ok], { fetch: never, retries: 0, timeout: 50 })
    expect((await errorOf(server.client.me.get())).name).toBe('TimeoutError')
  })

  test.each([[{ after: 'silence' } as const], [problem('unavailable', { 'Retry-After': '60' })]])(
    'ends at once when it is aborted: %j',
    async (answer) => {
      await using server = await openScriptedServer([answer])
      const started = performance.now()
      const signal = AbortSignal.timeout(200)
      expect((await errorOf(server.client.me.get({}, { signal }))).name).toBe('TimeoutError')
      expect(performance.now() - started).toBeLessThan(5_000)
      expect(server.asked.length).toBe(1)
      const aborted = AbortSignal.abort(new Error('No longer needed'))
      expect((await errorOf(server.client.me.get({}, { signal: aborted }))).message).toBe('No longer needed')
    },
  )

  test('fails if the server cannot be reached, and says why', async () => {
    const server = await openScriptedServer([ok], { retries: 0 })
    await server[Symbol.asyncDispose]()
    const error = await errorOf(server.client.me.get())
    expect([error.name, error.message]).toEqual([
      'ConnectionError',
      expect.stringMatching(/^The server could not be reached: .*(ECONNREFUSED|Unable to connect)/),
    ])
  })
})

describe('hooks', () => {
  test('see each attempt, and may change the headers', async () => {
    const seen: string[] = []
    await using server = await openScriptedServer([{ after: 'ends' }, problem('unavailable'), ok], {
      onRequest: ({ method, url, headers }) => {
        seen.push(`${method} ${new URL(url).pathname}`)
        headers.set('X-Source', 'ci')
      },
      onResponse: ({ status }, { method }) => void seen.push(`${method} ${status}`),
    })
    await server.client.posts.list()
    expect(seen).toEqual(['GET /v2/posts', 'GET /v2/posts', 'GET 503', 'GET /v2/posts', 'GET 201'])
    expect(server.asked.map(({ headers }) => headers['x-source'])).toEqual(['ci', 'ci', 'ci'])
  })

  test('that throw end the call with their error', async () => {
    const onRequest = () => {
      throw new RangeError('Not allowed')
    }
    await using server = await openScriptedServer([ok], { onRequest })
    expect((await errorOf(server.client.posts.list())).name).toBe('RangeError')
    expect((await errorOf(server.client.events.stream().next())).name).toBe('RangeError')
    expect(server.asked.length).toBe(0)
  })
})
