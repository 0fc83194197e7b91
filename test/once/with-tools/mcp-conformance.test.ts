import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConformanceServer } from '../../mcp/conformance-server'
import { startTestServer } from '../../server'
import { ensureTools, toolNamed } from '../../tools'
import { type Person, world } from '../../world'

const REVISION = '2026-07-28'
const results = mkdtempSync(join(tmpdir(), 'parley-conformance-'))

beforeAll(ensureTools)
afterAll(() => rmSync(results, { recursive: true }))

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
  details?: { untestable?: boolean }
}

/** For servers that tell clients when their lists change. Parley's lists change only with the rights of the caller. */
const NOT_PROMISED = ['prompts', 'tools'].map((list) => `sep-2575-server-sends-${list}-list-changed-on-subscription`)

test(`the conformance suite finds nothing wrong with what ${REVISION} requires`, async () => {
  const server = await startTestServer({}, { createMcpServer: (...input) => new ConformanceServer(...input) })
  const { ada, general } = await world(server)
  await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const scenarios = await runSuite(ada)
  await server.stop()
  const required = await listRequired()
  expect(required.filter((name) => !scenarios.has(name))).toEqual([])

  const checks = required.flatMap((scenario) => scenarios.get(scenario)!.map((check) => ({ scenario, ...check })))
  const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const passed = checks.filter(({ status }) => status === 'SUCCESS')
  const skipped = checks.filter(({ status }) => status === 'SKIPPED')
  console.log(
    `MCP ${REVISION}: ${passed.length} of ${passed.length + wrong.length} checks passed in ${required.length} required scenarios; ${skipped.length} checks do not apply.`,
  )
  expect(wrong).toEqual([])
  expect(skipped.map(({ id }) => id)).toEqual(NOT_PROMISED)
  expect(passed.length).toBeGreaterThan(100)
}, 600_000)

/** The checks of each scenario. */
async function runSuite({ baseUrl, token }: Person): Promise<Map<string, Check[]>> {
  const proxy = addToken(baseUrl, token)
  const url = `http://127.0.0.1:${proxy.port}/mcp`
  const command = [process.execPath, toolNamed('conformance'), 'server', '--url', url, '--requirements', REVISION]
  await Bun.spawn([...command, '-o', results], { stdout: 'ignore', stderr: 'ignore' }).exited
  await proxy.stop(true)
  return new Map(await Promise.all(readdirSync(results).map(readScenario)))
}

/** The scenarios that the suite says a server must pass. */
async function listRequired(): Promise<string[]> {
  const file = join(
    import.meta.dir,
    '../../../tools/node_modules/@modelcontextprotocol/conformance',
    `requirements/${REVISION}.yaml`,
  )
  return (Bun.YAML.parse(await Bun.file(file).text()) as { server: string[] }).server
}

async function readScenario(folder: string): Promise<[string, Check[]]> {
  const name = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
  return [name, await Bun.file(join(results, folder, 'checks.json')).json()]
}

/** The suite cannot send a token, so that a proxy adds it. All else passes unchanged, the names in `Host` and `Origin` too. */
function addToken(baseUrl: string, token: string) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const headers = new Headers(request.headers)
      headers.set('Authorization', `Bearer ${token}`)
      const { method } = request
      const body = method === 'POST' ? await request.arrayBuffer() : undefined
      const response = await fetch(baseUrl + new URL(request.url).pathname, { method, headers, body })
      return new Response(await response.arrayBuffer(), response)
    },
  })
}
