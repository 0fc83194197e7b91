import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { grouped } from './figures'
import { createFixtures, type Fixtures } from './fixtures'
import { cloneOnPostgres, queryPostgres, restoreOnPostgres } from './postgres'
import { createSearchFixtures, type SearchFixtures } from './search-fixtures'
import { startParley } from './servers'
import { type Database, type Engine, engines, isQuick, root, scratch, serverEnv, size } from './settings'
import { collectUrls, type Urls } from './urls'

export interface Dataset extends Database {
  /** Of an app that may do everything. */
  token: string
  /** Of an admin who takes part in a third of the threads. */
  memberToken: string
  fixtures: Fixtures
  search: SearchFixtures
  urls: Urls
}

interface Contents {
  posts: number
  members: number
  threads: number
  commentsEvery: number
  /** Whether the cursors of every list are collected. */
  hasLists: boolean
  /** Whether it has no search index on PostgreSQL. */
  isUnsearched?: true
}

const { members } = size
const quick: Contents = { posts: size.small, members, threads: size.threads, commentsEvery: 10, hasLists: true }
const datasets = {
  small: { posts: size.small, members, threads: 0, commentsEvery: 10, hasLists: true },
  medium: { posts: size.medium, members, threads: size.threads, commentsEvery: 10, hasLists: false },
  large: { posts: size.large, members, threads: 0, commentsEvery: 100, hasLists: true, isUnsearched: true },
  searched: { posts: size.searchedOnPostgres, members, threads: 0, commentsEvery: 100, hasLists: false },
  people: { posts: size.small, members: size.manyMembers, threads: 0, commentsEvery: 10, hasLists: false },
} satisfies Record<string, Contents>
export type DatasetName = keyof typeof datasets

/** Makes what is missing. */
export async function makeDatasets() {
  for (const name of Object.keys(datasets) as DatasetName[])
    for (const engine of engines) await getDataset(name, engine)
}

/** A change to one of these makes new datasets; a change to how cursors look makes new URLs. */
const MAKERS = [
  ...['bench/lib/fixtures.ts', 'bench/lib/search-fixtures.ts'],
  ...['src/store/schema/migrations', 'src/store/seed.ts', 'src/seed'],
]
const URL_MAKERS = [
  'bench/lib/urls.ts',
  'bench/lib/lists.ts',
  'src/domain/lists/cursor.ts',
  'src/domain/lists/paging.ts',
]

/** A database with content, made once and kept. On PostgreSQL it is restored from a backup of the one on SQLite. */
export async function getDataset(name: DatasetName, engine: Engine = 'SQLite'): Promise<Dataset> {
  const contents = isQuick ? quick : datasets[name]
  const folder = join(scratch, `${prefixOf(contents)}${hashFiles(MAKERS, JSON.stringify(contents))}`)
  const file = join(folder, 'parley.db')
  const sqlite: Database = { engine: 'SQLite', url: `sqlite:${file}`, path: file, cpu: () => 0 }
  if (!existsSync(join(folder, 'access.json'))) await build(contents, folder)
  const access: Pick<Dataset, 'token' | 'memberToken' | 'fixtures' | 'search'> = await Bun.file(
    join(folder, 'access.json'),
  ).json()
  const urlFile = join(folder, `urls-${hashFiles(URL_MAKERS)}.json`)
  if (!existsSync(urlFile)) {
    const urls = await timed(`Collecting the URLs of ${name}`, () =>
      withServer(sqlite, (port) => collectUrls(port, access, contents.hasLists)),
    )
    writeFileSync(urlFile, JSON.stringify(urls))
  }
  const database = engine === 'SQLite' ? sqlite : await onPostgres(name, folder, sqlite, contents)
  return { ...database, ...access, urls: await Bun.file(urlFile).json() }
}

/** Reads all data once, so that it is in the file cache of the operating system: the benchmark is not about the disk. */
export async function fillFileCache({ path }: Database) {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [path]
  for (const file of files) for await (const _ of Bun.file(file).stream());
}

