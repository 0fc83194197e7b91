import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { settings } from '../src/config/settings'
import { operations } from '../src/contract'
import { errors } from '../src/contract/errors'
import { createClient } from './client'
import { pathWithCurl } from './curl-path'
import { anchorsOf, documents, examplesOf, linksOf, projectRoot, read, tablesOf } from './documents'
import { startTestServer } from './server'

type Json = { [key: string]: unknown }

describe('the documents', () => {
  test('are listed', () => expect(documents).toContain('docs/decisions/0001-the-revision.md'))

  test.each(documents)('the links of %s are valid', (document) => {
    const broken = linksOf(document)
      .filter((href) => !/^(https?|mailto):/.test(href))
      .filter((href) => !isValidLink(document, href))
    expect(broken).toEqual([])
  })

  test('the documented settings are the actual ones', () => {
    const table = tablesOf('docs/self-hosting.md').find(({ head }) => head[0] === 'setting')
    const actual = Object.entries(settings).map(([name, { fallback, help }]) => [
      `\`${name}\``,
      fallback && `\`${fallback}\``,
      help,
    ])
    expect(table?.rows).toEqual(actual)
  })

  test('the documented errors are the actual ones', () => {
    const table = tablesOf('docs/api.md').find(({ head }) => head[1] === 'code')
    const actual = Object.entries(errors).map(([code, { status, title }]) => [`${status}`, `\`${code}\``, `${title}.`])
    expect(table?.rows).toEqual(actual)
  })

  test('the documented operations are the actual ones', () => {
    const tables = tablesOf('docs/api.md').filter(({ head }) => head[0] === 'operation')
    const actual = Object.entries(operations).map(([name, { method, path, access }]) => [
      `\`${name}\``,
      `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``,
      access,
    ])
    expect(tables.flatMap(({ rows }) => rows.map((row) => row.slice(0, 3)))).toEqual(actual)
  })

  test('the documented commands are the actual ones', async () => {
    const help = await Bun.$`${process.execPath} src/main.ts --help`.cwd(projectRoot).text()
    const actual = [...help.matchAll(/^ {2}(\S+(?: \S+)?) {2,}/gm)].map(([, name]) => name!)
    const table = tablesOf('docs/self-hosting.md').find(({ head }) => head[0] === 'command')
    const documented = table!.rows.map(([command]) => command!.replace(/^`parley ([a-z]+(?: [a-z]+)?).*$/, '$1'))
    expect([...new Set(documented)].sort()).toEqual(actual.sort())
  })

  test('every reference in the OpenAPI document has a schema', async () => {
    const document = await Bun.file(join(projectRoot, 'docs/openapi.json')).text()
    const shapes = Object.keys(JSON.parse(document).components.schemas)
    const referred = [...document.matchAll(/"\$ref": "#\/components\/schemas\/([^"]*)"/g)].map(([, name]) => name)
    expect([...new Set(referred)].filter((name) => !shapes.includes(name!))).toEqual([])
    expect(shapes.filter((name) => !/^\w+$/.test(name))).toEqual([])
  })
})

describe('the examples', () => {
  let env: Record<string, string>
  let stop: () => Promise<void>

  beforeAll(async () => {
    const server = await startTestServer({ RATE_LIMIT: '100' })
    const { token } = (await server.ready)!
    const admin = createClient({ baseUrl: server.url, token })
    const [channel] = (await admin.channels.list()).data
    const post = await admin.posts.create({ channel_id: channel!.id, content_markdown: 'Lunch?' })
    const comment = await admin.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
    env = { PARLEY_URL: server.url, PARLEY_TOKEN: token }
    const hook = await admin.hooks.create({ name: 'Grafana', channel_id: channel!.id })
    env = { ...env, CHANNEL_ID: channel!.id, POST_ID: post.id, COMMENT_ID: comment.id, HOOK_URL: hook.url }
    stop = server.stop
  })
  afterAll(() => stop())

  const guides = [
    'api',
    'campsite',
    'getting-started',
    'agents',
    'incoming-webhooks',
    'files',
    'reactions-and-drafts',
  ].map((name) => `docs/${name}.md`)
  const examples = ['README.md', ...guides].flatMap((document) =>
    examplesOf(document).map((example, at) => ({ name: `${at + 1} of ${document}`, ...example })),
  )
  test.each(examples)('$name has the documented output', async ({ script, shown }) => {
    const run = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
      env: { PATH: pathWithCurl(), ...env },
      stderr: 'pipe',
    })
    const output = await new Response(run.stdout).text()
    expect(await run.exited).toBe(0)
    if (shown?.kind === 'json') expect(findMissingKeys(JSON.parse(shown.text), JSON.parse(output))).toEqual([])
    else if (shown?.kind === 'http') expect(findMissingLines(shown.text, output)).toEqual([])
    else expect(JSON.parse(output)).toBeObject()
  })

  test('are listed', () => expect(examples.length).toBeGreaterThan(8))
})

function isValidLink(document: string, href: string): boolean {
  const [path, anchor] = href.split('#') as [string, string?]
  const target = path === '' ? document : normalize(join(dirname(document), path))
  if (!existsSync(join(projectRoot, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

/** Keys that are documented but missing in the response. Values may differ. */
function findMissingKeys(shown: unknown, actual: unknown, at = ''): string[] {
  if (Array.isArray(shown)) return shown.flatMap((each) => findMissingKeys(each, (actual as unknown[])[0], `${at}[0]`))
  if (typeof shown !== 'object' || shown === null) return []
  return Object.entries(shown).flatMap(([key, value]) => {
    const inside = (actual as Json | null)?.[key]
    return inside === undefined ? [`${at}.${key}`] : findMissingKeys(value, inside, `${at}.${key}`)
  })
}

/** Documented status and header lines that the response does not have. Header values may differ. */
function findMissingLines(shown: string, actual: string): string[] {
  const lines = actual.split(/\r?\n/).map((line) => line.toLowerCase())
  return shown.split('\n').filter((line) => {
    const start = line.startsWith('HTTP/') ? line : line.split(': ')[0]! + ':'
    return !lines.some((each) => each.startsWith(start.toLowerCase()))
  })
}

test('no document contains a machine path', () => {
  for (const document of documents) expect(read(document)).not.toMatch(/\/(work|root|home\/[a-z]+)\//)
})
