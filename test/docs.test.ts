import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { settings } from '../src/config/settings'
import { operations } from '../src/contract'
import { errors } from '../src/contract/errors'
import { createClient } from './client'
import { pathWithCurl } from './curl-path'
import { anchorsOf, documents, examplesOf, linksOf, longLinesOf, projectRoot, read, tablesOf } from './documents'
import { findWrongComments, findWrongNames, rooms, shelves, sources } from './named-files'
import { startTestServer } from './server'
import { findDifferences } from './shown-output'

describe('the documents', () => {
  test('are listed', () => expect(documents).toContain('docs/decisions/0001-the-revision.md'))

  test.each(documents)('the links of %s are valid', (document) => {
    const broken = linksOf(document)
      .filter((href) => !/^(https?|mailto):/.test(href))
      .filter((href) => !isValidLink(document, href))
    expect(broken).toEqual([])
  })

  const written = documents.filter((document) => document !== 'LICENSES.md')
  test.each(written)('the prose of %s is wrapped at 100 columns', (document) =>
    expect(longLinesOf(document)).toEqual([]),
  )

  // Decisions say how things were when they were made.
  const current = written.filter((document) => !document.startsWith('docs/decisions/'))
  test.each(current)('%s names files and folders that exist', (document) =>
    expect(findWrongNames(document)).toEqual([]),
  )

  test('docs/architecture.md shows all that is in src, and every shelf of the store', () => {
    const [tree] = read('docs/architecture.md').match(/(?<=```\nsrc\/\n).*?(?=\n```)/s)!
    expect([...tree.matchAll(/^ {2}([\w.-]+)/gm)].map(([, name]) => name!).sort()).toEqual(rooms)
    const table = tablesOf('docs/architecture.md').find(({ head }) => head[0] === 'shelf')
    expect(table!.rows.map(([shelf]) => shelf!.slice(1, -2)).sort()).toEqual(shelves)
  })

  test('comments of the source name files and folders that exist', () =>
    expect(sources.flatMap(findWrongComments)).toEqual([]))

  test('CONTRIBUTING.md names tests that exist, for what is forgotten', () => {
    const lists = tablesOf('CONTRIBUTING.md').filter(({ head }) => head[3] === 'if forgotten')
    const noticed = lists.flatMap(({ rows }) => rows.map((row) => row[3]!)).join('\n')
    const tests = [...noticed.matchAll(/\btest:? ((?:`[\w/.-]+`(?:, )?)+)/g)].flatMap(([, names]) =>
      [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => `test/${name}.test.ts`),
    )
    expect(tests.length).toBeGreaterThan(20)
    expect(tests.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([])
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

/** The documents whose shell examples are run, each on a server of its own: what a page shows does not depend on other pages. */
const pagesWithExamples = [
  'README.md',
  ...[
    'api',
    'campsite',
    'getting-started',
    'agents',
    'events',
    'incoming-webhooks',
    'files',
    'reactions-and-drafts',
  ].map((name) => `docs/${name}.md`),
]

describe.each(pagesWithExamples)('the examples of %s', (document) => {
  let env: Record<string, string>
  let server: Awaited<ReturnType<typeof startTestServer>>

  beforeAll(async () => {
    server = await startTestServer({ RATE_LIMIT: '100' })
    const { token } = (await server.ready)!
    const admin = createClient({ baseUrl: server.url, token })
    const [channel] = (await admin.channels.list()).data
    const post = await admin.posts.create({ channel_id: channel!.id, content_markdown: 'Lunch?' })
    const comment = await admin.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
    env = { PARLEY_URL: server.url, PARLEY_TOKEN: token }
    const hook = await admin.hooks.create({ name: 'Grafana', channel_id: channel!.id })
    env = { ...env, CHANNEL_ID: channel!.id, POST_ID: post.id, COMMENT_ID: comment.id, HOOK_URL: hook.url }
  })
  afterAll(() => server.stop())

  const examples = examplesOf(document).map((example, at) => ({ number: at + 1, ...example }))
  test.each(examples)('example $number has exactly the documented output', async ({ script, shown }) => {
    const run = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
      env: { PATH: pathWithCurl(), ...env },
      stderr: 'pipe',
    })
    const output = await new Response(run.stdout).text()
    expect(await run.exited).toBe(0)
    if (shown) expect(findDifferences(shown, output, server.url)).toEqual([])
    else expect(JSON.parse(output)).toBeObject()
  })

  test('there are some', () => expect(examples.length).toBeGreaterThan(0))
})

describe('a shown output', () => {
  const actual =
    '{"id":"post_01h455vb4pex5vsknk084sn02q","at":"2026-11-18T00:00:00.001Z","tags":[1,"a b"],"of":{"x":null}}'
  const differences = (text: string) => findDifferences({ kind: 'json', text }, actual, 'http://localhost:1')

  test('is the same but for ids, times and what it leaves open', () => {
    const shown = '{"id":"post_…","at":"2026-01-01T10:00:00.000Z","tags":[1,"a…"],"of":{"x":null}}'
    expect(differences(shown)).toEqual([])
  })

  test.each([
    ['a field is missing', '{"id":"…","at":"…","tags":[1,"a b"]}', ' has id,at,tags,of, not id,at,tags'],
    ['a field is too many', '{"id":"…","at":"…","tags":[1,"a b"],"of":{"x":null,"y":1}}', '.of has x, not x,y'],
    [
      'the order is another',
      '{"at":"…","id":"…","tags":[1,"a b"],"of":{"x":null}}',
      ' has id,at,tags,of, not at,id,tags,of',
    ],
    ['a list is shorter', '{"id":"…","at":"…","tags":[1],"of":{"x":null}}', '.tags has 0,1, not 0'],
    ['a value is another', '{"id":"…","at":"…","tags":[2,"a b"],"of":{"x":null}}', '.tags.0 is 1, not 2'],
    ['a text is another', '{"id":"…","at":"…","tags":[1,"a c"],"of":{"x":null}}', '.tags.1 is "a b", not "a c"'],
    ['a type is another', '{"id":"…","at":"…","tags":[1,"a b"],"of":{"x":{}}}', '.of.x is null, not {}'],
    [
      'an id is of another kind',
      '{"id":"cmt_…","at":"…","tags":[1,"a b"],"of":{"x":null}}',
      '.id is "post_…", not "cmt_…"',
    ],
  ])('differs if %s', (_, shown, difference) => expect(differences(shown)).toEqual([difference]))

  test.each([
    ['HTTP/1.1 200 OK\nContent-Type: text/plain\nX-A: …\n\nok', []],
    ['HTTP/1.1 200 OK\n…', []],
    ['HTTP/1.1 200 OK\nX-A: 2\n…', ['no x-a: 2']],
    ['HTTP/1.1 200 OK\nX-A: 1\n\nok', ['also content-type: text/plain']],
    ['HTTP/1.1 200 OK\nContent-Type: text/plain\nX-A: 1', ['the body is ok']],
    ['HTTP/1.1 404 Not Found\n…', ['no HTTP/1.1 404 Not Found']],
  ])('of headers is complete, or says that it is not: %j', (text, expected) => {
    const output = 'HTTP/1.1 404 Not Found\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nx-a: 1\r\n\r\nok'
    expect(findDifferences({ kind: 'http', text }, output, 'http://localhost:1')).toEqual(expected)
  })
})

function isValidLink(document: string, href: string): boolean {
  const [path, anchor] = href.split('#') as [string, string?]
  const target = path === '' ? document : normalize(join(dirname(document), path))
  if (!existsSync(join(projectRoot, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

test('no document contains a machine path', () => {
  for (const document of documents) expect(read(document)).not.toMatch(/\/(work|root|home\/[a-z]+)\//)
})