/** A copy that may be written to. */
export async function copyDataset(name: DatasetName, engine: Engine): Promise<Dataset & { remove(): Promise<void> }> {
  const dataset = await getDataset(name, engine)
  if (engine === 'PostgreSQL') return { ...dataset, ...(await cloneOnPostgres(dataset.url)) }
  const source = dataset.url.slice('sqlite:'.length)
  const copy = join(scratch, `copy-${process.pid}-${crypto.randomUUID()}.db`)
  for (const suffix of ['', '-wal']) if (existsSync(source + suffix)) copyFileSync(source + suffix, copy + suffix)
  const remove = async () => ['', '-wal', '-shm'].forEach((suffix) => void rmSync(copy + suffix, { force: true }))
  return { ...dataset, url: `sqlite:${copy}`, remove }
}

const prefixOf = ({ posts, members }: Contents) => `${posts}-${members}-`

async function build(contents: Contents, folder: string) {
  const { posts, members, threads, commentsEvery } = contents
  const fresh = `${folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  const url = `sqlite:${join(fresh, 'parley.db')}`
  const counts = { posts, members, threads, channels: 20, 'comments-every': commentsEvery, until: '2026-11-01' }
  await timed(`Making ${grouped(posts)} posts and ${grouped(members)} members`, async () => {
    runParley(url, 'seed', ...Object.entries(counts).flatMap(([option, value]) => [`--${option}`, String(value)]))
    const token = runParley(url, 'token', 'create', '--app', 'Bench', '--scopes', 'admin')
    const memberToken = runParley(url, 'token', 'create', '--member', serverEnv.ADMIN_EMAIL, '--scopes', 'admin')
    // Otherwise each server that is measured would build the index.
    runParley(url, 'reindex')
    const made = await withServer({ engine: 'SQLite', url, path: fresh, cpu: () => 0 }, async (port) => ({
      fixtures: await createFixtures(port, token),
      search: await createSearchFixtures(port, token, (...options) => runParley(url, 'token', 'create', ...options)),
    }))
    writeFileSync(join(fresh, 'access.json'), JSON.stringify({ token, memberToken, ...made }))
  })
  for (const old of new Bun.Glob(`${prefixOf(contents)}*`).scanSync({ cwd: scratch, onlyFiles: false }))
    if (join(scratch, old) !== fresh) rmSync(join(scratch, old), { recursive: true, force: true })
  renameSync(fresh, folder)
}

async function onPostgres(
  name: DatasetName,
  folder: string,
  { url }: Database,
  { isUnsearched }: Contents,
): Promise<Database> {
  const backup = join(folder, `backup-${process.pid}`)
  const database = `bench_${folder.slice(scratch.length + 1).replaceAll('-', '_')}`
  return restoreOnPostgres(database, (target) =>
    timed(`Restoring ${name} on PostgreSQL`, async () => {
      runParley(url, 'backup', backup)
      runParley(target, 'restore', backup)
      // Otherwise each server that is measured would build the index.
      if (isUnsearched) await queryPostgres(target, 'UPDATE search_state SET is_built = 1, remaining = 0')
      else runParley(target, 'reindex')
      rmSync(backup)
    }),
  )
}

async function withServer<T>(database: Database, work: (port: number) => Promise<T>): Promise<T> {
  const server = await startParley(database)
  try {
    return await work(server.port)
  } finally {
    await server.stop()
  }
}

let buildMilliseconds = 0
/** The part of this run that went into making datasets. */
export const getBuildTime = () => buildMilliseconds

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work()
  const milliseconds = performance.now() - started
  buildMilliseconds += milliseconds
  console.error(`${what}: ${(milliseconds / 1_000).toFixed(1)} s`)
  return result
}

/** Runs a command of Parley on a database, and returns its output. */
export function runParley(databaseUrl: string, ...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, 'src/start.ts', ...args], {
    cwd: root,
    env: { ...process.env, ...serverEnv, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (exitCode !== 0) throw new Error(`parley ${args.join(' ')} failed:\n${stderr}`)
  return stdout.toString().trim()
}

function hashFiles(paths: readonly string[], text = ''): string {
  const hash = new Bun.CryptoHasher('sha256').update(text)
  const add = (path: string) => {
    if (!statSync(path).isDirectory()) return void hash.update(readFileSync(path))
    for (const name of readdirSync(path).sort()) add(join(path, name))
  }
  for (const path of paths) add(join(root, path))
  return hash.digest('hex').slice(0, 12)
}
