import { join } from 'node:path'
import { bundleWebApp } from '../src/http/web/bundle'

/** Makes the one executable, with the web app inside. Goes to dist/parley, or where the argument says. */
const root = join(import.meta.dir, '..')
const outfile = process.argv[2] ?? join(root, 'dist/parley')
const webApp = await bundleWebApp()

await Bun.build({
  entrypoints: [join(root, 'src/main.ts')],
  // From source the web app is bundled when the server starts; here it is ready.
  files: { [join(root, 'src/http/web/prebuilt.ts')]: `export const prebuilt = ${JSON.stringify(webApp)}` },
  compile: { outfile },
  minify: true,
  sourcemap: 'linked',
  bytecode: true,
  format: 'esm',
})
