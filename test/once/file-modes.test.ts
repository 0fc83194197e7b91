import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '../client'
import { parley, serve } from '../command'
import { picture } from '../me/pictures'

setDefaultTimeout(300_000)

/** A folder that everyone can enter, with umask 0. */
async function inOpenFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-modes-'))
  chmodSync(folder, 0o755)
  const umask = process.umask(0)
  try {
    return await work(folder)
  } finally {
    process.umask(umask)
    rmSync(folder, { recursive: true })
  }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** The modes of all files of a database, while a server uses it. */
async function modesOf(given: string, real = given) {
  const server = await serve({ DATABASE_URL: `sqlite:${given}` }, /\/docs\n/)
  const files = [real, `${real}-wal`, `${real}-shm`, join(dirname(given), 'secret.key')].filter((file) =>
    existsSync(file),
  )
  const modes = files.map(modeOf)
  await server.stop()
  return modes
}

describe('the files of a database', () => {
  test('can be read by their owner only', () =>
    inOpenFolder(async (folder) => {
      expect(await modesOf(join(folder, 'parley.db'))).toEqual(['600', '600', '600', '600'])
      expect(await modesOf(join(folder, 'new', 'parley.db'))).toEqual(['600', '600', '600', '600'])
      expect(modeOf(join(folder, 'new'))).toBe('700')
    }))

  test('also behind a symbolic link, and if a command creates them', () =>
    inOpenFolder(async (folder) => {
      mkdirSync(join(folder, 'real'), { mode: 0o755 })
      symlinkSync(join(folder, 'real', 'parley.db'), join(folder, 'link.db'))
      expect(await modesOf(join(folder, 'link.db'), join(folder, 'real', 'parley.db'))).toEqual([
        '600',
        '600',
        '600',
        '600',
      ])
      const DATABASE_URL = `sqlite:${join(folder, 'migrated.db')}`
      expect((await parley(['migrate'], { DATABASE_URL })).code).toBe(0)
      expect(modeOf(join(folder, 'migrated.db'))).toBe('600')
    }))

  test('keep the mode they have; doctor reports who can read them', () =>
    inOpenFolder(async (folder) => {
      const path = join(folder, 'parley.db')
      const env = { DATABASE_URL: `sqlite:${path}` }
      await modesOf(path)
      expect((await parley(['doctor'], env)).stdout).toContain('✓ access: other users of this machine cannot read')
      chmodSync(path, 0o644)
      await (await serve(env, /listens on/)).stop()
      expect(modeOf(path)).toBe('644')
      const { stdout, code } = await parley(['doctor'], env)
      expect(stdout).toContain(`✗ access: every user of this machine can read ${path}`)
      expect(stdout).toContain(`chmod 600 ${path}`)
      expect(code).toBe(1)
      chmodSync(folder, 0o700)
      expect((await parley(['doctor'], env)).code).toBe(0)
    }))
})

/** The files and folders below a folder that others could use, and how many there are. */
function readModes(folder: string) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  const open = found.flatMap((entry) => {
    const mode = modeOf(join(entry.parentPath, entry.name))
    return mode === (entry.isDirectory() ? '700' : '600') ? [] : [`${entry.name}: ${mode}`]
  })
  return { open, count: found.length }
}

test('everything else that Parley writes can be read by its owner only, too', () =>
  inOpenFolder(async (folder) => {
    const env = { DATABASE_URL: `sqlite:${join(folder, 'home', 'parley.db')}` }
    const server = await serve(env, /\/docs\n/)
    const { stdout } = await parley(['token', 'create', '--app', 'modes', '--scopes', 'admin'], env)
    const client = createClient({ baseUrl: server.url, token: stdout.match(/parley_[\w-]{43}/)![0] })
    const { id } = await client.files.upload({ file: await picture('png', [900, 500]), name: 'photo.png' })
    for (const size of ['small', 'medium', 'large'] as const) await client.files.content({ id, size })
    await client.workspace.setIcon({ file: await picture('png', [2_100, 2_000]) })
    // The database and its three other files, a file with three previews, an icon, and their folders.
    const running = readModes(folder)
    expect(running.open).toEqual([])
    expect(running.count).toBeGreaterThan(12)

    const backup = join(folder, 'backup.parley')
    expect((await parley(['backup', backup], env)).code).toBe(0)
    await server.stop()
    const restored = { DATABASE_URL: `sqlite:${join(folder, 'restored', 'parley.db')}` }
    expect((await parley(['restore', backup], restored)).code).toBe(0)
    const stopped = readModes(folder)
    expect(stopped.open).toEqual([])
    expect(stopped.count).toBeGreaterThan(running.count)
  }))
