import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { createClient } from '../client'
import { isRunning, start } from '../command'
import { parseMetrics, waitForMetrics } from '../metrics'
import { engineUnderTest, newMigratedDatabase } from '../server'
import { type Child, startChild, waitUntil } from '../torture/child'

setDefaultTimeout(300_000)

let database: Awaited<ReturnType<typeof newMigratedDatabase>>
let child: Child

beforeAll(async () => {
  database = await newMigratedDatabase()
  child = await startChild(database.url, {}, [], ['--workers', '2'])
  await waitUntil(child.isReady)
})
afterAll(async () => {
  await child.kill()
  await database.drop()
})

const read = async () => {
  const response = await fetch(`${child.url}/metrics`, { headers: { Connection: 'close' } })
  return parseMetrics(await response.text())
}

/** Sends requests without a token, each on a new connection so that any process may get it; counts the 401 responses. */
async function send(times: number): Promise<number> {
  const requests = Array.from({ length: times }, () =>
    fetch(`${child.url}/v2/posts`, { headers: { Connection: 'close' } }),
  )
  // A process that is still starting responds with 503.
  return (await Promise.all(requests)).filter(({ status }) => status === 401).length
}

const refused = 'parley_requests_total{operation="posts.list",status="401"}'
const saying = (count: number) => new RegExp(`^${RegExp.escape(refused)} ${count}$`, 'm')
/** The child processes of a supervisor. */
const childrenOf = async (pid: number) =>
  (await Bun.file(`/proc/${pid}/task/${pid}/children`).text()).trim().split(' ').filter(Boolean).map(Number)
const workers = () => childrenOf(child.pid)

test('every process serves the metrics of all processes', async () => {
  const sent = await send(40)
  await waitForMetrics(child.url, saying(sent))
  for (let turn = 0; turn < 10; turn++) {
    const families = await read()
    expect(families.get('parley_requests_total')!.samples.get(refused)).toBe(sent)
    const times = families.get('parley_request_seconds')!.samples
    expect(times.get('parley_request_seconds_count{operation="posts.list"}')).toBe(40)
    expect(families.get('parley_workers')!.samples.get('parley_workers')).toBe(2)
    expect([...families.get('process_start_time_seconds')!.samples.keys()].toSorted()).toEqual([
      'process_start_time_seconds{worker="1"}',
      'process_start_time_seconds{worker="2"}',
    ])
    expect(families.get('parley_database_up')!.samples.size).toBe(1)
    expect(families.get('parley_build_info')!.samples.size).toBe(1)
  }
})

test('streams of all processes are counted together', async () => {
  const client = createClient({ baseUrl: child.url, token: await child.firstToken() })
  const ending = new AbortController()
  const streams = Array.from({ length: 6 }, async () => {
    for await (const _ of client.events.stream({}, { signal: ending.signal })) break
  })
  await waitForMetrics(child.url, /^parley_open_streams 6$/m)
  ending.abort()
  await Promise.allSettled(streams)
})

test('counters do not decrease when a process dies', async () => {
  const before = (await read()).get('parley_requests_total')!.samples.get(refused)!
  const [victim] = await workers()
  process.kill(victim!, 'SIGKILL')
  await waitForMetrics(child.url, /^parley_worker_restarts_total 1$/m)
  expect(child.output.errors).toContain('A worker exited and will be restarted')
  await waitForMetrics(child.url, /^parley_workers 2$/m)
  expect((await read()).get('parley_requests_total')!.samples.get(refused)).toBe(before)
  await waitForMetrics(child.url, saying(before + (await send(10))))
})

test('every process searches, beside what else it does', async () => {
  const token = await child.firstToken()
  const search = async () => {
    const headers = { Authorization: `Bearer ${token}`, Connection: 'close' }
    return (await fetch(`${child.url}/v2/search?q=th*+-is*`, { headers })).status
  }
  // Until a process that was restarted is ready, it responds with 503.
  await waitUntil(async () => (await Promise.all(Array.from({ length: 20 }, search))).every((status) => status === 200))
})

