import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { settings } from '../../src/config/settings'
import { waitUntil } from '../expectations'
import { problem } from '../http/wire'
import { startTestServer } from '../server'
import { type World, world } from '../world'
import { type Following, followLog } from './following'

setDefaultTimeout(300_000)

const LIMIT = Number(settings.STREAM_LIMIT.fallback)
let server: Awaited<ReturnType<typeof startTestServer>>

beforeAll(async () => {
  server = await startTestServer({ STREAM_LIMIT: settings.STREAM_LIMIT.fallback, STREAM_TOTAL: '120' })
})
afterAll(() => server.stop())

const fill = (who: { token: string; baseUrl: string }, many = LIMIT) =>
  Promise.all(Array.from({ length: many }, () => followLog(who)))

const closeAll = (streams: readonly Following[]) => {
  for (const stream of streams) stream.close()
}

/** Until someone may open one more stream. */
const untilRoom = (who: World['ada']) =>
  waitUntil(async () => {
    const stream = await followLog(who)
    stream.close()
    return stream.response.status === 200
  })

describe('the streams of one member or app', () => {
  test('are limited; others are not affected', async () => {
    const cast = await world(server)
    const streams = await fill(cast.ada)
    const another = await cast.tokenFor(cast.ada.id, ['read'])
    for (const who of [cast.ada, another]) {
      const { response } = await followLog(who)
      expect(response.headers.get('retry-after')).toBe('5')
      expect((await problem(response, 'too_many_streams')).detail).toContain(`${LIMIT} live streams`)
    }
    for (const who of [cast.bob, cast.bot]) {
      const stream = await followLog(who)
      expect(stream.response.status).toBe(200)
      streams.push(stream)
    }
    expect((await cast.ada.events.list({})).data).toBeArray()
    closeAll(streams)
    await untilRoom(cast.ada)
  })

  test('free their slot when closed, also if the client vanished', async () => {
    const cast = await world(server)
    const streams = await fill(cast.ada, LIMIT - 1)
    const socket = connect(Number(new URL(cast.baseUrl).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `GET /v2/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${cast.ada.token}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    expect((await followLog(cast.ada)).response.status).toBe(429)
    socket.destroy()
    await untilRoom(cast.ada)

    streams[0]!.close()
    await waitUntil(async () => {
      const stream = await followLog(cast.ada)
      streams.push(stream)
      return stream.response.status === 200
    })
    closeAll(streams)
  })

  test('hold no slot if they fail to start', async () => {
    const cast = await world(server)
    for (let turn = 0; turn < LIMIT + 5; turn++) {
      expect((await followLog(cast.ada, { lastEventId: 'nonsense' })).response.status).toBe(422)
      const headers = { Accept: 'text/event-stream' }
      expect((await cast.raw(cast.ada, '/v2/events', { method: 'HEAD', headers })).status).toBe(200)
    }
    const head = `GET /v2/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${cast.ada.token}\r\n\r\n`
    for (let turn = 0; turn < LIMIT + 5; turn++) {
      const socket = connect(Number(new URL(cast.baseUrl).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(head, () => socket.destroy())
    }
    await Bun.sleep(200)
    closeAll(await fillAll(cast))
  })

  test('include waiting polls', async () => {
    const cast = await world(server)
    const after = (await cast.ada.events.list({ types: ['channel.deleted'] })).next_cursor
    const gone = new AbortController()
    const poll = () => cast.raw(cast.ada, `/v2/events?after=${after}&wait=30`, { signal: gone.signal })
    const polls = Array.from({ length: LIMIT + 1 }, poll)
    await problem(await Promise.race(polls), 'too_many_streams')
    expect((await followLog(cast.ada)).response.status).toBe(429)
    expect((await cast.raw(cast.ada, `/v2/events?after=${after}`)).status).toBe(200)
    gone.abort()
    await Promise.allSettled(polls)
    await untilRoom(cast.ada)
  })

  /** As many as are allowed, once the server has noticed that earlier ones are gone. */
  async function fillAll(cast: World): Promise<Following[]> {
    let streams: Following[] = []
    await waitUntil(async () => {
      streams = await fill(cast.ada)
      const isFull = streams.every(({ response }) => response.status === 200)
      if (!isFull) closeAll(streams)
      return isFull
    })
    return streams
  }
})

test('a server accepts a limited number of streams', async () => {
  const cast = await world(server)
  await waitUntil(async () => server.parley.streams.count() === 0)
  const streams = (await Promise.all([cast.ada, cast.bob, cast.bot].map((who) => fill(who, 40)))).flat()
  const { response } = await followLog(cast.vic)
  expect(response.headers.get('retry-after')).toBe('5')
  expect((await problem(response, 'unavailable')).detail).toContain('120 live streams')
  expect((await cast.raw(cast.vic, '/v2/posts')).status).toBe(200)
  closeAll(streams)
  await untilRoom(cast.vic)
})

test('the typed client retries until there is a slot', async () => {
  const cast = await world(server)
  const streams = await fill(cast.ada)
  const gone = new AbortController()
  const heard: string[] = []
  const following = (async () => {
    for await (const { type } of cast.ada.events.stream({}, { signal: gone.signal })) heard.push(type)
  })()
  await Bun.sleep(300)
  closeAll(streams)
  await waitUntil(async () => {
    await cast.bob.posts.create({ channel_id: cast.general.id, content_markdown: 'Hi' })
    return heard.length > 0
  })
  gone.abort()
  await following
})
