import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const environment = (env: Record<string, string>) => ({ PATH: process.env.PATH!, HOME: process.env.HOME!, ...env })

const capabilities = '-dac_override,-dac_read_search'
/** A command to run others with, so that permissions of files count for root, too. */
export const heedingPermissions =
  process.getuid?.() === 0 ? ['setpriv', `--inh-caps=${capabilities}`, `--bounding-set=${capabilities}`] : []

/** Runs `parley …` as a separate process until it exits. `wrap` is a command to run it with. */
export async function parley(args: string[], env: Record<string, string> = {}, wrap: string[] = []) {
  const child = start(args, env, wrap)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

/** Starts `parley …` as a separate process. */
export const start = (args: string[], env: Record<string, string>, wrap: string[] = []) =>
  Bun.spawn([...wrap, process.execPath, join(root, 'src/start.ts'), ...args], {
    cwd: root,
    env: environment(env),
    stdout: 'pipe',
    stderr: 'pipe',
  })

/** Starts `parley serve` on a free port, and waits for this output. */
export async function serve(env: Record<string, string>, until: RegExp) {
  const child = start(['serve'], { PORT: '0', HOST: '127.0.0.1', LOG_FORMAT: 'json', DRAIN_SECONDS: '0', ...env })
  const decoder = new TextDecoder()
  const reader = child.stdout.getReader()
  let printed = ''
  while (!until.test(printed)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`It exited early: ${printed}${await new Response(child.stderr).text()}`)
    printed += decoder.decode(value, { stream: true })
  }
  return {
    child,
    printed,
    url: printed.match(/https?:\/\/[^\s/]+/)![0],
    /** Sends SIGTERM and returns the exit code. */
    async stop() {
      child.kill('SIGTERM')
      return child.exited
    },
    /** Its whole log, once it has exited. */
    log: () => new Response(child.stderr).text(),
  }
}

/** Whether a process has not exited. A zombie has: only its parent has not collected its exit code yet. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
