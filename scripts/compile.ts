import { join } from 'node:path'
import { bundleWebApp } from '../src/http/web/bundle'
import { defineCommit } from './commit'

/** Compiles the executable, including the web app, to dist/parley or the path in the argument. */
const root = join(import.meta.dir, '..')
const outfile = process.argv[2] ?? join(root, 'dist/parley')
const webApp = await bundleWebApp()

await Bun.build({
  entrypoints: [join(root, 'src/main.ts')],
  // From source the web app is bundled when the server starts; here it is bundled already.
  files: { [join(root, 'src/http/web/prebuilt.ts')]: `export const prebuilt = async () => ${JSON.stringify(webApp)}` },
  compile: { outfile },
  define: defineCommit,
  minify: true,
  sourcemap: 'linked',
  bytecode: true,
  format: 'esm',
})
