import { join } from 'node:path'
import { bundleWebApp } from '../src/http/web/bundle'

/** Makes the one executable, with the web app inside. Goes to dist/parley, or where the argument says. */
const house = join(import.meta.dir, '..')
const outfile = process.argv[2] ?? join(house, 'dist/parley')
const webApp = await bundleWebApp()

await Bun.build({
  entrypoints: [join(house, 'src/main.ts')],
  // From source the web app is bundled when the server starts; here it is ready.
  files: { [join(house, 'src/http/web/prebuilt.ts')]: `export const prebuilt = ${JSON.stringify(webApp)}` },
  compile: { outfile },
  minify: true,
  sourcemap: 'linked',
  bytecode: true,
  format: 'esm',
})
