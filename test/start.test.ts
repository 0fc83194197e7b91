import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const project = join(import.meta.dir, '..')
const folder = mkdtempSync(join(tmpdir(), 'parley-start-'))
const run = (cwd: string, ...args: string[]) => {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, ...args], { cwd })
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString().trim()
}
/** The folders of bundles, without that of their assets. */
const listBundles = (cwd: string) =>
  readdirSync(join(cwd, 'dist/bundle'))
    .filter((name) => name !== 'assets')
    .map((name) => join(cwd, 'dist/bundle', name))
const startVersion = (cwd: string) => run(cwd, 'src/start.ts', 'version')

beforeAll(() => {
  for (const path of ['src', 'docs', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(join(project, path), join(folder, path), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the start', () => {
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))

  test('works without a bundle', () => {
    expect(startVersion(folder)).toBe(version)
  })

  test('serves from the bundle, also after the next one replaced it, and stops on SIGTERM', async () => {
    run(folder, 'scripts/bundle.ts')
    const env = { PATH: process.env.PATH!, PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'parley.db')}` }
    await using child = Bun.spawn([process.execPath, 'src/start.ts', 'serve'], { cwd: folder, env, stdout: 'pipe' })
    const { value } = await child.stdout.getReader().read()
    const [url] = new TextDecoder().decode(value).match(/http:\/\/[^\s/]+/)!
    const expectServed = async () => {
      for (const path of ['/', '/docs', '/docs/errors', '/plain.css', '/v2/openapi.json'])
        expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
    }
    await expectServed()
    // In a process of its own, which the bundle starts.
    const { stdout } = Bun.spawnSync(
      [process.execPath, 'src/start.ts', 'token', 'create', '--app', 'Reader', '--scopes', 'read'],
      { cwd: folder, env },
    )
    const headers = { Authorization: `Bearer ${stdout.toString().trim()}` }
    expect((await fetch(`${url}/v2/search?q=th*`, { headers })).status).toBe(200)
    const tsconfig = readFileSync(join(folder, 'tsconfig.json'), 'utf8')
    await Bun.write(join(folder, 'tsconfig.json'), `${tsconfig}\n`)
    run(folder, 'scripts/bundle.ts')
    await expectServed()
    rmSync(join(folder, 'dist/bundle/assets'), { recursive: true })
    await expectServed()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('uses a bundle that any user may read', () => {
    run(folder, 'scripts/bundle.ts')
    for (const path of listBundles(folder)) expect(statSync(path).mode & 0o777).toBe(0o755)
  })

  test('runs the sources as soon as they differ from what was bundled', async () => {
    run(folder, 'scripts/bundle.ts')
    const [made, ...others] = listBundles(folder)
    expect(others).toEqual([])
    await Bun.write(join(made!, 'main.js'), "console.log('bundle')")
    expect(startVersion(folder)).toBe('bundle')

    const changed = join(folder, 'src/main.ts')
    const { atime, mtime } = statSync(changed)
    const before = readFileSync(changed, 'utf8')
    // Of the same length, with the time of modification set back.
    await Bun.write(changed, before.replace('console.log(version)', 'console.log(process)'))
    utimesSync(changed, atime, mtime)
    expect(startVersion(folder)).not.toBe('bundle')
    await Bun.write(changed, before)
    expect(startVersion(folder)).toBe('bundle')

    const added = join(folder, 'src/domain/ids/index.ts')
    await Bun.write(added, '')
    expect(startVersion(folder)).toBe(version)
    rmSync(join(added, '..'), { recursive: true })
    await Bun.write(join(folder, 'tsconfig.json'), '{}')
    expect(startVersion(folder)).toBe(version)
  })

  test('runs the sources after the folder was moved', async () => {
    run(folder, 'scripts/bundle.ts')
    const moved = `${folder}-moved`
    cpSync(folder, moved, { recursive: true, verbatimSymlinks: true })
    for (const path of listBundles(moved)) await Bun.write(join(path, 'main.js'), "console.log('bundle')")
    expect(startVersion(moved)).toBe(version)
    rmSync(moved, { recursive: true })
  })
})
