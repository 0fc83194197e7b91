import { type Connection, connect } from './connection'

/** What the load generator sends, over how many connections, and for how long. */
export interface Load {
  port: number
  connections: number
  method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  token: string
  /** The URLs in the order they are requested; after the last one, from the start again. One may begin with a method of its own. */
  urls: string[]
  /** The index of the first URL to request. */
  from: number
  /** Stops after this many requests … */
  requests?: number
  /** … or after this many seconds. */
  seconds?: number
  body?: string
  /** One more header line for every request. */
  header?: string
}

export interface LoadResult {
  responses: number
  /** Responses with status 503, which are not counted in `responses`. */
  rejected: number
  seconds: number
  /** Responses by status, other than 2xx, 304 and 503. */
  failures: Record<string, number>
  /** The share of one core this process used: near 1 it measured itself. */
  generatorLoad: number
  /** Median and 99th percentile, in milliseconds. */
  latency: [number, number]
}

/** Keeps one request in flight on every connection. */
export async function run(load: Load): Promise<LoadResult> {
  const requests = load.urls.map((url) => formatRequest(load, url))
  const failures: Record<string, number> = {}
  const waits: number[] = []
  const { promise: finished, resolve: finish, reject: fail } = Promise.withResolvers<void>()
  let sent = 0
  let responses = 0
  let rejected = 0
  let isOver = false

  const send = (connection: Connection) => {
    if (sent === load.requests) return
    connection.send(requests[(load.from + sent++) % requests.length]!)
  }
  const timeUp = async (seconds: number) => {
    await Bun.sleep(seconds * 1_000)
    while (responses === 0) await Bun.sleep(5)
  }
  const connections: Connection[] = []
  for (let number = 0; number < load.connections; number++) {
    let sentAt = 0
    const connection: Connection = await connect(
      load.port,
      (status) => {
        if (isOver) return
        if (status === 503) rejected += 1
        else responses += 1
        if (status < 200 || (status > 299 && status !== 304 && status !== 503))
          failures[status] = (failures[status] ?? 0) + 1
        const now = performance.now()
        if (sentAt > 0) waits.push(now - sentAt)
        sentAt = now
        if (responses + rejected === load.requests) finish()
        else send(connection)
      },
      (why) => fail(new Error(why)),
      load.method === 'HEAD',
    )
    connections.push(connection)
  }
  const cpu = process.cpuUsage()
  const started = performance.now()
  for (const connection of connections) send(connection)
  await Promise.race([finished, ...(load.seconds ? [timeUp(load.seconds)] : [])])
  isOver = true
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  for (const connection of connections) connection.close()
  waits.sort((a, b) => a - b)
  const percentile = (share: number) => waits[Math.floor(waits.length * share)] ?? 0
  return {
    responses,
    rejected,
    seconds,
    failures,
    generatorLoad: (user + system) / 1e6 / seconds,
    latency: [percentile(0.5), percentile(0.99)],
  }
}

function formatRequest({ method, token, header, ...load }: Load, url: string): Buffer {
  const target = url.startsWith('/') ? `${method} ${url}` : url
  const lines = [`${target} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`]
  if (header !== undefined) lines.push(header)
  const body = target.startsWith('DELETE ') ? undefined : load.body
  if (body !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

if (import.meta.main) {
  process.on('message', async (load: Load) => {
    try {
      process.send!(await run(load))
    } catch (error) {
      process.send!({ error: String(error) })
    }
  })
  process.send!('ready')
}
