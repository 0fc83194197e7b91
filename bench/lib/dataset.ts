import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, scratch } from './servers'

export interface Dataset {
  database: string
  token: string
}

/** A database of this many posts and a token for it; made once for each version of what makes it. */
export async function dataset(posts: number): Promise<Dataset> {
  const folder = join(scratch, `${posts}-${versionOf('src/store/migrations', 'src/store/seed', 'src/setup/seed')}`)
  const database = join(folder, 'parley.db')
  const tokenFile = join(folder, 'token')
  if (!existsSync(tokenFile)) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true })
    writeFileSync(join(fresh, 'token'), await fill(join(fresh, 'parley.db'), posts))
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  }
  return { database, token: readFileSync(tokenFile, 'utf8') }
}

async function fill(database: string, posts: number): Promise<string> {
  const env = { ...process.env, DATABASE_URL: `sqlite:${database}` }
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
  console.error(parley('seed', '--posts', String(posts), '--until', '2026-11-01'))
  return parley('token', 'create', '--app', 'Bench', '--scopes', 'write')
}

function versionOf(...folders: string[]): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (const folder of folders)
    for (const file of readdirSync(join(root, folder)).sort()) hash.update(readFileSync(join(root, folder, file)))
  return hash.digest('hex').slice(0, 12)
}
