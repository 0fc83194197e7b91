import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newSecret } from '../../../src/domain/secrets'
import { openBuckets } from '../../../src/gate/limits'
import { cpuTime } from '../../cpu-time'
import { json, problem } from '../../http/wire'
import { startTestServer, time } from '../../server'
import { send } from '../../session/browser'
import { world } from '../../world'

type Server = Awaited<ReturnType<typeof startTestServer>>
let server: Server

beforeAll(async () => {
  server = await startTestServer({ ANONYMOUS_RATE_LIMIT: '2', TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => server.stop())
beforeEach(() => time.freeze())
afterEach(() => time.unfreeze())

let lastAddress = 0
/** An address that no other test has come from. */
const newAddress = () => `198.51.100.${++lastAddress}`

const from = (address: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), 'X-Forwarded-For': address },
})

/** The statuses of so many requests, one after the other. */
async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const seen = []
  for (let turn = 0; turn < times; turn++) seen.push((await ask()).status)
  return seen
}

const ofEach = (...runs: [number, number][]) => runs.flatMap(([times, status]) => Array(times).fill(status))

describe('requests without a valid token', () => {
  const kinds: [string, Record<string, string>][] = [
    ['no token', {}],
    ['something that is no token', { Authorization: 'Bearer nonsense' }],
    ['a token that nobody has', { Authorization: `Bearer ${newSecret()}` }],
  ]
  test.each(kinds)('with %s are limited for each address', async (_, headers) => {
    const address = newAddress()
    const ask = () => fetch(`${server.url}/v2/posts`, from(address, { headers }))
    expect(await statuses(12, ask)).toEqual(ofEach([10, 401], [2, 429]))
    const refused = await ask()
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await problem(refused, 'rate_limited')).detail).toContain('without a valid access token')
    time.advance(1_000)
    expect(await statuses(3, ask)).toEqual(ofEach([2, 401], [1, 429]))
    expect((await fetch(`${server.url}/v2/posts`, from(newAddress()))).status).toBe(401)
  })

  test('count together: reads, writes and requests of pages', async () => {
    const address = newAddress()
    const asks = [
      () => fetch(`${server.url}/v2/me`, from(address)),
      () => fetch(`${server.url}/v2/posts`, from(address, json({ content_markdown: 'x' }))),
      () => fetch(`${server.url}/v2/events?wait=30`, from(address)),
      () => fetch(`${server.url}/v2/events`, from(address, { headers: { Accept: 'text/event-stream' } })),
      () => send(server.url, 'POST', '/session/token', {}, { 'X-Forwarded-For': address }),
    ]
    for (let turn = 0; turn < 10; turn++) expect((await asks[turn % asks.length]!()).status).toBe(401)
    for (const ask of asks) expect((await ask()).status).toBe(429)
  })

  test('do not affect valid tokens at the same address, not even a new one', async () => {
    const cast = await world(server)
    const address = newAddress()
    await statuses(15, () => fetch(`${server.url}/v2/me`, from(address)))
    for (const who of [cast.ada, cast.bob, await cast.tokenFor(cast.vic.id, ['read'])])
      expect((await cast.raw(who, '/v2/me', from(address))).status).toBe(200)
    expect((await fetch(`${server.url}/v2/me`, from(address))).status).toBe(429)
    for (const path of ['/healthz', '/docs', '/v2/openapi.json', '/'])
      expect((await fetch(server.url + path, from(address))).status).toBe(200)
  })

  test('from one IPv6 /64 network count together', async () => {
    const ask = (address: string) => fetch(`${server.url}/v2/me`, from(address))
    let last = 0
    expect(await statuses(11, () => ask(`2001:db8:1:1::${++last}`))).toEqual(ofEach([10, 401], [1, 429]))
    expect((await ask('2001:db8:1:2::1')).status).toBe(401)
  })

  test('cannot choose an address without a trusted proxy', async () => {
    const plain = await startTestServer({ ANONYMOUS_RATE_LIMIT: '2' })
    const ask = () => fetch(`${plain.url}/v2/me`, from(newAddress()))
    expect(await statuses(11, ask)).toEqual(ofEach([10, 401], [1, 429]))
    await plain.stop()
  })

  test('0 turns the limit off', async () => {
    const { raw } = await world()
    expect(await statuses(150, () => raw(undefined, '/v2/me'))).toEqual(ofEach([150, 401]))
    expect(await statuses(40, () => raw(undefined, '/session/link', json({ link: 'x' })))).toEqual(ofEach([40, 410]))
  })
})

