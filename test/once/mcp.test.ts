import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { tools } from '../../src/mcp/server'
import { read, tablesOf } from '../documents'
import { request } from '../mcp/agent'
import { world } from '../world'

/** A token of a model is at least this many characters of JSON, on average: counted with a real tokenizer it is more. */
const CHARACTERS_PER_TOKEN = 3
const MAX_TOKENS = 4_000

test('the descriptions of all tools together take at most 4,000 tokens', async () => {
  const { root } = await world()
  const { tools } = (await request(root, 'tools/list')).body.result
  expect(tools.length).toBeLessThanOrEqual(14)
  const tokens = Math.ceil(JSON.stringify(tools).length / CHARACTERS_PER_TOKEN)
  expect(tokens).toBeLessThanOrEqual(MAX_TOKENS)
})

test('the library is loaded for the first agent, not at the start', async () => {
  const program = `
    const { startTestServer } = await import('./test/server')
    const { world } = await import('./test/world')
    const { request } = await import('./test/mcp/agent')
    const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('@modelcontextprotocol'))
    const server = await startTestServer()
    const { ada } = await world(server)
    const refused = await request({ baseUrl: ada.baseUrl }, 'tools/list')
    const before = isLoaded()
    const admitted = await request(ada, 'tools/list')
    console.log(JSON.stringify([refused.status, before, admitted.status, isLoaded()]))
    process.exit()`
  const child = Bun.spawnSync([process.execPath, '-e', program], { cwd: join(import.meta.dir, '../..') })
  expect(JSON.parse(child.stdout.toString())).toEqual([401, false, 200, true])
})

test('the documented tools are the actual ones', () => {
  const [table] = tablesOf('docs/agents.md')
  const documented = table!.rows.map(([name, , writes]) => [name, writes === 'yes'])
  expect(documented).toEqual(tools.map(({ name, writes }) => [`\`${name}\``, writes !== undefined]))
})

test('the documented settings of agents are valid JSON, with the address of this server', () => {
  const settings = [...read('docs/agents.md').matchAll(/```json\n(\{\n {2}"(?:mcpServers|inputs)[\s\S]+?)```/g)]
  expect(settings).toHaveLength(4)
  for (const [, text] of settings) expect(JSON.stringify(JSON.parse(text!))).toContain('https://parley.example.com/mcp')
})
