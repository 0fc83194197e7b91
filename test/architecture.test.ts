import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const source = resolve(import.meta.dir, '../src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
  .sort()

/** Each layer with the layers it may import from besides itself: all above it in this list. */
const order = [
  'contract',
  'domain',
  'files',
  'store',
  'accounts',
  'actions',
  'gate',
  'operations',
  'seed',
  'site',
  'entryPoints',
  'server',
  'cli',
  'main',
  'bundle',
  'start',
]
const layerImports: Record<string, readonly string[]> = {
  ...Object.fromEntries(order.map((layer, at) => [layer, order.slice(0, at)])),
  site: [
    ...order.slice(0, order.indexOf('site')),
    // The documentation looks like the web app.
    ...['web/styles/tokens.css', 'web/styles/code.css'],
  ],
  // Entry points; none imports another.
  // What HTTP needs of the database, it asks the gate or the accounts for.
  http: [...order.slice(0, order.indexOf('entryPoints')).filter((layer) => layer !== 'store'), '../docs/examples.json'],
  mcp: order.slice(0, order.indexOf('entryPoints')),
  jobs: order.slice(0, order.indexOf('entryPoints')),
  client: ['contract'],
  web: ['client', 'contract'],
  // Usable by every layer, so they import none.
  log: [],
  metrics: [],
  networks: ['version.ts'],
  version: ['../package.json'],
  config: [
    'networks/index.ts',
    'contract/browser/constants.ts',
    'store/engines/postgres/hosts.ts',
    'domain/start-error.ts',
  ],
}
const entryPoints = ['http', 'mcp', 'jobs']
const sharedFiles = ['log', 'metrics', 'networks', 'version']
/** Settings are read where the program starts, and passed on from there. */
const startingLayers = ['server', 'cli', 'main']

const getLayer = (file: string) => file.split('/')[0]!.replace(/\.tsx?$/, '')

function listImports(file: string): string[] {
  const text = readFileSync(resolve(source, file), 'utf8')
  const loader = file.endsWith('x') ? 'tsx' : 'ts'
  // The scanner leaves out type-only imports.
  const named = [...text.matchAll(/^(?:import|export)\b[^'"]*?\bfrom ['"]([^'"]+)['"]/gm)].map((match) => match[1]!)
  const used = new Bun.Transpiler({ loader }).scanImports(text).map(({ path }) => path)
  return [...new Set([...named, ...used])]
}

/** The source file that an import refers to; undefined for packages. */
function resolveImport(from: string, path: string): string | undefined {
  if (!path.startsWith('.')) return undefined
  const base = relative(source, resolve(source, dirname(from), path))
  return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((file) => files.includes(file)) ?? base
}

function mayImport(from: string, to: string): boolean {
  const [layer, other] = [getLayer(from), getLayer(to)]
  if (layer === other) return true
  const allowed = layerImports[layer]
  if (!allowed) return false
  if (allowed.includes(other) || allowed.includes(to)) return true
  if (layer === 'client' || layer === 'web' || layer === 'contract' || layer === 'domain') return false
  if (sharedFiles.includes(other)) return !sharedFiles.includes(layer)
  if (other === 'config') return startingLayers.includes(layer)
  return entryPoints.includes(other) && startingLayers.includes(layer)
}

const allImports = files.flatMap((from) =>
  listImports(from).map((path) => ({ from, path, to: resolveImport(from, path) })),
)

const importedFiles = Map.groupBy(
  allImports.filter(({ to }) => to !== undefined && files.includes(to)),
  ({ from }) => from,
)

/** The shortest chain of imports from a file back to itself; undefined if there is none. */
function findCycle(file: string, imports: (from: string) => string[]): string[] | undefined {
  const visited = new Set<string>()
  let chains = [[file]]
  while (chains.length > 0) {
    const longer = chains.flatMap((chain) => imports(chain.at(-1)!).map((to) => [...chain, to]))
    const cycle = longer.find((chain) => chain.at(-1) === file)
    if (cycle) return cycle
    chains = longer.filter((chain) => !visited.has(chain.at(-1)!) && visited.add(chain.at(-1)!))
  }
  return undefined
}

/** Every cycle once: it is named by the first of its files. */
const listCycles = (all: string[], imports: (from: string) => string[]) =>
  all
    .map((file) => findCycle(file, imports))
    .filter((cycle) => cycle !== undefined && cycle[0] === cycle.toSorted()[0])
    .map((cycle) => cycle!.join(' → '))

/** The files outside the given layers that import one of these packages. */
const listImporters = (packages: RegExp, ...exceptLayers: string[]) =>
  allImports
    .filter(({ path, from }) => packages.test(path) && !exceptLayers.includes(getLayer(from)))
    .map(({ from, path }) => `${from} imports ${path}`)

describe('architecture', () => {
  test('the imports of a file are found', () => {
    expect(files).toContain('actions/posts.ts')
    expect(listImports('actions/posts.ts')).toContain('../store/content/posts')
    expect(listImports('actions/context.ts')).toContain('../domain/permissions')
    expect(resolveImport('actions/posts.ts', '../contract')).toBe('contract/index.ts')
  })

  test('a layer may import from the layers above it only', () => {
    expect(mayImport('actions/posts.ts', 'store/posts.ts')).toBe(true)
    expect(mayImport('store/posts.ts', 'actions/posts.ts')).toBe(false)
    expect(mayImport('client/index.ts', 'domain/ids.ts')).toBe(false)
    expect(mayImport('http/routes.ts', 'jobs/clean-up.ts')).toBe(false)
    expect(mayImport('http/routes.ts', 'store/open.ts')).toBe(false)
    expect(mayImport('accounts/sign-in.ts', 'gate/parley.ts')).toBe(false)
    expect(mayImport('gate/call.ts', 'config.ts')).toBe(false)
  })

  test('every folder is a known layer', () => {
    const unknown = [...new Set(files.map(getLayer))].filter((layer) => !layerImports[layer])
    expect(unknown).toEqual([])
  })

  test('no layer imports from a layer below it', () => {
    const wrong = allImports
      .filter(({ from, to }) => to !== undefined && !mayImport(from, to))
      .map(({ from, to }) => `${from} imports ${to}`)
    expect(wrong).toEqual([])
  })

  test('a cycle of imports is found and named', () => {
    const imports: Record<string, string[]> = { a: ['b', 'd'], b: ['c'], c: ['a'], d: ['e'], e: [] }
    expect(listCycles(Object.keys(imports), (from) => imports[from]!)).toEqual(['a → b → c → a'])
  })

  test('no files import each other in a cycle, types included', () => {
    const imports = (from: string) => (importedFiles.get(from) ?? []).map(({ to }) => to!)
    expect(listCycles(files, imports)).toEqual([])
  })

  test('nor do the files of the benchmark', () => {
    const bench = resolve(source, '../bench')
    const all = [...new Bun.Glob('**/*.ts').scanSync(bench)].map((file) => join(bench, file))
    const imports = (from: string) =>
      listImports(from)
        .map((path) => `${resolve(dirname(from), path)}.ts`)
        .filter((file) => all.includes(file))
    expect(all.flatMap(imports).length).toBeGreaterThan(50)
    expect(listCycles(all, imports)).toEqual([])
  })

  test('every relative import refers to an existing file', () => {
    const missing = allImports
      .filter(({ to }) => to !== undefined && /\.tsx?$|\/[^.]+$/.test(to) && !files.includes(to))
      .map(({ from, path }) => `${from} imports ${path}`)
    expect(missing).toEqual([])
  })

  test('within the web app, imports point one way; parts know neither the API nor the data', () => {
    const layers = ['paths', 'parts', 'data', 'first-paint', 'composer', 'reactions', 'shell', 'pages', 'app', 'main']
    // The editor is one surface of a composer, loaded later.
    const layerOf = (file: string) =>
      layers.indexOf(
        file
          .split('/')[1]!
          .replace(/\.tsx?$/, '')
          .replace(/^editor$/, 'composer'),
      )
    const inWeb = allImports.filter(({ from, to }) => getLayer(from) === 'web' && to && files.includes(to))
    expect(inWeb.filter(({ from }) => layerOf(from) < 0)).toEqual([])
    const wrong = inWeb.filter(({ from, to }) =>
      getLayer(to!) === 'web'
        ? layerOf(to!) > layerOf(from)
        : from.startsWith('web/parts/') && getLayer(to!) === 'client' && to !== 'client/errors.ts',
    )
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
    const fetching = files.filter(
      (file) => file.startsWith('web/parts/') && /\bfetch\(/.test(readFileSync(join(source, file), 'utf8')),
    )
    expect(fetching).toEqual([])
  })

  test('within the store, a shelf imports only the shelves before it', () => {
    const shelves = [
      ...['schema', 'engines', 'schema/migrations', 'access', 'lists', 'attention', 'files', 'people'],
      ...['content', 'webhooks', 'accounts', 'log', 'search', 'changes', 'checks', 'backup'],
      ...['due-work.ts', 'seed.ts', 'open.ts'],
    ]
    const shelfOf = (file: string) =>
      file.startsWith('store/schema/migrations/') ? 'schema/migrations' : file.split('/')[1]!
    const placeOf = (file: string) => shelves.indexOf(shelfOf(file))
    const inStore = allImports.filter(({ from, to }) => getLayer(from) === 'store' && to && getLayer(to) === 'store')
    expect(inStore.filter(({ from }) => placeOf(from) < 0).map(({ from }) => from)).toEqual([])
    const wrong = inStore.filter(({ from, to }) => placeOf(to!) > placeOf(from))
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  test('paths of the web app are written in paths.ts alone', () => {
    const literal = /(['"`]|\$\{[^}]*\})\/[a-z]|\?\$\{/
    const written = files
      .filter((file) => getLayer(file) === 'web' && file !== 'web/paths.ts')
      .flatMap((file) =>
        readFileSync(join(source, file), 'utf8')
          .split('\n')
          .map((line) => ({ file, line })),
      )
      .filter(({ line }) => literal.test(line) && !/^\s*(\/?\*|\/\/|import )/.test(line))
      .map(({ file, line }) => `${file}: ${line.trim()}`)
    expect(written).toEqual([])
  })

  test('only the store imports database drivers', () => {
    expect(listImporters(/^(kysely|pg|bun:sqlite)(\/|$)/, 'store')).toEqual([])
  })

  test('SQL is written in the store alone', () => {
    const statement = /\b(SELECT\s.+\sFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/
    const written = files.filter(
      (file) => getLayer(file) !== 'store' && statement.test(readFileSync(join(source, file), 'utf8')),
    )
    expect(written).toEqual([])
  })

  test('HTTP opens no transaction', () => {
    const opening = /\bengine\s*\.\s*(read|readSnapshot|readWithin|snapshot|write|writeAlone|migrate)\b|\bwriteShared\(/
    expect(opening.test('await parley.engine.read((db) => findPost(db))')).toBe(true)
    const used = files.filter(
      (file) => getLayer(file) === 'http' && opening.test(readFileSync(join(source, file), 'utf8')),
    )
    expect(used).toEqual([])
  })

  test('contract and client run in a browser', () => {
    const inBrowser = allImports.filter(({ from, to }) => ['contract', 'client'].includes(getLayer(from)) && !to)
    expect(inBrowser.filter(({ path }) => !/^typebox(\/|$)/.test(path))).toEqual([])
    const used = files.filter((file) => ['contract', 'client'].includes(getLayer(file)))
    const bound = used.filter((file) => /\b(Bun|process|Buffer)\./.test(readFileSync(join(source, file), 'utf8')))
    expect(bound).toEqual([])
  })

  test('the domain does no I/O', () => {
    expect(allImports.filter(({ from, path }) => getLayer(from) === 'domain' && /^(node:|bun$)/.test(path))).toEqual([])
  })

  test('every file of the actions has a namesake in the contract', () => {
    const nouns = (layer: string) =>
      files.filter((file) => getLayer(file) === layer).map((file) => file.slice(layer.length + 1).split('/')[0]!)
    const promised = new Set(nouns('contract').map((name) => name.replace(/\.ts$/, '')))
    const without = nouns('actions')
      .map((name) => name.replace(/\.ts$/, ''))
      .filter((name) => !promised.has(name))
    expect([...new Set(without)]).toEqual([
      ...['access', 'context', 'hook-writes', 'list', 'me-email', 'mentions'],
      ...['search-query', 'search-results', 'text', 'webhook-access'],
    ])
  })
})