test('processes exit when their supervisor is killed', async () => {
  const started = await workers()
  expect(started).toHaveLength(2)
  // The processes that search exit with them.
  const orphans = [...started, ...(await Promise.all(started.map(childrenOf))).flat()]
  if (engineUnderTest === 'sqlite') expect(orphans.length).toBeGreaterThan(2)
  process.kill(child.pid, 'SIGKILL')
  await waitUntil(() => orphans.every((pid) => !isRunning(pid)))
})

test('a signal to all processes, as from a terminal or systemd, lets them finish their requests', async () => {
  const { running, slow, drop } = await startWorkers()
  for (const pid of await childrenOf(running.pid)) process.kill(pid, 'SIGTERM')
  await Bun.sleep(500)
  process.kill(running.pid, 'SIGTERM')
  expect(await slow.finish()).toStartWith('HTTP/1.1 201')
  expect(await running.exited).toBe(0)
  await drop()
})

test('a signal that comes twice at once, as npm passes it on, lets them finish their requests', async () => {
  const { running, slow, drop } = await startWorkers()
  // Two of the same kind could arrive as one.
  process.kill(running.pid, 'SIGINT')
  process.kill(running.pid, 'SIGTERM')
  await Bun.sleep(500)
  expect(await slow.finish()).toStartWith('HTTP/1.1 201')
  expect(await running.exited).toBe(0)
  await drop()
})

test('a second signal ends the draining, and lets them finish their requests', async () => {
  const { running, url, slow, drop } = await startWorkers({ DRAIN_SECONDS: '300' })
  process.kill(running.pid, 'SIGTERM')
  const readiness = async () => (await fetch(`${url}/readyz`, { headers: { Connection: 'close' } })).status
  await waitUntil(async () => (await Promise.all(Array.from({ length: 20 }, readiness))).every((code) => code === 503))
  // So that it is not taken for the same one.
  await Bun.sleep(1_000)
  process.kill(running.pid, 'SIGTERM')
  await waitUntil(() =>
    readiness().then(
      () => false,
      () => true,
    ),
  )
  expect(await slow.finish()).toStartWith('HTTP/1.1 201')
  expect(await running.exited).toBe(0)
  await drop()
})

test('a signal while processes are starting ends them, which is no failure', async () => {
  const other = await newMigratedDatabase()
  const running = start(['serve', '--workers', '2'], { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: other.url })
  await waitUntil(async () => (await childrenOf(running.pid)).length === 2)
  process.kill(running.pid, 'SIGTERM')
  expect(await running.exited).toBe(0)
  await other.drop()
})

/** A supervisor with two processes, one of which has a request whose body is not complete. */
async function startWorkers(env: Record<string, string> = {}) {
  const other = await newMigratedDatabase()
  const running = start(['serve', '--workers', '2'], {
    ...{ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', DRAIN_SECONDS: '0', DATABASE_URL: other.url },
    ...env,
  })
  const listening = Promise.withResolvers<string>()
  let output = ''
  void running.stdout.pipeTo(
    new WritableStream({
      write(chunk: Uint8Array) {
        output += new TextDecoder().decode(chunk)
        const url = output.match(/listens on (http:\S+)/)?.[1]
        if (url && output.includes('API reference')) listening.resolve(url)
      },
    }),
  )
  const url = await listening.promise
  await waitForMetrics(url, /^process_start_time_seconds\{worker="2"\}/m)
  const slow = connect(Number(new URL(url).port), '127.0.0.1')
  const token = output.match(/Bearer (parley_[\w-]+)/)![1]
  const body = JSON.stringify({ name: 'Just in time' }).padEnd(1_000_000)
  let answer = ''
  slow.setEncoding('utf8')
  slow.on('data', (text) => {
    answer += text
  })
  slow.on('error', () => {})
  const closed = new Promise((resolve) => slow.once('close', resolve))
  slow.write(`POST /v2/channels HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`)
  slow.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body[0]}`)
  // Fast enough not to be refused after ten seconds.
  let sent = 1
  const sending = setInterval(() => {
    slow.write(body.slice(sent, sent + 20_000))
    sent += 20_000
  }, 1_000)
  await waitForMetrics(url, /^parley_unfinished_body_bytes [1-9]/m)
  return {
    running,
    url,
    slow: {
      /** Sends the rest, and returns the response. */
      async finish() {
        clearInterval(sending)
        slow.write(body.slice(sent))
        await closed
        return answer
      },
    },
    drop: other.drop,
  }
}
