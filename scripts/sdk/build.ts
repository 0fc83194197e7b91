import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { version } from '../../package.json'
import { printClientTypes } from './client-types'
import { printContract } from './contract-types'

/** Builds the npm package `parley-client` in dist/sdk, or in the folder that is given. */
const root = resolve(import.meta.dir, '../..')
const folder = resolve(process.argv[2] ?? join(root, 'dist/sdk'))
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const header = `/*! parley-client ${version} | MIT */\n`
// On a terminal, an error prints the line it was thrown in: the code that servers run has lines to read, that of browsers is small.
const [code, minified] = await Promise.all([bundle(false), bundle(true)])
const types = await format(`${printClientTypes(root)}\n\n${printContract()}\n`)

writeFileSync(join(folder, 'index.js'), code)
writeFileSync(join(folder, 'index.min.js'), minified)
writeFileSync(join(folder, 'index.d.ts'), types)
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
cpSync(join(root, 'docs/client.md'), join(folder, 'README.md'))
writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify(
    {
      name: 'parley-client',
      version,
      description: 'The typed client of Parley, a self-hosted team workspace.',
      keywords: ['parley', 'api', 'client', 'sdk', 'webhooks'],
      license: 'MIT',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20' },
      main: './index.js',
      types: './index.d.ts',
      exports: {
        '.': { types: './index.d.ts', browser: './index.min.js', default: './index.js' },
        './package.json': './package.json',
      },
      files: ['index.js', 'index.min.js', 'index.d.ts'],
    },
    null,
    2,
  )}\n`,
)

const compressed = Bun.gzipSync(minified, { level: 9 }).length
console.log(`parley-client ${version} in ${folder}: index.min.js ${minified.length} bytes, ${compressed} compressed`)

async function bundle(minify: boolean): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(root, 'src/client/index.ts')],
    target: 'browser',
    format: 'esm',
    minify,
  })
  return header + (await outputs[0]!.text())
}

async function format(types: string): Promise<string> {
  const biome = [join(root, 'node_modules/.bin/biome'), 'format', '--stdin-file-path=scripts/sdk/index.d.ts']
  const child = Bun.spawn(biome, { cwd: root, stdin: new Blob([types]) })
  const formatted = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('The types could not be formatted.')
  return formatted
}
