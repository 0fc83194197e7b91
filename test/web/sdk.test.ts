import { expect } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSdk, expectedUse, newFolder, prepareUse, projectRoot } from '../sdk/fixture'
import { sharedServer } from '../server'
import { getBrowser, test } from './browser'

/** A page of another site that uses the package as it is, without any tools. */
const page = `<!doctype html>
<script type="importmap">{ "imports": { "parley-client": "./index.min.js" } }</script>
<script type="module">
  import { use } from './use.js'
  window.use = (input) => use(input).catch((error) => String(error.stack))
</script>`

test('the package works in a page of another site', async () => {
  const folder = newFolder()
  await buildSdk(folder.path)
  copyFileSync(join(projectRoot, 'test/sdk/use.js'), join(folder.path, 'use.js'))
  await using site = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/') return new Response(page, { headers: { 'Content-Type': 'text/html' } })
      const file = Bun.file(join(folder.path, pathname))
      // Browsers with windows also ask for /favicon.ico.
      return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 })
    },
  })
  const context = await (await getBrowser()).newContext()
  const tab = await context.newPage()
  await tab.goto(site.url.href)
  await tab.waitForFunction('window.use')
  const input = { ...(await prepareUse(await sharedServer())), name: 'Chromium' }
  const result = await tab.evaluate((given) => (window as never as { use(given: object): object }).use(given), input)
  expect(result).toEqual(expectedUse('Chromium'))
  await context.close()
  folder.remove()
})
