import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { newMigratedDatabase } from '../server'
import { startChild, waitUntil } from './child'
import { reportFigure } from './report'

const BODIES = 300
const MIB = 1024 * 1024
/** The limit of unfinished bodies (64 MB), and twice the same for data in transit and garbage. All bodies are 300 MB. */
const MAX_GROWTH_MB = 192

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

test('300 bodies without their last byte take bounded memory, and other requests are served', async () => {
  const database = await newMigratedDatabase()
  endings.push(database.drop)
  const child = await startChild(database.url)
  endings.push(child.kill)
  const token = await child.firstToken()
  await waitUntil(child.isReady)
  const memory = () => Number(readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]) * 4096e-6
  const canCount = process.platform === 'linux'
  const before = canCount ? memory() : 0

  const statuses: string[] = []
  /** Statuses received. A client that still sends when the connection is closed may not see the response. */
  const done = new Set<Socket>()
  const sockets = Array.from({ length: BODIES }, () => stall(Number(new URL(child.url).port), token, statuses))
  for (const socket of sockets) for (const event of ['data', 'close']) socket.on(event, () => done.add(socket))
  // All beyond the limit were dropped.
  await waitUntil(() => done.size >= BODIES - 64)
  await Bun.sleep(2_000)
  const during = canCount ? memory() : 0
  const me = await fetch(`${child.url}/v2/me/tokens`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ scopes: ['read'], name: 'x' }),
  })
  expect(me.status).toBe(201)
  await waitUntil(() => done.size === BODIES)
  for (const socket of sockets) socket.destroy()

  reportFigure({
    question: `How much memory do ${BODIES} bodies of 1 MiB take that never end?`,
    goal: `< ${MAX_GROWTH_MB} MB more`,
    figure: `${Math.round(before)} MB before, ${Math.round(during)} MB with them; ${count('408')} got 408, ${count('503')} got 503`,
    isMet: during - before < MAX_GROWTH_MB,
  })
  expect([...new Set(statuses)].sort()).toEqual(['408', '503'])
  expect(during - before).toBeLessThan(MAX_GROWTH_MB)

  function count(status: string) {
    return statuses.filter((each) => each === status).length
  }
}, 300_000)

function stall(port: number, token: string, statuses: string[]): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.once('data', (data) => statuses.push(String(data).slice(9, 12)))
  socket.write(
    `POST /v2/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${MIB}\r\n\r\n`,
  )
  socket.write(Buffer.alloc(MIB - 1, 'x'))
  return socket
}
