import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cores, onCore } from './cores'
import type { Database } from './settings'
import { isQuick, root, scratch, serverEnv } from './settings'
import { killOnExit, stopProcess } from './subprocess'
import { getCpuSeconds, getRss } from './usage'

export interface Server {
  port: number
  pid: number
  /** CPU seconds of the server process so far. */
  cpu(): number
  /** CPU seconds of PostgreSQL so far; 0 with SQLite, which runs in the server process. */
  databaseCpu(): number
  /** Resident memory in bytes. */
  rss(): number
  stop(): Promise<void>
}

/** Starts a server and waits until it prints its URL. */
export async function startProgram(
  command: string[],
  env: Record<string, string> = {},
  databaseCpu = () => 0,
  cores: Cores = 0,
): Promise<Server> {
  const child = killOnExit(
    Bun.spawn(onCore(cores, command), {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true })
    const port = output.match(/http:\/\/[^\s:]+:(\d+)/)?.[1]
    if (port)
      return {
        port: Number(port),
        pid: child.pid,
        stop: () => stopProcess(child),
        cpu: () => getCpuSeconds(child.pid),
        databaseCpu,
        rss: () => getRss(child.pid),
      }
  }
  throw new Error(`${command.join(' ')} did not start:\n${output}`)
}

/** The real server, with its database open and the web app bundled: both happen after the port is open. */
export async function startParley({ url, cpu }: Database): Promise<Server> {
  const command = [process.execPath, 'src/start.ts', 'serve']
  const server = await startProgram(command, { DATABASE_URL: url, ...serverEnv }, cpu)
  const base = `http://127.0.0.1:${server.port}`
  while (!(await fetch(`${base}/readyz`)).ok) await Bun.sleep(20)
  if (!isQuick) await fetch(`${base}/`).then((response) => response.text())
  return server
}

/** A server that only sends these bodies, one after the other; without any, a 304. */
export async function startBare(bodies: readonly string[]): Promise<Server> {
  mkdirSync(scratch, { recursive: true })
  const file = join(scratch, `bodies-${process.pid}.json`)
  writeFileSync(file, JSON.stringify(bodies))
  try {
    return await startProgram([process.execPath, `${import.meta.dir}/bare.ts`, file])
  } finally {
    rmSync(file)
  }
}
