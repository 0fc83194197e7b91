import { join } from 'node:path'
import type { Reader, Writer } from '../../src/store/engines/db'
import { openEngine } from '../../src/store/open'
import { filesUrlOf } from '../server'

const ROOT = join(import.meta.dir, '../..')
const TIMEOUT_MS = 120_000

/** Runs as `npm start` does, from the bundle if there is one, or as the executable that `npm run torture` compiles. */
const executable = process.env.PARLEY_TORTURE_EXECUTABLE
const program = executable ? [executable] : [process.execPath, 'src/start.ts']

/** A server as a separate process, which can be killed. */
export type Child = Awaited<ReturnType<typeof startChild>>

/** Starts a server, and waits until it listens. */
export const startChild = (...args: Parameters<typeof launchChild>) => launchChild(...args).listening

/** Starts a server. `wrap` is a command to run it with. */
export function launchChild(
  databaseUrl: string,
  env: Record<string, string> = {},
  wrap: string[] = [],
  args: string[] = [],
) {
  const child = Bun.spawn([...wrap, ...program, 'serve', ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...{ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', LOG_FORMAT: 'json' },
      ...{ RATE_LIMIT: '0', STREAM_LIMIT: '0', ANONYMOUS_RATE_LIMIT: '0', DRAIN_SECONDS: '0' },
      FILES_URL: filesUrlOf(databaseUrl),
      ...env,
      DATABASE_URL: databaseUrl,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const output = { text: '', errors: '' }
  const reading = [collect(child.stdout, 'text'), collect(child.stderr, 'errors')]
  return { output, listening: waitUntilItListens() }

  async function waitUntilItListens() {
    const url = await waitForOutput(/listens on (http:\S+)/)
    return {
      url,
      pid: child.pid,
      output,
      /** The token that the first start prints. */
      firstToken: () => waitForOutput(/Bearer (parley_[^"]+)"/),
      isReady: async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200,
      async kill() {
        child.kill('SIGKILL')
        await child.exited
        await Promise.all(reading)
      },
      async stop() {
        child.kill('SIGTERM')
        await child.exited
      },
    }
  }

  async function collect(stream: ReadableStream<Uint8Array>, into: 'text' | 'errors') {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output[into] += decoder.decode(chunk, { stream: true })
  }

  async function waitForOutput(pattern: RegExp): Promise<string> {
    await waitUntil(() => pattern.test(output.text) || child.exitCode !== null)
    const match = output.text.match(pattern)
    if (!match) throw new Error(`The server did not print ${pattern}:\n${output.text}\n${output.errors}`)
    return match[1]!
  }
}

/** Starts a server that cannot start, and returns its exit code and errors. */
export async function failToStart(databaseUrl: string, wrap: string[] = []): Promise<{ code: number; stderr: string }> {
  const child = Bun.spawn([...wrap, ...program, 'serve'], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATABASE_URL: databaseUrl },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const timeout = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS / 2)
  const stderr = await new Response(child.stderr).text()
  clearTimeout(timeout)
  return { code: await child.exited, stderr }
}

export async function waitUntil(condition: () => boolean | Promise<boolean>, timeout = TIMEOUT_MS) {
  const deadline = performance.now() + timeout
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`The condition was not met within ${timeout} ms.`)
    await Bun.sleep(20)
  }
}

/** Sends a request again while the server has too much to do. The `Idempotency-Key` stays the same. */
export const patiently = (async (input: string, init?: RequestInit) => {
  for (;;) {
    const response = await fetch(input, init)
    if (response.status !== 503) return response
    await response.arrayBuffer()
    await Bun.sleep(50)
  }
}) as typeof fetch

/** Reads a database while a server uses it. */
export async function inDatabase<T>(url: string, look: Parameters<ReturnType<typeof openEngine>['read']>[0]) {
  const engine = openEngine(url, { poolSize: 1 })
  try {
    return (await engine.read(look)) as T
  } finally {
    await engine.close()
  }
}

/** Writes into a database while a server uses it. */
export async function changeDatabase<T>(url: string, change: (db: Writer) => Promise<T>): Promise<T> {
  const engine = openEngine(url, { poolSize: 1 })
  try {
    return await engine.write(change)
  } finally {
    await engine.close()
  }
}

/** Resolves when the last statements of a killed server have finished: PostgreSQL goes on with them. */
export async function lastStatements(url: string) {
  if (url.startsWith('postgres'))
    await waitUntil(async () => (await inDatabase<unknown[]>(url, connections)).length <= 1)

  function connections(db: Reader) {
    return db
      .selectFrom('pg_stat_activity' as never)
      .where('datname' as never, '=', new URL(url).pathname.slice(1) as never)
      .where('application_name' as never, '=', 'parley' as never)
      .select('pid' as never)
      .execute()
  }
}
