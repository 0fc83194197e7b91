import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, scratch } from './servers'

export interface Dataset {
  database: string
  token: string
}

/** A database of this many posts and a token for it; made once for each version of what makes it. */
export async function dataset(posts: number, members = 2_000): Promise<Dataset> {
  const size = members === 2_000 ? posts : `${posts}-${members}`
  const folder = join(scratch, `${size}-${versionOf('src/store/migrations', 'src/store/seed', 'src/setup/seed')}`)
  const database = join(folder, 'parley.db')
  const tokenFile = join(folder, 'token')
  if (!existsSync(tokenFile)) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true })
    writeFileSync(join(fresh, 'token'), await fill(`sqlite:${join(fresh, 'parley.db')}`, posts, members))
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  }
  return { database, token: readFileSync(tokenFile, 'utf8') }
}

/** Twenty channels, so many members, comments on every hundredth post. Returns a token that may write. */
export async function fill(databaseUrl: string, posts: number, members = 2_000): Promise<string> {
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const parley = (...args: string[]) => {
    const { stdout, exitCode } = Bun.spawnSync([process.execPath, 'src/main.ts', ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (exitCode !== 0) throw new Error(`parley ${args.join(' ')} failed.`)
    return stdout.toString().trim()
  }
  parley('migrate')
  parley('workspace', 'create', '--name', 'Bench', '--slug', 'bench')
  const wishes = ['--channels', '20', '--members', String(members), '--comments-every', '100', '--until', '2026-11-01']
  console.error(parley('seed', '--posts', String(posts), ...wishes))
  return parley('token', 'create', '--app', 'Bench', '--scopes', 'write')
}

function versionOf(...folders: string[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const folder of folders)
    for (const file of readdirSync(join(root, folder)).sort()) hash.update(readFileSync(join(root, folder, file)))
  return hash.digest('hex').slice(0, 12)
}
