import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createClient } from '../client'
import { newMigratedDatabase } from '../server'
import { type Child, startChild, waitUntil } from './child'
import { openWire, type RawResponse, type Wire } from './fuzz-wire'
import { reportFigure } from './report'

/** PARLEY_TORTURE=long: ten thousand at once. */
const REQUESTS = process.env.PARLEY_TORTURE === 'long' ? 10_000 : 1_000
const AT_A_TIME = 250

let nodes: Child[] = []
let token: string
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await newMigratedDatabase()
  drop = database.drop
  const first = await startChild(database.url)
  token = await first.firstToken()
  nodes = [first, await startChild(database.url)]
  for (const node of nodes) await waitUntil(node.isReady)
})

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()))
  await drop?.()
})

test(`${REQUESTS} concurrent requests with one Idempotency-Key, to two processes, create one record`, async () => {
  const client = createClient({ baseUrl: nodes[0]!.url, token })
  const channel = (await client.channels.list()).data[0]!
  const before = (await client.posts.list({ channel_id: channel.id })).total_count
  const request = requestOf({ channel_id: channel.id, content_markdown: 'Once and only once' })
  const wires = await openAll()

  const first = await Promise.all(wires.map((wire) => ask(wire, request)))
  const bodies = new Set<string>()
  let made = 0
  for (const [at, response] of first.entries()) {
    const last = await untilDone(wires[at]!, request, response)
    bodies.add(last.body)
    // On a busy machine all may be refused at first.
    if (!last.headers.has('idempotency-replayed')) made += 1
    wires[at]!.close()
  }
  const after = (await client.posts.list({ channel_id: channel.id })).total_count

  const told = (status: number) => first.filter((response) => response.status === status).length
  reportFigure({
    question: 'How many records do requests at once with one Idempotency-Key make, on two processes?',
    goal: '1 record, the same answer to all',
    figure: `${after - before} record, ${bodies.size} answer, to ${REQUESTS} requests; ${told(409)} were first told that it still runs, ${told(503)} that there was too much to do`,
    isMet: after - before === 1 && bodies.size === 1 && made === 1,
  })
  expect({ records: after - before, answers: bodies.size, made }).toEqual({ records: 1, answers: 1, made: 1 })
}, 600_000)

function requestOf(body: object): Buffer {
  const text = JSON.stringify(body)
  const lines = [
    'POST /v2/posts HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Idempotency-Key: once',
  ]
  return Buffer.from(
    `${lines.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
}

/** Opens one connection for each request, to each process in turn, before any is used. */
async function openAll(): Promise<Wire[]> {
  const wires: Wire[] = []
  while (wires.length < REQUESTS) {
    const size = Math.min(AT_A_TIME, REQUESTS - wires.length)
    const ports = Array.from({ length: size }, (_, at) => Number(new URL(nodes[at % nodes.length]!.url).port))
    wires.push(...(await Promise.all(ports.map(openWire))))
  }
  return wires
}

async function ask(wire: Wire, request: Buffer): Promise<RawResponse> {
  const { answers } = await wire.ask(request, [false])
  const [response] = answers
  if (!response) throw new Error('The connection was closed without an answer.')
  if (response.status !== 201) {
    expect(['idempotency_in_progress', 'unavailable']).toContain(JSON.parse(response.body).code)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  return response
}

/** Retries while the first request is still running, or the server is busy. */
async function untilDone(wire: Wire, request: Buffer, response: RawResponse): Promise<RawResponse> {
  let last = response
  if (last.status === 201) return last
  // The server closes connections that were idle for a minute, and this one has waited for its turn.
  const again = await openWire(Number(new URL(nodes[0]!.url).port))
  wire.close()
  while (last.status !== 201) last = await ask(again, request)
  again.close()
  return last
}
