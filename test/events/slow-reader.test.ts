import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import type { Event } from '../../src/contract/events'
import { openStreams } from '../../src/gate/live/changes'
import { MAX_STALL_MS, openSseConnection } from '../../src/http/live/sse-connection'
import { waitUntil } from '../expectations'
import { type Person, type World, world } from '../world'
import { allEvents, endOfLog } from './log'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Asks for the stream, and does not read it until told. */
async function deaf({ token, baseUrl }: { token: string; baseUrl: string }, after = ''): Promise<Socket> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await new Promise((connected) => socket.once('connect', connected))
  socket.pause()
  const headers = ['Host: x', `Authorization: Bearer ${token}`, 'Accept: text/event-stream', `Last-Event-ID: ${after}`]
  socket.write(`GET /v2/events HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  return socket
}

const LONG = `${'word '.repeat(20)}\n\n`.repeat(900)

/** So many do not fit into the buffers of the system. */
const MUCH = 95

async function postMuch(who: Person, { general }: World, times: number): Promise<{ id: string }[]> {
  const posts: { id: string }[] = []
  for (let turn = 0; turn < times; turn++)
    posts.push(await who.posts.create({ channel_id: general.id, content_markdown: `Post ${turn}\n\n${LONG}` }))
  return posts
}

const LAST_CHUNK = '\r\n0\r\n\r\n'

/** Reads until the first event is there, and then no more. */
async function hearFirst(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8')
  const listen = (piece: string) => {
    text += piece
    if (text.includes('\nevent: ')) socket.pause()
  }
  socket.on('data', listen)
  socket.resume()
  await waitUntil(async () => socket.isPaused())
  socket.off('data', listen)
  return text
}

/** Reads what was heard and all that is still to come. */
function drain(socket: Socket, heard: string) {
  let text = heard
  socket.on('data', (piece) => {
    text += piece
  })
  socket.resume()
  return {
    until: (words: string) => waitUntil(async () => text.includes(words)),
    /** All of it, once the server has ended it. */
    async whole(): Promise<string> {
      await waitUntil(async () => text.endsWith(LAST_CHUNK))
      return text
    },
  }
}

const settled = () => Bun.sleep(300)

describe('a reader that does not read', () => {
  test('is disconnected after a while; others get every event', async () => {
    const cast = await world()
    const { streams } = cast.server.parley
    const before = streams.count()
    const many = 10
    for (let turn = 0; turn < many; turn++) await deaf(cast.ada)
    await waitUntil(async () => streams.count() === before + many)
    Bun.gc(true)
    const rss = process.memoryUsage().rss
    const started = performance.now()
    await postMuch(cast.ada, cast, MUCH)
    await settled()
    Bun.gc(true)
    // Of a dozen megabytes, each holds what fits into the buffers of the system and a bit.
    expect(process.memoryUsage().rss - rss).toBeLessThan(150 * 1024 * 1024)
    if (performance.now() - started < MAX_STALL_MS) expect(streams.count()).toBe(before + many)
    await waitUntil(async () => streams.count() === before)
  }, 300_000)

  test('is disconnected within a second after its token is revoked', async () => {
    const cast = await world()
    const { streams } = cast.server.parley
    const { id, token } = await cast.ada.tokens.createMine({ scopes: ['read'] })
    const before = streams.count()
    const after = await endOfLog(cast.ada)
    await postMuch(cast.ada, cast, MUCH)
    await deaf({ token, baseUrl: cast.baseUrl }, after)
    await waitUntil(async () => streams.count() === before + 1)
    await cast.ada.tokens.delete({ id })
    const revoked = performance.now()
    await waitUntil(async () => streams.count() === before)
    // A second, and what a busy machine adds; after 10 s it would be disconnected in any case.
    expect(performance.now() - revoked).toBeLessThan(8_000)
  }, 300_000)

  test('does not get events it may no longer see', async () => {
    const cast = await world()
    const { root, ada } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const after = await endOfLog(root)
    await postMuch(root, { ...cast, general: secret }, MUCH)
    const socket = await deaf(ada, after)
    const first = await hearFirst(socket)
    await settled()
    await root.channels.removeMember({ channel_id: secret.id, member_id: ada.id })
    await settled()
    await root.posts.create({ channel_id: cast.general.id, content_markdown: 'Out in the open' })
    const reading = drain(socket, first)
    await reading.until('Out in the open')
    await root.members.update({ id: ada.id, is_deactivated: true })
    const text = await reading.whole()
    const heard = text.match(/"title":"Post \d+"/g) ?? []
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.length).toBeLessThan(MUCH)
  }, 300_000)
})

describe('a reader that reads again', () => {
  test('does not get deleted content in events that were not sent yet', async () => {
    const cast = await world()
    const { ada } = cast
    const after = await endOfLog(ada)
    const posts = await postMuch(ada, cast, MUCH)
    const socket = await deaf(ada, after)
    await settled()
    // All at once: the server waits for its reader for ten seconds.
    await Promise.all(posts.map(({ id }) => ada.posts.delete({ id })))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (piece) => {
      text += piece
    })
    socket.resume()
    await waitUntil(async () => text.split('event: post.deleted').length > MUCH)

    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line!) as Event)
    expect(events.map(({ id }) => id)).toEqual((await allEvents(ada, after)).map(({ id }) => id))
    const created = events.filter(({ type }) => type === 'post.created')
    const sent = created.findIndex(({ is_redacted }) => is_redacted)
    // What the system had already taken is sent as it was; it does not take all of it.
    expect(sent).toBeGreaterThanOrEqual(0)
    expect(created.map(({ is_redacted }) => is_redacted)).toEqual(created.map((_, at) => at >= sent))
    expect(text.match(/"title":"Post \d+"/g) ?? []).toHaveLength(sent)
  }, 300_000)
})

const START = { revision: 0, nonce: 0 }

describe('an SSE connection', () => {
  test('waits for its client for a limited time', async () => {
    const streams = openStreams()
    let hasEnded = false
    const connection = openSseConnection(streams, {
      isExpired: () => false,
      onEnd: () => (hasEnded = true),
      position: () => '',
      maxStallMs: 1_000,
    })
    const piece = new Uint8Array(200 * 1024)
    await connection.write(piece, START)
    const waiting = connection.write(piece, START)
    await Bun.sleep(10)
    expect(hasEnded).toBe(false)
    await waiting
    expect(hasEnded).toBe(true)
    expect(() => connection.write(piece, START)).toThrow('ended')
    expect(streams.count()).toBe(0)
  })

  test('continues as soon as its client reads', async () => {
    const connection = openSseConnection(openStreams(), {
      isExpired: () => false,
      onEnd: () => {},
      position: () => '',
      maxStallMs: 60_000,
    })
    const reader = connection.readable.getReader()
    const piece = new Uint8Array(200 * 1024)
    await connection.write(piece, START)
    const waiting = connection.write(piece, START)!.then(() => performance.now())
    const started = performance.now()
    for (let turn = 0; turn < 3; turn++) await reader.read()
    expect((await waiting) - started).toBeLessThan(30_000)
    connection.end()
  })
})
