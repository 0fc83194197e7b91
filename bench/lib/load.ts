import { type Connection, connect } from './connection'

/** What to ask, how often at once, and for how long. */
export interface Load {
  port: number
  connections: number
  seconds: number
  method: 'GET' | 'HEAD' | 'POST'
  token: string
  /** The addresses, in the order they are asked for; with `cycle`, from the start again. */
  targets: string[]
  /** The body of every request. */
  body?: string
  /** A further header line of every request. */
  header?: string
  /** Where in the targets to begin. */
  from: number
}

export interface Outcome {
  answers: number
  /** Requests that the server had no time for: not among the answers, so that they only lower a rate. */
  refusals: number
  seconds: number
  /** Where in the targets the next load should begin. */
  next: number
  /** Answers by status, other than success and refusals. */
  failures: Record<string, number>
  /** How busy this process was: near 1 it measured itself. */
  busy: number
  /** Milliseconds: half of the answers came within the first, 99 of 100 within the second. */
  latency: [number, number]
}

/** Keeps so many requests on the way, and counts what comes back. */
export async function run(load: Load): Promise<Outcome> {
  const requests = load.targets.map((target) => requestOf(load, target))
  const failures: Record<string, number> = {}
  const waits: number[] = []
  let next = load.from
  let answers = 0
  let refusals = 0
  let isOver = false
  let fail: (why: Error) => void = () => {}
  const broken = new Promise<never>((_, reject) => {
    fail = reject
  })

  const ask = (connection: Connection) => connection.send(requests[next++ % requests.length]!)
  const connections: Connection[] = []
  for (let number = 0; number < load.connections; number++) {
    let sentAt = 0
    const connection: Connection = await connect(
      load.port,
      (status) => {
        if (isOver) return
        if (status === 503) refusals += 1
        else answers += 1
        if (status < 200 || (status > 299 && status !== 304 && status !== 503))
          failures[status] = (failures[status] ?? 0) + 1
        const now = performance.now()
        if (sentAt > 0) waits.push(now - sentAt)
        sentAt = now
        ask(connection)
      },
      (why) => fail(new Error(why)),
      load.method === 'HEAD',
    )
    connections.push(connection)
  }
  const cpu = process.cpuUsage()
  const started = performance.now()
  for (const connection of connections) ask(connection)
  await Promise.race([Bun.sleep(load.seconds * 1_000), broken])
  isOver = true
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  for (const connection of connections) connection.close()
  waits.sort((a, b) => a - b)
  return {
    answers,
    refusals,
    seconds,
    next,
    failures,
    busy: (user + system) / 1e6 / seconds,
    latency: [waits[Math.floor(waits.length * 0.5)] ?? 0, waits[Math.floor(waits.length * 0.99)] ?? 0],
  }
}

function requestOf({ method, token, body, header }: Load, target: string): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`]
  if (header !== undefined) lines.push(header)
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
