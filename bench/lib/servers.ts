import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cores, onCore } from './cores'
import { killOnExit, stopProcess } from './subprocess'
import { getCpuSeconds, getRss } from './usage'

export const root = join(import.meta.dir, '../..')
export const scratch = join(tmpdir(), 'parley-bench')

export interface Server {
  port: number
  /** Seconds of processor time it took so far; 0 where nobody counts them. */
  cpu(): number
  /** Bytes of memory it holds; 0 where nobody counts them. */
  memory(): number
  stop(): Promise<void>
}

/** Starts a server and waits until it says which port it has. */
export async function startProgram(
  command: string[],
  env: Record<string, string> = {},
  where: Cores = 0,
): Promise<Server> {
  const child = killOnExit(
    Bun.spawn(onCore(where, command), {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  let said = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    said += decoder.decode(chunk, { stream: true })
    const port = said.match(/http:\/\/[^\s:]+:(\d+)/)?.[1]
    if (port)
      return {
        port: Number(port),
        stop: () => stopProcess(child),
        cpu: () => getCpuSeconds(child.pid),
        memory: () => getRss(child.pid),
      }
  }
  throw new Error(`${command.join(' ')} did not start:\n${said}`)
}

/** Until a server has its database. */
async function ready({ port }: Server) {
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) await Bun.sleep(50)
}

/** What differs from the default settings: the rate limit counts every request and refuses none, one member may follow
 * thousands of times, and the port is a free one; datasets that were made long ago keep their events. */
export const settings = {
  RATE_LIMIT: '1000000',
  STREAM_LIMIT: '0',
  PORT: '0',
  LOG_LEVEL: 'warn',
  EVENT_RETENTION_DAYS: '3650',
}

/** The real server. */
export async function startParley(databaseUrl: string, env: Record<string, string> = {}): Promise<Server> {
  const command = [process.execPath, 'src/main.ts', 'serve']
  const server = await startProgram(command, { DATABASE_URL: databaseUrl, ...settings, ...env })
  await ready(server)
  return server
}

/** A server that does nothing but hand out these bytes, one body after the other; or with `empty`, a 304. */
export async function startBare(bodies: readonly string[], as: 'bytes' | 'text' | 'empty' = 'bytes'): Promise<Server> {
  mkdirSync(scratch, { recursive: true })
  const file = join(scratch, `bodies-${process.pid}.json`)
  writeFileSync(file, JSON.stringify(bodies))
  try {
    return await startProgram([process.execPath, `${import.meta.dir}/bare.ts`, file, as])
  } finally {
    rmSync(file)
  }
}
