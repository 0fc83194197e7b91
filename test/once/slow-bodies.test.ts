import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import type { BodyLimits } from '../../src/http/body'
import { waitUntil } from '../expectations'
import { newMigratedDatabase, startTestServer } from '../server'
import { lockWrites } from '../torture/lock-writes'
import { type Person, world } from '../world'

setDefaultTimeout(300_000)

const KIB = 1024
const MIB = 1024 * KIB
/** The production limits, with a twentieth of the time and an eighth of the memory. */
const bodyLimits: BodyLimits = {
  tickMs: 50,
  deadlineTicks: 40,
  windowTicks: 10,
  bytesPerWindow: 2 * KIB,
  totalBytes: 8 * MIB,
}

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

let shared: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  shared = await startTestServer({}, { bodyLimits })
  endings.push(shared.stop)
})

const cast = () => world(shared)

/** A raw connection to the server. */
function openWire(baseUrl: string) {
  let answer = ''
  let isClosed = false
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  socket.setEncoding('utf8')
  socket.on('data', (text) => {
    answer += text
  })
  socket.on('error', () => {})
  const answered = new Promise<string>((resolve) => socket.once('data', (text) => resolve(String(text))))
  const closed = new Promise<string>((resolve) =>
    socket.on('close', () => {
      isClosed = true
      resolve(answer)
    }),
  )
  return {
    send: (piece: string) => socket.write(piece),
    /** The first data received. */
    answered,
    /** Everything received, once the server has closed the connection. */
    closed,
    isClosed: () => isClosed,
    end: () => socket.destroy(),
  }
}

type Wire = ReturnType<typeof openWire>