describe('attempts to sign in', () => {
  const wrong: [string, string, object, number][] = [
    ['with a link', '/session', { link: 'x' }, 410],
    ['by looking at a link', '/session/link', { link: 'x' }, 410],
    ['with nonsense', '/session', { colour: 'red' }, 422],
  ]
  test.each(wrong)('%s are limited to 30 a minute for each address', async (_, path, body, status) => {
    const address = newAddress()
    const ask = () => send(server.url, 'POST', path, body, { 'X-Forwarded-For': address })
    expect(await statuses(31, ask)).toEqual(ofEach([30, status], [1, 429]))
    const refused = await ask()
    expect(refused.headers.get('retry-after')).toBe('2')
    expect((await problem(refused, 'rate_limited')).detail).toContain('sign-in')
    time.advance(2_000)
    expect(await statuses(2, ask)).toEqual([status, 429])
  })

  test('that succeed do not count', async () => {
    const cast = await world(server)
    const address = newAddress()
    const headers = { 'X-Forwarded-For': address }
    for (let turn = 0; turn < 35; turn++) {
      const { url } = await cast.root.members.createSignInLink({ member_id: cast.ada.id })
      const link = { link: url.match(/parley_[\w-]+/)![0] }
      expect((await send(server.url, 'POST', '/session/link', link, headers)).status).toBe(200)
      expect((await send(server.url, 'POST', '/session', link, headers)).status).toBe(201)
    }
  }, 300_000)
})

describe('the buckets', () => {
  const clock = { now: 0 }
  const open = (maxBuckets: number) =>
    openBuckets<string>({ perSecond: 1, size: 2, maxBuckets, clock: () => clock.now })

  test('that are over their limit are kept, however many new keys come', () => {
    const buckets = open(100)
    for (let turn = 0; turn < 3; turn++) buckets.take('limited')
    for (let turn = 0; turn < 1_000; turn++) {
      buckets.take(`other ${turn}`)
      if (turn % 50 === 0) expect(buckets.take('limited').isEmpty).toBe(true)
    }
    expect(buckets.take('limited').isEmpty).toBe(true)
  })

  test('are evicted once they are full again', () => {
    const buckets = open(100)
    for (let turn = 0; turn < 100; turn++) buckets.take(`before ${turn}`)
    clock.now += 2_000
    for (let turn = 0; turn < 100; turn++) {
      expect(buckets.take(`after ${turn}`).left).toBe(1)
      expect(buckets.take(`after ${turn}`).left).toBe(0)
      expect(buckets.take(`after ${turn}`).isEmpty).toBe(true)
    }
  })

  test('have a shared one for keys that find no room', () => {
    const buckets = open(10)
    for (let turn = 0; turn < 10; turn++) buckets.take(`first ${turn}`)
    const taken = Array.from({ length: 300 }, (_, turn) => buckets.take(`more ${turn}`).isEmpty)
    expect(taken.filter((isEmpty) => !isEmpty)).toHaveLength(200)
  })

  test('cost the same with one key and with 100,000', () => {
    const time = (keys: number) => {
      const buckets = open(50_000)
      return cpuTime(() => {
        for (let turn = 0; turn < 200_000; turn++) buckets.take(`key ${turn % keys}`)
      })
    }
    time(100)
    expect(time(200_000)).toBeLessThan(time(10) * 50)
  })
})
