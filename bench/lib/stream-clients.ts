import { connect, type Socket } from 'node:net'

/** Many readers of the live stream in one process, which also sends the writes they receive. */
export interface StreamTask {
  port: number
  token: string
  streams: number
  /** Requests to make, one after the other; each is one event. */
  writes: { path: string; body: string }[]
  /** From the beginning of one write to that of the next, if all streams have its event by then. Default: a pause after each. */
  everyMs?: number
}

export interface StreamTimes {
  /** For each write: milliseconds until each stream had its event, shortest first. */
  waits: number[][]
}

const TIMEOUT_MS = 30_000
const PAUSE_MS = 50

if (import.meta.main) {
  process.on('message', (task: StreamTask) =>
    runTask(task).catch((error) => process.send!({ error: String((error as Error).stack) })),
  )
  process.send!('ready')
}

const sockets: Socket[] = []
let events = 0
let arrivals: number[] = []

/** Opens the streams that are missing, then sends each write and waits until all streams have its event. */
async function runTask({ port, token, streams, writes, everyMs }: StreamTask) {
  while (sockets.length < streams) {
    const batch = Array.from({ length: Math.min(100, streams - sockets.length) }, () => openStream(port, token))
    sockets.push(...(await Promise.all(batch)))
  }
  const waits: number[][] = []
  for (const write of writes) {
    events += 1
    arrivals = []
    const started = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${write.path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: write.body,
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    await response.arrayBuffer()
    while (arrivals.length < streams) {
      if (performance.now() - started > TIMEOUT_MS)
        throw new Error(`Event ${events} reached ${arrivals.length} of ${streams} streams.`)
      await Bun.sleep(1)
    }
    waits.push(arrivals.map((at) => at - started).sort((a, b) => a - b))
    await Bun.sleep(everyMs === undefined ? PAUSE_MS : Math.max(0, started + everyMs - performance.now()))
  }
  process.send!({ waits } satisfies StreamTimes)
}

/** One reader over a plain socket, which only looks for the beginning of each event. */
async function openStream(port: number, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1')
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  let isOpen = false
  socket.on('data', (text: Buffer | string) => {
    if (!isOpen && String(text).includes('retry: ')) {
      isOpen = true
      resolve(socket)
    }
    for (const _ of String(text).matchAll(/\nevent: /g)) arrivals.push(performance.now())
  })
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('A stream was closed.')))
  socket.write(
    `GET /v2/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  )
  return promise
}
