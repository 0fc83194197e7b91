import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, scratch } from './servers'

/** What a dataset depends on: another version of these makes another one. */
const MAKERS = ['bench/lib/dataset.ts', 'src/store/migrations', 'src/store/seed', 'src/setup/seed']

export interface Dataset {
  folder: string
  database: string
  url: string
  token: string
}

/** A database of this many posts and a token for it; made once for each version of what makes it. */
export async function dataset(posts: number, members = 2_000): Promise<Dataset> {
  const size = members === 2_000 ? posts : `${posts}-${members}`
  const folder = join(scratch, `${size}-${versionOf(...MAKERS)}`)
  const database = join(folder, 'parley.db')
  const tokenFile = join(folder, 'token')
  if (!existsSync(tokenFile)) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true })
    writeFileSync(join(fresh, 'token'), fill(join(fresh, 'parley.db'), posts, members))
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  }
  return { folder, database, url: `sqlite:${database}`, token: readFileSync(tokenFile, 'utf8') }
}

/** Twenty channels, so many members, comments on every hundredth post. Returns a token that may do everything. */
function fill(database: string, posts: number, members: number): string {
  const url = `sqlite:${database}`
  parley(url, 'migrate')
  parley(url, 'workspace', 'create', '--name', 'Bench', '--slug', 'bench')
  const wishes = ['--channels', '20', '--members', String(members), '--comments-every', '100', '--until', '2026-11-01']
  console.error(parley(url, 'seed', '--posts', String(posts), ...wishes))
  return parley(url, 'token', 'create', '--app', 'Bench', '--scopes', 'admin')
}

/** Runs a command of Parley on a database, and returns what it said. */
export function parley(databaseUrl: string, ...args: string[]): string {
  const { stdout, exitCode } = Bun.spawnSync([process.execPath, 'src/main.ts', ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (exitCode !== 0) throw new Error(`parley ${args.join(' ')} failed.`)
  return stdout.toString().trim()
}

function versionOf(...paths: string[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  const add = (path: string) => {
    if (!statSync(path).isDirectory()) return void hash.update(readFileSync(path))
    for (const name of readdirSync(path).sort()) add(join(path, name))
  }
  for (const path of paths) add(join(root, path))
  return hash.digest('hex').slice(0, 12)
}
