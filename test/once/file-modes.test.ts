import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parley, serve } from '../command'

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
