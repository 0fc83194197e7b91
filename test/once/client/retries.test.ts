import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { ConnectionError, Parley, TimeoutError } from '../../../src/client'
import { freePort } from '../../postgres'
import { world } from '../../world'
import { type Answer, errorOf, openScriptedServer, problem } from './scripted-server'

const post = { channel_id: 'chan_1', content_markdown: 'Lunch?' }
const ok: Answer = { status: 201, body: { id: 'post_1' } }

const TIMEOUT_MS = 60_000

/** Waits are a hundred times shorter than the client asks for. What it asks for is recorded. Time-outs stay as they are. */
function shortenWaits() {
  const waits: number[] = []
  const setTimer = setTimeout
  const spy = spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, milliseconds: number) => {
    if (milliseconds === TIMEOUT_MS) return setTimer(work, milliseconds)
    waits.push(milliseconds)
    return setTimer(work, milliseconds / 100)
  }) as typeof setTimeout)
  return { waits, restore: () => spy.mockRestore() }
}

/** Random numbers are this one until the end of the block. */
function fixRandom(value: number): Disposable {
  const spy = spyOn(Math, 'random').mockReturnValue(value)
  return { [Symbol.dispose]: () => spy.mockRestore() }
}

describe('retries', () => {
  let shortened: ReturnType<typeof shortenWaits>
  beforeEach(() => {
    shortened = shortenWaits()
  })
  afterEach(() => shortened.restore())

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

  test('after five of them the error is thrown, or after as many as are asked for', async () => {
    await using server = await openScriptedServer([problem('unavailable', { 'Retry-After': '0' })])
    expect(await errorOf(server.client.posts.list())).toMatchObject({ code: 'unavailable' })
    expect(server.asked.length).toBe(6)
    await errorOf(server.client.posts.list({}, { retries: 0 }))
    expect(server.asked.length).toBe(7)
    await errorOf(server.client.posts.list({}, { retries: 2 }))
    expect(server.asked.length).toBe(10)
  })

  test.each([
    ['a lost connection', { after: 'ends' } as Answer],
    ['503', problem('unavailable')],
    ['503 that asks for no patience', problem('unavailable', { 'Retry-After': '0' })],
  ])('after %s wait for more than two seconds in all, and not for ever', async (_, failure) => {
    await using server = await openScriptedServer([failure])
    for (const [value, expected] of [
      [0, [125, 250, 500, 1000, 2000]],
      [1, [250, 500, 1000, 2000, 4000]],
    ] as const) {
      using _random = fixRandom(value)
      await errorOf(server.client.posts.list())
      expect(shortened.waits.splice(0)).toEqual([...expected])
    }
  })

  test('of calls that failed together do not come together', async () => {
    await using server = await openScriptedServer([problem('unavailable', { 'Retry-After': '1' })])
    const calls = 40
    await Promise.all(Array.from({ length: calls }, () => errorOf(server.client.posts.list({}, { retries: 1 }))))
    expect(server.asked.length).toBe(2 * calls)
    const { waits } = shortened
    expect([waits.length, new Set(waits).size]).toEqual([calls, calls])
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(50)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000)
  })

  test('wait as long as the server asks for, but not longer than a minute', async () => {
    await using server = await openScriptedServer([problem('rate_limited', { 'Retry-After': '7' }), ok])
    await server.client.posts.list()
    expect([server.asked.length, shortened.waits.length]).toEqual([2, 1])
    expect(shortened.waits[0]).toBeWithin(7_000, 7_251)
    await using patient = await openScriptedServer([problem('unavailable', { 'Retry-After': '61' }), ok])
    expect(await errorOf(patient.client.posts.list())).toMatchObject({ code: 'unavailable' })
    expect(patient.asked.length).toBe(1)
  })

  test('of a deletion succeed if the first attempt has deleted it', async () => {
    await using server = await openScriptedServer([{ after: 'ends' }, problem('not_found')])
    expect(await server.client.posts.delete({ id: 'post_1' })).toBeUndefined()
    const again = server.client.posts.delete({ id: 'post_1' })
    expect(await errorOf(again)).toMatchObject({ code: 'not_found' })
  })

  test('of a deletion that was only refused before do not hide that there is nothing to delete', async () => {
    for (const code of ['rate_limited', 'request_timeout'] as const) {
      await using server = await openScriptedServer([problem(code), problem('not_found')])
      expect(await errorOf(server.client.posts.delete({ id: 'post_1' }))).toMatchObject({ code: 'not_found' })
      expect(server.asked.length).toBe(2)
    }
  })

  test('of an operation that returns a record do not hide that it is gone', async () => {
    await using server = await openScriptedServer([{ after: 'ends' }, problem('not_found')])
    expect(await errorOf(server.client.posts.unresolve({ post_id: 'post_1' }))).toMatchObject({ code: 'not_found' })
  })
})

/**
 * What is in front of a server that is away for two seconds: nothing listens there, or something that responds with 503. Then it
 * passes everything on.
 */
async function openInterrupted(target: string, isListening: boolean) {
  let isBack = false
  let refused = 0
  const port = await freePort()
  const listen = () =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch({ url, method, headers, body }) {
        if (isBack) return fetch(target + new URL(url).pathname, { method, headers, body })
        refused += 1
        return new Response('<h1>503</h1>', { status: 503 })
      },
    })
  let proxy = isListening ? listen() : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    refused: () => refused,
    async comeBack() {
      isBack = true
      proxy ??= listen()
    },
    [Symbol.asyncDispose]: async () => proxy?.stop(true),
  }
}

test('a call outlasts a restart of two seconds, and happens once', async () => {
  const { baseUrl, ada, general } = await world()
  await using refusing = await openInterrupted(baseUrl, false)
  await using unavailable = await openInterrupted(baseUrl, true)
  // The shortest waits there can be.
  using _random = fixRandom(0)
  const calls = [refusing, unavailable].flatMap(({ url }) => {
    const client = new Parley({ baseUrl: url, token: ada.token })
    return [client.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' }), client.posts.list()]
  })
  await Bun.sleep(2_000)
  await refusing.comeBack()
  await unavailable.comeBack()
  await Promise.all(calls)
  expect(unavailable.refused()).toBeGreaterThan(2)
  expect((await ada.posts.list({ channel_id: general.id })).total_count).toBe(2)
}, 300_000)

describe('a call', () => {
  test('fails if there is no response in time, also in the middle of one', async () => {
    await using server = await openScriptedServer([{ body: '{', after: 'silence' }], { timeout: 1_000, retries: 1 })
    const error = await errorOf(server.client.me.get())
    expect([error.name, error instanceof TimeoutError, error instanceof ConnectionError]).toEqual([
      'TimeoutError',
      true,
      true,
    ])
    expect(server.asked.length).toBe(2)
    await errorOf(server.client.me.get({}, { timeout: 500, retries: 0 }))
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
      const signal = AbortSignal.timeout(1_000)
      expect((await errorOf(server.client.me.get({}, { signal }))).name).toBe('TimeoutError')
      expect(performance.now() - started).toBeLessThan(30_000)
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
