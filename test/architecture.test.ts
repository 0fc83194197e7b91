import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const source = resolve(import.meta.dir, '../src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
  .sort()

/** The folders, each with those it may import besides itself. Imports point up this list only. */
const order = ['contract', 'domain', 'store', 'records', 'actions', 'gate', 'setup', 'doors', 'server', 'cli', 'main']
const folders: Record<string, readonly string[]> = {
  ...Object.fromEntries(order.map((folder, at) => [folder, order.slice(0, at)])),
  // None of these imports another.
  http: order.slice(0, order.indexOf('doors')),
  mcp: order.slice(0, order.indexOf('doors')),
  jobs: order.slice(0, order.indexOf('doors')),
  client: ['contract'],
  web: ['client', 'contract'],
  // May be imported everywhere, and import nothing.
  log: [],
  metrics: [],
  networks: [],
  version: ['../package.json'],
  config: ['networks.ts', 'store/engines/start-error.ts'],
}
const interfaces = ['http', 'mcp', 'jobs']
const forAll = ['log', 'metrics', 'networks', 'version']
/** Only these read the settings; all others get them passed. */
const entryPoints = ['server', 'cli', 'main']

const folderOf = (file: string) => file.split('/')[0]!.replace(/\.tsx?$/, '')

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8')
  const loader = file.endsWith('x') ? 'tsx' : 'ts'
  // The scanner leaves out what only types are imported from.
  const named = [...text.matchAll(/^(?:import|export)\b[^'"]*?\bfrom ['"]([^'"]+)['"]/gm)].map((match) => match[1]!)
  const used = new Bun.Transpiler({ loader }).scanImports(text).map(({ path }) => path)
  return [...new Set([...named, ...used])]
}

/** The source file that an import refers to; undefined for packages. */
function resolveImport(from: string, path: string): string | undefined {
  if (!path.startsWith('.')) return undefined
  const target = relative(source, resolve(source, dirname(from), path))
  return [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((file) => files.includes(file)) ?? target
}

function mayImport(from: string, to: string): boolean {
  const [folder, other] = [folderOf(from), folderOf(to)]
  if (folder === other) return true
  const allowed = folders[folder]
  if (!allowed) return false
  if (allowed.includes(other) || allowed.includes(to)) return true
  if (folder === 'client' || folder === 'web' || folder === 'contract' || folder === 'domain') return false
  if (forAll.includes(other)) return !forAll.includes(folder)
  if (other === 'config') return entryPoints.includes(folder)
  return interfaces.includes(other) && entryPoints.includes(folder)
}

const allImports = files.flatMap((from) =>
  importsOf(from).map((path) => ({ from, path, to: resolveImport(from, path) })),
)

/** The files that import one of these packages, except in some folders. */
const importersOf = (packages: RegExp, ...except: string[]) =>
  allImports
    .filter(({ path, from }) => packages.test(path) && !except.includes(folderOf(from)))
    .map(({ from, path }) => `${from} imports ${path}`)

describe('the architecture', () => {
  test('imports are found', () => {
    expect(files).toContain('actions/posts.ts')
    expect(importsOf('actions/posts.ts')).toContain('../store/posts')
    expect(importsOf('actions/context.ts')).toContain('../domain/permissions')
    expect(resolveImport('actions/posts.ts', '../contract')).toBe('contract/index.ts')
  })

  test('the rule allows imports upwards only', () => {
    expect(mayImport('actions/posts.ts', 'store/posts.ts')).toBe(true)
    expect(mayImport('store/posts.ts', 'actions/posts.ts')).toBe(false)
    expect(mayImport('client/index.ts', 'domain/ids.ts')).toBe(false)
    expect(mayImport('http/routes.ts', 'jobs/clean-up.ts')).toBe(false)
    expect(mayImport('gate/call.ts', 'config.ts')).toBe(false)
  })

  test('every folder is in the rules', () => {
    const unknown = [...new Set(files.map(folderOf))].filter((folder) => !folders[folder])
    expect(unknown).toEqual([])
  })

  test('no folder imports from a folder below it', () => {
    const wrong = allImports
      .filter(({ from, to }) => to !== undefined && !mayImport(from, to))
      .map(({ from, to }) => `${from} imports ${to}`)
    expect(wrong).toEqual([])
  })

  test('every import refers to an existing file', () => {
    const missing = allImports
      .filter(({ to }) => to !== undefined && /\.tsx?$|\/[^.]+$/.test(to) && !files.includes(to))
      .map(({ from, path }) => `${from} imports ${path}`)
    expect(missing).toEqual([])
  })

  test('only the store imports database drivers', () => {
    expect(importersOf(/^(kysely|pg|bun:sqlite)(\/|$)/, 'store')).toEqual([])
  })

  test('there is no SQL outside the store', () => {
    const statement = /\b(SELECT\s.+\sFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/
    const written = files.filter(
      (file) => folderOf(file) !== 'store' && statement.test(readFileSync(join(source, file), 'utf8')),
    )
    expect(written).toEqual([])
  })

  test('the contract and the client are safe in a browser', () => {
    const inBrowser = allImports.filter(({ from, to }) => ['contract', 'client'].includes(folderOf(from)) && !to)
    expect(inBrowser.filter(({ path }) => !/^typebox(\/|$)/.test(path))).toEqual([])
    const used = files.filter((file) => ['contract', 'client'].includes(folderOf(file)))
    const bound = used.filter((file) => /\b(Bun|process|Buffer)\./.test(readFileSync(join(source, file), 'utf8')))
    expect(bound).toEqual([])
  })

  test('the domain does no I/O', () => {
    expect(allImports.filter(({ from, path }) => folderOf(from) === 'domain' && /^(node:|bun$)/.test(path))).toEqual([])
  })

  test('every noun has the same name in the contract and in the actions', () => {
    const nouns = (folder: string) =>
      files.filter((file) => folderOf(file) === folder).map((file) => file.slice(folder.length + 1).split('/')[0]!)
    const promised = new Set(nouns('contract').map((name) => name.replace(/\.ts$/, '')))
    const without = nouns('actions')
      .map((name) => name.replace(/\.ts$/, ''))
      .filter((name) => !promised.has(name))
    expect(without).toEqual(['context', 'text'])
  })
})
