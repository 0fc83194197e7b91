import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const source = resolve(import.meta.dir, '../src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
  .sort()

/** The rooms, each with those it may enter besides itself. What is below may look up, never down. */
const order = ['contract', 'domain', 'store', 'records', 'actions', 'gate', 'setup', 'doors', 'server', 'cli', 'main']
const rooms: Record<string, readonly string[]> = {
  ...Object.fromEntries(order.map((room, at) => [room, order.slice(0, at)])),
  // Doors beside each other; none leads into another.
  http: order.slice(0, order.indexOf('doors')),
  mcp: order.slice(0, order.indexOf('doors')),
  jobs: order.slice(0, order.indexOf('doors')),
  client: ['contract'],
  web: ['client', 'contract'],
  // What everything may use uses nothing.
  log: [],
  metrics: [],
  networks: [],
  version: ['../package.json'],
  config: ['networks.ts', 'store/engines/start-error.ts'],
}
const doors = ['http', 'mcp', 'jobs']
const forAll = ['log', 'metrics', 'networks', 'version']
/** Settings are read where the program starts, and passed on from there. */
const startsThings = ['server', 'cli', 'main']

const roomOf = (file: string) => file.split('/')[0]!.replace(/\.tsx?$/, '')

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8')
  const loader = file.endsWith('x') ? 'tsx' : 'ts'
  // The scanner leaves out what only types are imported from.
  const named = [...text.matchAll(/^(?:import|export)\b[^'"]*?\bfrom ['"]([^'"]+)['"]/gm)].map((match) => match[1]!)
  const used = new Bun.Transpiler({ loader }).scanImports(text).map(({ path }) => path)
  return [...new Set([...named, ...used])]
}

/** The file of this house that an import means; undefined for packages. */
function fileMeant(from: string, path: string): string | undefined {
  if (!path.startsWith('.')) return undefined
  const meant = relative(source, resolve(source, dirname(from), path))
  return [meant, `${meant}.ts`, `${meant}.tsx`, `${meant}/index.ts`].find((file) => files.includes(file)) ?? meant
}

function mayImport(from: string, to: string): boolean {
  const [room, other] = [roomOf(from), roomOf(to)]
  if (room === other) return true
  const allowed = rooms[room]
  if (!allowed) return false
  if (allowed.includes(other) || allowed.includes(to)) return true
  if (room === 'client' || room === 'web' || room === 'contract' || room === 'domain') return false
  if (forAll.includes(other)) return !forAll.includes(room)
  if (other === 'config') return startsThings.includes(room)
  return doors.includes(other) && startsThings.includes(room)
}

const importsAcross = files.flatMap((from) =>
  importsOf(from).map((path) => ({ from, path, to: fileMeant(from, path) })),
)

const importedFiles = Map.groupBy(
  importsAcross.filter(({ to }) => to !== undefined && files.includes(to)),
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

/** The files outside some rooms that import one of these packages. */
const importersOf = (packages: RegExp, ...besides: string[]) =>
  importsAcross
    .filter(({ path, from }) => packages.test(path) && !besides.includes(roomOf(from)))
    .map(({ from, path }) => `${from} imports ${path}`)

describe('the house', () => {
  test('is read as it is', () => {
    expect(files).toContain('actions/posts.ts')
    expect(importsOf('actions/posts.ts')).toContain('../store/posts')
    expect(importsOf('actions/context.ts')).toContain('../domain/permissions')
    expect(fileMeant('actions/posts.ts', '../contract')).toBe('contract/index.ts')
  })

  test('the rule tells up from down', () => {
    expect(mayImport('actions/posts.ts', 'store/posts.ts')).toBe(true)
    expect(mayImport('store/posts.ts', 'actions/posts.ts')).toBe(false)
    expect(mayImport('client/index.ts', 'domain/ids.ts')).toBe(false)
    expect(mayImport('http/routes.ts', 'jobs/clean-up.ts')).toBe(false)
    expect(mayImport('gate/call.ts', 'config.ts')).toBe(false)
  })

  test('every room has its place', () => {
    const unknown = [...new Set(files.map(roomOf))].filter((room) => !rooms[room])
    expect(unknown).toEqual([])
  })

  test('no room imports from a room below it', () => {
    const wrong = importsAcross
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

  test('every import means a file that is there', () => {
    const missing = importsAcross
      .filter(({ to }) => to !== undefined && /\.tsx?$|\/[^.]+$/.test(to) && !files.includes(to))
      .map(({ from, path }) => `${from} imports ${path}`)
    expect(missing).toEqual([])
  })

  test('within the web app, imports point one way; parts know neither the API nor the data', () => {
    const layers = ['paths', 'parts', 'data', 'composer', 'shell', 'pages', 'app', 'main']
    const layerOf = (file: string) => layers.indexOf(file.split('/')[1]!.replace(/\.tsx?$/, ''))
    const inWeb = importsAcross.filter(({ from, to }) => roomOf(from) === 'web' && to && files.includes(to))
    expect(inWeb.filter(({ from }) => layerOf(from) < 0)).toEqual([])
    const wrong = inWeb.filter(({ from, to }) =>
      roomOf(to!) === 'web'
        ? layerOf(to!) > layerOf(from)
        : from.startsWith('web/parts/') && roomOf(to!) === 'client' && to !== 'client/error.ts',
    )
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
    const fetching = files.filter(
      (file) => file.startsWith('web/parts/') && /\bfetch\(/.test(readFileSync(join(source, file), 'utf8')),
    )
    expect(fetching).toEqual([])
  })

  test('paths of the web app are written in paths.ts alone', () => {
    const literal = /(['"`]|\$\{[^}]*\})\/[a-z]|\?\$\{/
    const written = files
      .filter((file) => roomOf(file) === 'web' && file !== 'web/paths.ts')
      .flatMap((file) =>
        readFileSync(join(source, file), 'utf8')
          .split('\n')
          .map((line) => ({ file, line })),
      )
      .filter(({ line }) => literal.test(line) && !/^\s*(\/?\*|\/\/|import )/.test(line))
      .map(({ file, line }) => `${file}: ${line.trim()}`)
    expect(written).toEqual([])
  })

  test('only the store talks to databases', () => {
    expect(importersOf(/^(kysely|pg|bun:sqlite)(\/|$)/, 'store')).toEqual([])
  })

  test('no statement is written outside the store', () => {
    const statement = /\b(SELECT\s.+\sFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/
    const written = files.filter(
      (file) => roomOf(file) !== 'store' && statement.test(readFileSync(join(source, file), 'utf8')),
    )
    expect(written).toEqual([])
  })

  test('the contract and the client are safe in a browser', () => {
    const inBrowser = importsAcross.filter(({ from, to }) => ['contract', 'client'].includes(roomOf(from)) && !to)
    expect(inBrowser.filter(({ path }) => !/^typebox(\/|$)/.test(path))).toEqual([])
    const used = files.filter((file) => ['contract', 'client'].includes(roomOf(file)))
    const bound = used.filter((file) => /\b(Bun|process|Buffer)\./.test(readFileSync(join(source, file), 'utf8')))
    expect(bound).toEqual([])
  })

  test('the domain does nothing but think', () => {
    expect(importsAcross.filter(({ from, path }) => roomOf(from) === 'domain' && /^(node:|bun$)/.test(path))).toEqual(
      [],
    )
  })

  test('every noun has the same name in the contract and in the actions', () => {
    const nouns = (room: string) =>
      files.filter((file) => roomOf(file) === room).map((file) => file.slice(room.length + 1).split('/')[0]!)
    const promised = new Set(nouns('contract').map((name) => name.replace(/\.ts$/, '')))
    const without = nouns('actions')
      .map((name) => name.replace(/\.ts$/, ''))
      .filter((name) => !promised.has(name))
    expect(without).toEqual(['context', 'text'])
  })
})
