import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Bundling takes seconds.
setDefaultTimeout(300_000)

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
/** Bundling takes seconds. */
const ensureBundle = () => existsSync(join(folder, 'dist/bundle')) || run(folder, 'scripts/bundle.ts')
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
    const files: { name: string }[] = await Bun.file(join(listBundles(folder)[0]!, 'web-app.json')).json()
    const page = await (await fetch(url)).text()
    expect(files.some(({ name }) => page.includes(`"/assets/${name}"`))).toBe(true)
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

  const git = (cwd: string, ...args: string[]) =>
    Bun.spawnSync(['git', '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd,
    }).stdout.toString()
  test.skipIf(!Bun.which('git'))('names the commit of the bundle, and whether files were changed', async () => {
    const outer = `${folder}-cloned`
    const clone = join(outer, 'parley')
    cpSync(folder, clone, { recursive: true, verbatimSymlinks: true })
    try {
      const bundled = () => {
        run(clone, 'scripts/bundle.ts')
        return startVersion(clone)
      }
      // An unpacked archive inside the repository of something else has no commit.
      git(outer, 'init', '--quiet')
      git(outer, 'commit', '--quiet', '--allow-empty', '--message=Something else.')
      expect(bundled()).toBe(version)

      git(clone, 'init', '--quiet')
      await Bun.write(join(clone, '.gitignore'), 'dist\nnode_modules\nparley.db*\ndata\nfiles\nsecret.key\n')
      git(clone, 'add', '--all')
      git(clone, 'commit', '--quiet', '--message=Start.')
      git(clone, 'tag', '--annotate', '--message=x', 'v9.9.9')
      const commit = git(clone, 'rev-parse', '--short=7', 'HEAD').trim()
      expect(bundled()).toBe(`${version} (${commit})`)
      expect(run(clone, 'src/start.ts', 'help')).toStartWith(`Parley ${version} (${commit}): `)

      const changed = join(clone, 'src/domain/ids.ts')
      const before = readFileSync(changed, 'utf8')
      await Bun.write(changed, `${before}\n`)
      // The sources are run, and nobody knows what they are.
      expect(startVersion(clone)).toBe(version)
      expect(bundled()).toBe(`${version} (${commit}-dirty)`)

      const env = { PATH: process.env.PATH!, PORT: '0', HOST: '127.0.0.1', DATABASE_URL: `sqlite:${clone}/v.db` }
      await using child = Bun.spawn([process.execPath, 'src/start.ts', 'serve'], { cwd: clone, env, stdout: 'pipe' })
      let said = ''
      for await (const chunk of child.stdout) {
        said += new TextDecoder().decode(chunk)
        if (said.includes('/docs\n')) break
      }
      expect(said).toStartWith(`Parley ${version} (${commit}-dirty) listens on `)
      const [url] = said.match(/http:\/\/[^\s/]+/)!
      expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok', version, commit: `${commit}-dirty` })
      expect(await (await fetch(`${url}/metrics`)).text()).toContain(
        `parley_build_info{version="${version}",commit="${commit}-dirty",bun="`,
      )
    } finally {
      rmSync(outer, { recursive: true })
    }
  })

  test('bundles the web app itself if its bundle is gone, as after an upgrade of a running server', async () => {
    ensureBundle()
    const [made] = listBundles(folder)
    const kept = await Bun.file(join(made!, 'web-app.json')).text()
    rmSync(join(made!, 'web-app.json'))
    const env = { PATH: process.env.PATH!, PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'gone.db')}` }
    await using child = Bun.spawn([process.execPath, 'src/start.ts', 'serve'], { cwd: folder, env, stdout: 'pipe' })
    const { value } = await child.stdout.getReader().read()
    const [url] = new TextDecoder().decode(value).match(/http:\/\/[^\s/]+/)!
    expect((await fetch(url)).status).toBe(200)
    await Bun.write(join(made!, 'web-app.json'), kept)
  })

  test('uses a bundle that any user may read', () => {
    ensureBundle()
    for (const path of listBundles(folder)) expect(statSync(path).mode & 0o777).toBe(0o755)
  })

  test('runs the sources after the folder was moved', async () => {
    ensureBundle()
    const moved = `${folder}-moved`
    cpSync(folder, moved, { recursive: true, verbatimSymlinks: true })
    for (const path of listBundles(moved)) await Bun.write(join(path, 'main.js'), "console.log('bundle')")
    expect(startVersion(moved)).toBe(version)
    rmSync(moved, { recursive: true })
  })

  test('runs the sources as soon as they differ from what was bundled', async () => {
    ensureBundle()
    const [made, ...others] = listBundles(folder)
    expect(others).toEqual([])
    await Bun.write(join(made!, 'main.js'), "console.log('bundle')")
    expect(startVersion(folder)).toBe('bundle')

    const changed = join(folder, 'src/main.ts')
    const { atime, mtime } = statSync(changed)
    const before = readFileSync(changed, 'utf8')
    // Of the same length, with the time of modification set back.
    await Bun.write(changed, before.replace('console.log(build)', 'console.log(Bun.x)'))
    utimesSync(changed, atime, mtime)
    expect(startVersion(folder)).not.toBe('bundle')
    await Bun.write(changed, before)
    expect(startVersion(folder)).toBe('bundle')

    const page = join(folder, 'src/web/app.tsx')
    const app = readFileSync(page, 'utf8')
    await Bun.write(page, `${app}\n`)
    expect(startVersion(folder)).toBe(version)
    await Bun.write(page, app)
    expect(startVersion(folder)).toBe('bundle')

    const added = join(folder, 'src/domain/ids/index.ts')
    await Bun.write(added, '')
    expect(startVersion(folder)).toBe(version)
    rmSync(join(added, '..'), { recursive: true })
    await Bun.write(join(folder, 'tsconfig.json'), '{}')
    expect(startVersion(folder)).toBe(version)
  })
})
