import { type Connection, connect } from '../../bench/lib/connection'

/** Raw requests to send repeatedly for some time. */
export interface Flood {
  port: number
  connections: number
  seconds: number
  /** If none has been refused by then: how long to go on until one is. */
  secondsUntilRefused?: number
  requests: string[]
  /** The rate of requests. Without it, each connection sends a request as soon as the last one is answered. */
  perSecond?: number
}

export interface FloodResult {
  seconds: number
  /** Requests offered, including those for which no connection was free. */
  arrived: number
  /** Number of responses by status. */
  answers: Record<string, number>
  /** Requests that could not be sent because all connections were waiting for a response. */
  unsent: number
  /** Connections that the server closed. */
  broken: number
  /** Response times in milliseconds: p50 and p99. */
  done: [number, number]
  refused: [number, number]
  /** CPU use of this process: near 1, it could not offer more. */
  busy: number
}

const TICK_MS = 2

/** Sends the requests and counts the responses. */
export async function flood(options: Flood): Promise<FloodResult> {
  const { port, connections, seconds, secondsUntilRefused = seconds, requests, perSecond } = options
  const ready = requests.map((request) => Buffer.from(request))
  const answers: Record<string, number> = {}
  const waits = { done: [] as number[], refused: [] as number[] }
  const idle: { ask(): void }[] = []
  const open: Connection[] = []
  let [next, arrived, unsent, broken, isOver] = [0, 0, 0, 0, false]

  for (let number = 0; number < connections; number++) {
    let sentAt = 0
    const idleConnection = {
      ask() {
        sentAt = performance.now()
        connection.send(ready[next++ % ready.length]!)
      },
    }
    const connection: Connection = await connect(
      port,
      (status) => {
        if (isOver) return
        answers[status] = (answers[status] ?? 0) + 1
        waits[status < 300 ? 'done' : 'refused'].push(performance.now() - sentAt)
        if (perSecond) idle.push(idleConnection)
        else idleConnection.ask()
      },
      () => {
        if (!isOver) broken += 1
      },
    )
    open.push(connection)
    idle.push(idleConnection)
  }

  const cpu = process.cpuUsage()
  const started = performance.now()
  if (!perSecond) for (const { ask } of idle) ask()
  const secondsSoFar = () => (performance.now() - started) / 1000
  while (secondsSoFar() < (answers[503] ? seconds : secondsUntilRefused)) {
    await Bun.sleep(TICK_MS)
    if (perSecond) arrive(Math.floor(secondsSoFar() * perSecond) - arrived)
  }
  isOver = true
  const took = secondsSoFar()
  const { user, system } = process.cpuUsage(cpu)
  for (const connection of open) connection.close()
  return {
    seconds: took,
    arrived,
    answers,
    unsent,
    broken,
    done: percentiles(waits.done),
    refused: percentiles(waits.refused),
    busy: (user + system) / 1e6 / took,
  }

  function arrive(many: number) {
    const sent = Math.min(many, idle.length)
    for (const { ask } of idle.splice(0, sent)) ask()
    arrived += many
    unsent += many - sent
  }
}

function percentiles(waits: number[]): [number, number] {
  waits.sort((a, b) => a - b)
  return [waits[Math.floor(waits.length * 0.5)] ?? 0, waits[Math.floor(waits.length * 0.99)] ?? 0]
}

if (import.meta.main) {
  process.on('message', async (options: Flood) => process.send!(await flood(options)))
  process.send!('ready')
}
