import { afterAll, describe, expect, test } from 'bun:test'
import { connect as openSocket } from 'node:net'
import { connect } from '../../bench/lib/connection'
import { openLoadShedding } from '../../src/http/load-shedding/limit'
import { openLog } from '../../src/log'
import { ApiError } from '../client'
import { engineUnderTest, newMigratedDatabase, startTestServer } from '../server'
import { world } from '../world'
import { waitUntil } from './child'
import { lockWrites } from './lock-writes'
import { rawHead, rawPost } from './raw-requests'

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

/** A server on which no request waits longer than that. */
async function startWithShortQueue(maxMs: number) {
  const database = await newMigratedDatabase()
  const server = await startTestServer(
    { DATABASE_URL: database.url },
    { requestQueue: { maxLength: 1_000, maxWaitMs: maxMs, maxStandingMs: maxMs } },
  )
  endings.push(database.drop, server.stop)
  const { ada, general } = await world(server)
  return { database, server, ada, general }
}

describe('the request queue', () => {
  const log = openLog({ level: 'warn', format: 'json', write() {} })
  const queue = { maxLength: 100, maxWaitMs: 100_000, maxStandingMs: 100 }

  test('holds a burst of requests', async () => {
    const { read } = openLoadShedding(1, log, queue)
    expect(read.tryAcquire()).toBe(true)
    const waiting = [read.acquire(), read.acquire()]
    await Bun.sleep(300)
    read.release()
    read.release()
    expect(await Promise.all(waiting)).toEqual([true, true])
  })

  test('refuses queued requests if it does not become shorter', async () => {
    const { read } = openLoadShedding(1, log, queue)
    expect(read.tryAcquire()).toBe(true)
    const started = performance.now()
    const waiting = [read.acquire(), read.acquire()]
    while (performance.now() - started < 300) {
      void read.acquire()
      await Bun.sleep(10)
    }
    expect(await read.acquire()).toBe(false)
    expect(await Promise.all(waiting)).toEqual([false, false])
    expect(performance.now() - started).toBeLessThan(queue.maxWaitMs / 2)
    read.release()
    expect(read.tryAcquire()).toBe(true)
  })

  test('refuses queued requests if the event loop was blocked and no others arrived meanwhile', async () => {
    const { read } = openLoadShedding(1, log, queue)
    expect(read.tryAcquire()).toBe(true)
    const waiting = [read.acquire(), read.acquire()]
    Bun.sleepSync(1_000)
    expect(await read.acquire()).toBe(false)
    expect(await Promise.all(waiting)).toEqual([false, false])
  })

  test('is open again after a pause', async () => {
    const { read } = openLoadShedding(1, log, queue)
    expect(read.tryAcquire()).toBe(true)
    void read.acquire()
    Bun.sleepSync(1_000)
    expect(await read.acquire()).toBe(false)
    read.release()
    await Bun.sleep(1_000)
    expect(read.tryAcquire()).toBe(true)
    const waiting = read.acquire()
    read.release()
    expect(await waiting).toBe(true)
  })

  test('refuses requests that wait too long; running ones are completed', async () => {
    const { database, server, ada, general } = await startWithShortQueue(1_000)
    const { usefulConcurrency } = server.parley.engine
    const post = { channel_id: general.id, content_markdown: 'Hello' }
    const request = Buffer.from(rawPost(ada.token, '/v2/posts', post))
    const statuses: number[] = []
    const release = await lockWrites(database.url)
    const port = Number(new URL(server.url).port)
    const connections = await Promise.all(
      Array.from({ length: usefulConcurrency + 20 }, () =>
        connect(port, (status) => statuses.push(status), expect.unreachable),
      ),
    )
    for (const connection of connections) connection.send(request)

    await waitUntil(() => statuses.length >= 20)
    expect(new Set(statuses)).toEqual(new Set([503]))
    const refused = await ada.posts.create(post).catch((error) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect([refused.code, refused.headers.get('retry-after')]).toEqual(['unavailable', '1'])
    if (engineUnderTest === 'sqlite') expect((await ada.posts.list()).data).toEqual([])

    await release()
    await waitUntil(() => statuses.length === connections.length)
    for (const connection of connections) connection.close()
    const done = statuses.filter((status) => status === 201).length
    expect(done).toBeLessThanOrEqual(usefulConcurrency)
    await ada.posts.create(post)
    expect((await ada.posts.list({ limit: 1 })).total_count).toBe(done + 1)
  }, 300_000)

  test('is not blocked by slow bodies', async () => {
    // Half of the time after which a body is too slow.
    const { server, ada, general } = await startWithShortQueue(5_000)
    const { port, hostname } = new URL(server.url)
    const slow = Array.from({ length: server.parley.engine.usefulConcurrency + 20 }, () => {
      const socket = openSocket(Number(port), hostname)
      socket.on('error', () => {})
      socket.write(
        `${rawHead(ada.token, 'POST /v2/posts')}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      )
      return socket
    })
    await Promise.all(slow.map((socket) => new Promise((connected) => socket.once('connect', connected))))
    for (let turn = 0; turn < 5; turn++)
      await ada.posts.create({ channel_id: general.id, content_markdown: 'In between' })
    for (const socket of slow) socket.destroy()
  }, 300_000)
})
