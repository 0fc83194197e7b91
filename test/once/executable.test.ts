import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scripts } from '../../package.json'
import { projectRoot } from '../documents'
import { freePort } from '../postgres'

describe('the executable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-executable-'))
  const executable = join(folder, 'parley')
  afterAll(() => rmSync(folder, { recursive: true }))

  beforeAll(async () => {
    await Bun.$`${process.execPath} ${scripts.compile.replace(/^bun /, '')} ${executable}`
      .cwd(projectRoot)
      .env({ ...process.env, PARLEY_COMMIT: 'abc1234' })
      .quiet()
  })

  test('prints its version and its commands', async () => {
    expect(await Bun.$`${executable} --version`.cwd(folder).text()).toMatch(/^\d+\.\d+\.\d+ \(abc1234\)\n$/)
    expect(await Bun.$`${executable} --help`.cwd(folder).text()).toContain('token create')
  })

  test('serves the web app from an empty folder, and stops on SIGTERM', async () => {
    const port = await freePort()
    const env = { PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'silent' }
    await using server = Bun.spawn([executable, 'serve'], { cwd: folder, env, stdout: 'pipe' })
    const token = await firstToken(server.stdout)
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${token}` } })

    for (const path of [
      '/v2/posts',
      // In a process of its own, which the executable starts.
      '/v2/search?q=th*',
      '/docs',
      '/docs/getting-started',
      '/docs/reference/posts',
      '/plain.css',
      '/v2/openapi.json',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 200])
    const page = await (await get('/posts')).text()
    const assets = [...page.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path)
    const extensions = new Set(assets.map((path) => path.split('.').at(-1)!))
    expect([...extensions].sort()).toEqual(['css', 'js', 'svg', 'woff2'])
    for (const path of [...assets, '/sw.js']) expect([path, (await get(path)).status]).toEqual([path, 200])
    const docs = await (await get('/docs')).text()
    for (const [path] of docs.matchAll(/\/docs\/assets\/[\w.-]+/g))
      expect([path, (await get(path)).status]).toEqual([path, 200])
    expect(await Bun.$`${executable} health`.env(env).cwd(folder).text()).toBe('ready\n')
    expect(await Bun.$`${executable} backup one.backup`.env(env).cwd(folder).quiet().text()).toMatch(
      /^Wrote .+one\.backup/,
    )

    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    expect((await Bun.$`${executable} health`.env(env).cwd(folder).nothrow().quiet()).exitCode).toBe(1)
  })
})

/** The access token printed by the first start. */
async function firstToken(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    output += decoder.decode(chunk, { stream: true })
    const token = output.match(/Bearer (parley_[\w-]{43})/)?.[1]
    if (token) return token
  }
  throw new Error(`The server said: ${output}`)
}