const head = (who: Person | undefined, line: string, length: number | 'chunked', type = 'application/json') =>
  [
    `${line} HTTP/1.1`,
    'Host: x',
    ...(who ? [`Authorization: Bearer ${who.token}`] : []),
    `Content-Type: ${type}`,
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n')

/** Sends a piece repeatedly until the server closes the connection. */
async function drip(wire: Wire, piece: string, everyMs: number): Promise<string> {
  while (!wire.isClosed()) {
    wire.send(piece)
    await Bun.sleep(everyMs)
  }
  return wire.closed
}

function expectTimeout(answer: string) {
  expect(answer).toStartWith('HTTP/1.1 408')
  expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n')
  expect(answer).toContain('"code":"request_timeout"')
}

async function heldBytes(baseUrl: string): Promise<number> {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  return Number(metrics.match(/^parley_unfinished_body_bytes (\d+)/m)![1])
}

describe('a body that arrives too slowly is refused with 408, and nothing changes', () => {
  test.each([
    ['of which nothing arrives', 100, ''],
    ['that is small and stalls', 100, '{"channel_id":'],
    ['that is large and stalls a byte before its end', MIB, 'x'.repeat(MIB - 1)],
    ['in chunks, of which nothing arrives', 'chunked' as const, ''],
    ['in chunks, of which the last is missing', 'chunked' as const, `100000\r\n${'x'.repeat(MIB)}\r\n`],
  ])('one %s', async (_, length, sent) => {
    const { ada, baseUrl, events } = await cast()
    const wire = openWire(baseUrl)
    wire.send(head(ada, 'POST /v2/posts', length) + sent)
    expectTimeout(await wire.closed)
    expect(await events()).toEqual([])
    await waitUntil(async () => (await heldBytes(baseUrl)) === 0)
  })

  test('a body that trickles in', async () => {
    const { ada, baseUrl } = await cast()
    const wire = openWire(baseUrl)
    wire.send(head(ada, 'POST /v2/posts', MIB))
    expectTimeout(await drip(wire, 'x', 20))
  })

  test('a body that keeps the minimum rate but misses the deadline', async () => {
    const { ada, baseUrl } = await cast()
    const wire = openWire(baseUrl)
    wire.send(head(ada, 'POST /v2/posts', MIB))
    expectTimeout(await drip(wire, 'x'.repeat(2 * KIB), 50))
  })

  test('a sign-in', async () => {
    const { baseUrl } = await cast()
    const wires = [openWire(baseUrl), openWire(baseUrl)]
    wires[0]!.send(`${head(undefined, 'POST /session', 50)}{"link":`)
    wires[1]!.send(`${head(undefined, 'POST /session/link', 15 * KIB)}{"link":`)
    for (const wire of wires) expectTimeout(await wire.closed)
  })

  test('a body that pauses but arrives in time is accepted', async () => {
    const { ada, general, baseUrl, events } = await cast()
    const text = JSON.stringify({ channel_id: general.id, content_markdown: 'x'.repeat(60_000) })
    const wire = openWire(baseUrl)
    wire.send(head(ada, 'POST /v2/posts', text.length))
    for (let at = 0; at < text.length; at += 10_000) {
      wire.send(text.slice(at, at + 10_000))
      await Bun.sleep(100)
    }
    await waitUntil(async () => (await events()).length === 1)
    wire.end()
  })
})

describe('the memory of unfinished bodies', () => {
  test('is bounded: the oldest are dropped, and other requests are served', async () => {
    const { ada, bob, general, baseUrl } = await cast()
    const stalled = Array.from({ length: 40 }, () => {
      const wire = openWire(baseUrl)
      wire.send(head(ada, 'POST /v2/posts', MIB) + 'x'.repeat(MIB - 1))
      return wire
    })
    const content_markdown = 'x'.repeat(90_000)
    await bob.posts.create({ channel_id: general.id, content_markdown })
    await bob.posts.create({ channel_id: general.id, content_markdown: 'small' })

    // A client that still sends when the connection is closed may not see the response.
    const answers = (await Promise.all(stalled.map(({ closed }) => closed))).filter((answer) => answer !== '')
    const crowdedOut = answers.filter((answer) => answer.startsWith('HTTP/1.1 503'))
    expect(crowdedOut.length).toBeGreaterThan(0)
    expect(answers.length - crowdedOut.length).toBeLessThanOrEqual(bodyLimits.totalBytes / MIB + 1)
    for (const answer of crowdedOut) {
      expect(answer).toMatch(/\r\nretry-after: 1\r\n/i)
      expect(answer).toContain('"code":"unavailable"')
    }
    for (const answer of answers.filter((each) => !crowdedOut.includes(each))) expectTimeout(answer)
    await waitUntil(async () => (await heldBytes(baseUrl)) === 0)
  })

  test('never exceeds the limit', async () => {
    const { ada, baseUrl } = await cast()
    let most = 0
    const stalled = Array.from({ length: 20 }, () => openWire(baseUrl))
    for (const wire of stalled) {
      wire.send(head(ada, 'POST /v2/posts', 'chunked') + `80000\r\n${'x'.repeat(MIB / 2 - 1)}`)
      most = Math.max(most, await heldBytes(baseUrl))
    }
    await Promise.all(stalled.map(({ closed }) => closed))
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(bodyLimits.totalBytes)
  })

  test('includes queued requests, before their callers are known', async () => {
    const database = await newMigratedDatabase()
    const server = await startTestServer({ DATABASE_URL: database.url }, { bodyLimits })
    endings.push(database.drop, server.stop)
    const { ada, general } = await world(server)
    const release = await lockWrites(database.url)
    const small = JSON.stringify({ channel_id: general.id, content_markdown: 'small' })
    const working = Array.from({ length: server.parley.engine.usefulConcurrency }, () => {
      const wire = openWire(server.url)
      wire.send(head(ada, 'POST /v2/posts', small.length) + small)
      return wire
    })
    const active = `parley_requests_active{lane="write"} ${working.length}`
    await waitUntil(async () => (await (await fetch(`${server.url}/metrics`)).text()).includes(`${active}\n`))
    const large = JSON.stringify({ channel_id: general.id, content_markdown: 'large' }).padEnd(MIB / 2)
    const waiting = Array.from({ length: 40 }, () => {
      const wire = openWire(server.url)
      wire.send(head(undefined, 'POST /v2/posts', large.length) + large)
      return wire
    })
    const own = openWire(server.url)
    own.send(head(ada, 'POST /v2/posts', large.length) + large)
    await waitUntil(async () => (await heldBytes(server.url)) > 6 * MIB)
    expect(await heldBytes(server.url)).toBeLessThanOrEqual(bodyLimits.totalBytes)

    await release()
    for (const wire of waiting) expect(await wire.answered).toStartWith('HTTP/1.1 401')
    expect(await own.answered).toStartWith('HTTP/1.1 201')
    await waitUntil(async () => (await heldBytes(server.url)) === 0)
    for (const wire of [...working, ...waiting, own]) wire.end()
  })
})
