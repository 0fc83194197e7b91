import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '../../expectations'
import { freePort } from '../../postgres'
import { buildSdk, expectedUse, listTitles, newFolder, prepareUse, projectRoot, run, type Use } from '../../sdk/fixture'
import { startTestServer } from '../../server'
import { ensureTools, toolNamed } from '../../tools'

const built = newFolder()
const project = newFolder()
const installed = join(project.path, 'node_modules/parley-client')
let server: Awaited<ReturnType<typeof startTestServer>>
let use: Use
let tarball: string

beforeAll(async () => {
  await ensureTools()
  await buildSdk(built.path)
  const packed = await run(['npm', 'pack', '--silent', built.path], project.path)
  tarball = join(project.path, packed.trim())
  writeFileSync(join(project.path, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await run(['npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], project.path)
  copyFileSync(join(projectRoot, 'test/sdk/use.js'), join(project.path, 'use.js'))
  server = await startTestServer()
  use = await prepareUse(server)
}, 600_000)

afterAll(async () => {
  await server?.stop()
  built.remove()
  project.remove()
})

describe('the package', () => {
  test('has the code, to read and minified, one file of types, and no dependencies', () => {
    const files = ['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'index.min.js', 'package.json']
    expect(readdirSync(installed).sort()).toEqual(files)
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined])
    expect(readFileSync(join(installed, 'index.js'), 'utf8')).not.toMatch(/\bimport\b(?!\.meta)|\brequire\(/)
  })

  test('takes at most 6 KB compressed', () => {
    const code = readFileSync(join(installed, 'index.min.js'))
    expect(Bun.gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(6_000)
  })

  test('is accepted by publint and by attw', async () => {
    expect(await run([toolNamed('publint'), 'run', tarball, '--strict'])).toContain('All good!')
    // It fails if there is a problem. What is said of `require` does not concern a package of ES modules.
    await run([toolNamed('attw'), tarball, '--profile', 'esm-only'])
  }, 300_000)
})

describe('in', () => {
  const main = `
    import process from 'node:process'
    import { use } from './use.js'
    console.log(JSON.stringify(await use(JSON.parse(process.argv[2]))))`

  test.each([
    ['Node', ['node']],
    ['Bun', [process.execPath]],
    [
      'Deno',
      [toolNamed('deno'), 'run', '--no-prompt', '--no-remote', '--node-modules-dir=manual', '--allow-net=localhost'],
    ],
  ])('%s, everything works', async (name, command) => {
    writeFileSync(join(project.path, 'main.js'), main)
    const output = await run([...command, 'main.js', JSON.stringify({ ...use, name })], project.path)
    expect(JSON.parse(output)).toEqual(expectedUse(name))
    expect(await listTitles(use)).toContain(name)
  })

  test('Node, an error that nobody catches shows who called, and lines one can read', async () => {
    const failing = `
      import { Parley } from 'parley-client'
      const parley = new Parley(${JSON.stringify({ baseUrl: use.baseUrl, token: 'wrong' })})
      const announceBuild = async () => { await parley.posts.get({ id: 'post_x' }) }
      await announceBuild()`
    writeFileSync(join(project.path, 'failing.js'), failing)
    const child = Bun.spawn(['node', 'failing.js'], { cwd: project.path, stderr: 'pipe' })
    const printed = await new Response(child.stderr).text()
    expect(printed).toMatch(/^AuthenticationError: unauthenticated: /m)
    expect(printed).toContain('at async announceBuild')
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThan(500)
  })

  test('workerd, everything works', async () => {
    const port = await freePort()
    writeFileSync(join(project.path, 'worker.js'), worker)
    writeFileSync(join(project.path, 'workerd.capnp'), workerConfig(port))
    const child = Bun.spawn([toolNamed('workerd'), 'serve', 'workerd.capnp'], {
      cwd: project.path,
      stderr: 'pipe',
    })
    try {
      const ask = () =>
        fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify({ ...use, name: 'workerd' }) })
      await waitUntil(() =>
        fetch(`http://127.0.0.1:${port}`).then(
          () => true,
          () => false,
        ),
      )
      expect(await (await ask()).json()).toEqual(expectedUse('workerd'))
    } finally {
      child.kill()
      await child.exited
    }
    expect(await listTitles(use)).toContain('workerd')
  })
})

const worker = `
  import { use } from 'use.js'
  export default {
    async fetch(request) {
      if (request.method !== 'POST') return new Response()
      try {
        return Response.json(await use(await request.json()))
      } catch (error) {
        return Response.json(error.stack)
      }
    },
  }`

const workerConfig = (port: number) => `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [
      (name = "main", worker = .worker),
      (name = "internet", network = (allow = ["public", "private", "local"])),
    ],
    sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
  );
  const worker :Workerd.Worker = (
    modules = [
      (name = "worker.js", esModule = embed "worker.js"),
      (name = "use.js", esModule = embed "use.js"),
      (name = "parley-client", esModule = embed "node_modules/parley-client/index.min.js"),
    ],
    compatibilityDate = "2026-01-01",
  );`

describe('the types and the README', () => {
  const env = () => ({
    PARLEY_URL: use.baseUrl,
    PARLEY_TOKEN: use.token,
    WEBHOOK: JSON.stringify(use.webhook),
    WEBHOOK_SECRET: use.webhook.secret,
  })

  beforeAll(() => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
    expect(examples.length).toBeGreaterThan(8)
    writeFileSync(join(project.path, 'readme.ts'), [...examples, receiveWebhooks].join('\n'))
    writeFileSync(join(project.path, 'types.ts'), typeProgram)
  })

  test('records and parameters have types, and `event.type` narrows `event.data`', async () => {
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit']
    const language = [
      '--target',
      'ES2022',
      '--lib',
      'ES2022,DOM',
      '--module',
      'NodeNext',
      '--types',
      '',
      '--ignoreConfig',
    ]
    const tsc = join(projectRoot, 'node_modules/.bin/tsc')
    await run([tsc, ...strict, ...language, 'types.ts', 'readme.ts'], project.path)
  })

  test('the examples run', async () => {
    const output = await run([process.execPath, 'readme.ts'], project.path, env())
    const lines = output.trim().split('\n')
    for (const line of ['Ada Lovelace', 'It is gone, or you may not see it.', 'Lunch?']) expect(lines).toContain(line)
    expect(lines.slice(-2)).toEqual(['204', '401'])
    const titles = await listTitles(use)
    for (const title of ['Build 1042 failed', 'Nightly build passed.']) expect(titles).toContain(title)
  })
})

/** Calls what the example of webhooks defines. */
const receiveWebhooks = `
  declare const process: { env: Record<string, string | undefined> }
  const { headers, body } = JSON.parse(process.env.WEBHOOK!)
  console.log((await receive(new Request('http://localhost', { method: 'POST', headers, body }))).status)
  console.log((await receive(new Request('http://localhost', { method: 'POST', headers, body: 'x' }))).status)`

const typeProgram = `
  import { Parley, type Author, type Comment, type Event, type EventOf, type Page, type Post, type PostsListParams, type Role } from 'parley-client'

  const is = <T>(value: T) => value
  declare const parley: Parley
  const params: PostsListParams = { sort: 'last_activity_at', limit: 10 }
  is<Page<Post>>(await parley.posts.list(params))
  for await (const post of parley.posts.list()) is<Author>(post.author)
  for await (const result of parley.search.list({ q: 'x' })) if (result.type === 'post') is<Post>(result.post)
  for await (const event of parley.events.list()) is<Event>(event)
  is<Role>((await parley.members.get({ id: 'x' })).role)
  is<undefined>(await parley.posts.delete({ id: 'x' }))
  is<{ data: Post; response: Response }>(await parley.posts.get({ id: 'x' }).withResponse())
  is<string>(await parley.messages.getMarkdown({ id: 'x' }))
  await parley.me.setAvatar({ file: new Blob() })

  for await (const event of parley.events.stream({ types: ['post.created'] })) {
    if (event.type === 'post.created') is<string>(event.data.title)
    else if (event.type === 'comment.deleted') is<Comment>(event.data)
    else if (event.type === 'channel.member_added') is<Author>(event.data.member)
    // @ts-expect-error: it may be an event without a title
    event.data.title
  }
  parley.events.stream({}, { signal: AbortSignal.timeout(1) })
  // @ts-expect-error: a stream reconnects by itself, however often
  parley.events.stream({}, { retries: 1 })
  const created = is<EventOf<'post.created' | 'post.updated'> | undefined>(undefined)
  if (created) is<Post>(created.data)
  // @ts-expect-error: there is no such sort
  parley.posts.list({ sort: 'title' })
  // @ts-expect-error: it is not optional
  parley.posts.get()
  // @ts-expect-error: into which channel?
  parley.posts.create({ content_markdown: 'Lunch?' })
`
