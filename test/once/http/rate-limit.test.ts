import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Running } from '../../../src/server'
import { json, problem } from '../../http/wire'
import { startTestServer, time } from '../../server'
import { type Person, world } from '../../world'

let limited: Running

beforeAll(async () => {
  limited = await startTestServer({ RATE_LIMIT: '5' })
})
afterAll(() => limited.stop())
beforeEach(() => time.freeze())
afterEach(() => time.unfreeze())

const cast = () => world(limited)
type Cast = Awaited<ReturnType<typeof cast>>

const spend = async ({ raw }: Cast, who: Person, times: number) => {
  const responses = []
  for (let at = 0; at < times; at++) responses.push(await raw(who, '/v2/me'))
  return responses
}

describe('the rate limit', () => {
  test('has headers on every response', async () => {
    const { ada, raw } = await cast()
    const first = await raw(ada, '/v2/me')
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=10;w=2')
    expect(first.headers.get('ratelimit')).toBe('"default";r=9;t=1')
    const etag = first.headers.get('etag')!
    const others = [
      await raw(ada, '/v2/me', { headers: { 'If-None-Match': etag } }),
      await raw(ada, '/v2/posts/x'),
      await raw(ada, '/v2/posts', json({})),
      await raw(ada, '/v2/webhooks'),
    ]
    expect(others.map(({ status, headers }) => [status, headers.get('ratelimit')])).toEqual([
      [304, '"default";r=8;t=1'],
      [404, '"default";r=7;t=1'],
      [422, '"default";r=6;t=1'],
      [403, '"default";r=5;t=1'],
    ])
  })

  test('allows bursts of twice the rate, then refuses with Retry-After', async () => {
    const all = await cast()
    const responses = await spend(all, all.ada, 11)
    expect(responses.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(200))
    const refused = responses[10]!
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=2')
    await problem(refused, 'rate_limited')
  })

  test('recovers at its rate, up to its size', async () => {
    const all = await cast()
    await spend(all, all.ada, 10)
    time.advance(199)
    expect((await spend(all, all.ada, 1))[0]!.status).toBe(429)
    time.advance(1)
    expect((await spend(all, all.ada, 2)).map(({ status }) => status)).toEqual([200, 429])
    time.advance(60_000)
    expect((await spend(all, all.ada, 11)).filter(({ status }) => status === 200)).toHaveLength(10)
  })

  test('has no effect when it refuses', async () => {
    const all = await cast()
    await spend(all, all.ada, 10)
    const response = await all.raw(all.ada, '/v2/posts', json({ channel_id: all.general.id, content_markdown: 'x' }))
    await problem(response, 'rate_limited')
    expect(await all.events()).toEqual([])
  })

  test('applies to each token separately', async () => {
    const all = await cast()
    const second = await all.tokenFor(all.ada.id, ['read'])
    await spend(all, all.ada, 11)
    expect((await spend(all, second, 1))[0]!.status).toBe(200)
    expect((await spend(all, all.bob, 1))[0]!.status).toBe(200)
  })

  test('does not apply to requests without a valid token', async () => {
    const { raw } = await cast()
    const { headers, status } = await raw(undefined, '/v2/me')
    expect([status, headers.get('ratelimit')]).toEqual([401, null])
  })

  test('0 turns it off', async () => {
    const { ada, raw } = await world()
    const responses = await Promise.all(Array.from({ length: 300 }, () => raw(ada, '/v2/me')))
    expect(responses.every(({ status, headers }) => status === 200 && !headers.has('ratelimit'))).toBe(true)
  })
})
