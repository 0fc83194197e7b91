import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { bundles, hashSources, listSources, root } from '../src/bundle'
import { bundleWebApp } from '../src/http/web/bundle'
import { defineCommit } from './commit'

const ASSETS = 'assets'
const WEB_APP = 'web-app.json'

/** Bundles the program and its web app for `npm start`. `npm ci` runs this; without it, or after a change, `npm start` runs the sources. */
process.chdir(root)
const hash = hashSources()
mkdirSync(bundles, { recursive: true })
const folder = mkdtempSync(join(bundles, 'new-'))
writeFileSync(join(folder, WEB_APP), JSON.stringify(await bundleWebApp()))
const { metafile } = await Bun.build({
  entrypoints: ['src/main.ts'],
  outdir: bundles,
  files: {
    [join(root, 'src/http/web/prebuilt.ts')]:
      `export const prebuilt = () => Bun.file(${JSON.stringify(join(bundles, hash, WEB_APP))}).json()`,
  },
  // A running server still reads the assets of its bundle after the next one has replaced it.
  naming: { entry: `${basename(folder)}/[name].[ext]`, asset: `${ASSETS}/[name]-[hash].[ext]` },
  publicPath: `${bundles}/`,
  target: 'bun',
  format: 'cjs',
  bytecode: true,
  metafile: true,
  // Loaded for the first agent only, and as large as a third of the rest.
  external: ['@modelcontextprotocol/server'],
  // The bundle is in another folder than the one file that needs to know where it is.
  define: {
    ...defineCommit,
    'import.meta.dir': JSON.stringify(join(root, 'src/http/web')),
    'process.env.NODE_ENV': 'process.env.NODE_ENV',
  },
})

const sources = new Set(listSources())
const unknown = Object.keys(metafile!.inputs).filter((path) => !sources.has(path) && !path.includes('node_modules/'))
if (unknown.length > 0) throw new Error(`A change of these files would not be noticed: ${unknown.join(', ')}`)
if (hashSources() !== hash) throw new Error('A file changed meanwhile.')

// The server may run as another user than the one who installs it.
chmodSync(folder, 0o755)
// Or else a power failure could leave a bundle with empty files, which would be run.
for (const path of [folder, join(bundles, ASSETS)].flatMap(listFiles)) {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
rmSync(join(bundles, hash), { recursive: true, force: true })
renameSync(folder, join(bundles, hash))
for (const name of readdirSync(bundles))
  if (name !== hash && name !== ASSETS) rmSync(join(bundles, name), { recursive: true, force: true })

function listFiles(path: string): string[] {
  return readdirSync(path).map((name) => join(path, name))
}
