import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../client'
import { freePort, type Postgres, startPostgres } from '../../postgres'
import { type Child, startChild, waitUntil } from '../../torture/child'
import { insecurely, startProxy } from './proxied'
import { type Ports, type ProxyCommand, prepareCaddy, prepareNginx } from './proxies'

setDefaultTimeout(300_000)

/** PARLEY_TORTURE=long: ten times. */
const ROUNDS = process.env.PARLEY_TORTURE === 'long' ? 10 : 1
const READERS = 6
const WRITERS = 4
const STREAMS = 2
/** Between two requests of one client, so that 2 cores are enough. */
const PAUSE_MS = 5

let postgres: Postgres
const stopping: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  postgres = await startPostgres()
}, 300_000)
afterAll(async () => {
  for (const stop of stopping.reverse()) await stop()
  await postgres.destroy()
}, 300_000)

describe.each([
  ['nginx', prepareNginx],
  ['Caddy', async (folder: string, ports: Ports) => prepareCaddy(folder, ports)],
])('two nodes behind %s', (name, prepare: (folder: string, ports: Ports) => Promise<ProxyCommand>) => {
  test('are restarted one after the other without a failed request', async () => {
    const { url, token, restart } = await startNodes(name.toLowerCase(), prepare)
    const client = createClient({ baseUrl: url, token, fetch: insecurely as typeof fetch })
    const channel_id = (await client.channels.list()).data[0]!.id
    const statuses = new Map<string, number>()
    const count = (what: string) => void statuses.set(what, (statuses.get(what) ?? 0) + 1)
    const created: string[] = []
    let isOver = false

    /** Neither retries nor an Idempotency-Key: what the proxy answers is what counts. */
    const send = async (method: string, path: string, body?: object): Promise<Response | undefined> => {
      try {
        const response = await insecurely(url + path, {
          method,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: body && JSON.stringify(body),
        })
        count(`${method} ${response.status}`)
        return response
      } catch (error) {
        count(`${method} ${(error as { code?: string }).code}`)
      }
    }
    const read = async () => {
      while (!isOver) {
        await (await send('GET', '/v2/posts?limit=5'))?.arrayBuffer()
        await Bun.sleep(PAUSE_MS)
      }
    }
    const write = async () => {
      while (!isOver) {
        const response = await send('POST', '/v2/posts', { channel_id, content_markdown: 'Under load' })
        const { id } = ((await response?.json().catch(() => ({}))) ?? {}) as { id?: string }
        if (id) {
          created.push(id)
          await (await send('PATCH', `/v2/posts/${id}`, { content_markdown: 'Changed under load' }))?.arrayBuffer()
        }
        await Bun.sleep(PAUSE_MS)
      }
    }
    const ending = new AbortController()
    const follow = async (heard: string[]) => {
      for await (const { type, data } of client.events.stream({ signal: ending.signal }))
        if (type === 'post.created') heard.push((data as { id: string }).id)
    }
    const heard = Array.from({ length: STREAMS }, (): string[] => [])
    const following = heard.map(follow)
    const working = [...Array.from({ length: READERS }, read), ...Array.from({ length: WRITERS }, write)]
    await waitUntil(() => created.length > 0 && heard.every((each) => each.length > 0))

    for (let round = 0; round < ROUNDS; round++)
      for (const node of [0, 1]) {
        await restart(node)
        const before = created.length
        await waitUntil(() => created.length > before + 20 || isOver)
      }
    isOver = true
    await Promise.all(working)
    await waitUntil(() => heard.every((each) => each.includes(created.at(-1)!)))
    ending.abort()
    await Promise.all(following)

    expect(Object.fromEntries(statuses)).toEqual({
      'GET 200': expect.any(Number),
      'PATCH 200': expect.any(Number),
      'POST 201': created.length,
    })
    // Every write that was acknowledged is there once, and every stream heard of it once, across the restarts.
    expect((await client.posts.list({ limit: 1 })).total_count).toBe(created.length + 2)
    for (const ids of heard) {
      const first = created.indexOf(ids[0]!)
      expect(first).toBeGreaterThanOrEqual(0)
      expect(new Set(ids).size).toBe(ids.length)
      expect(created.slice(first + WRITERS).filter((id) => !ids.includes(id))).toEqual([])
    }
  })
})

/** Two nodes on a new database, and a proxy before them. */
async function startNodes(database: string, prepare: (folder: string, ports: Ports) => Promise<ProxyCommand>) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-nodes-'))
  stopping.push(async () => rmSync(folder, { recursive: true }))
  const ports: Ports = { plain: await freePort(), tls: await freePort(), nodes: [await freePort(), await freePort()] }
  const url = `https://localhost:${ports.tls}`
  const databaseUrl = postgres.url.replace(/postgres$/, database)
  await createDatabase(database)
  const start = (port: number) =>
    startChild(databaseUrl, { PORT: String(port), TRUSTED_PROXIES: '127.0.0.1', DATABASE_POOL: '4', DRAIN_SECONDS: '' })
  const nodes: Child[] = []
  for (const port of ports.nodes) nodes.push(await start(port))
  stopping.push(() => Promise.all(nodes.map((node) => node.kill())))
  const token = await nodes[0]!.firstToken()
  const proxy = await startProxy(await prepare(folder, ports), folder, url)
  stopping.push(async () => {
    proxy.kill('SIGTERM')
    await proxy.exited
  })
  return {
    url,
    token,
    async restart(node: number) {
      await nodes[node]!.stop()
      nodes[node] = await start(ports.nodes[node]!)
    },
  }
}

async function createDatabase(name: string) {
  const sql = new Bun.SQL(postgres.url, { max: 1 })
  await sql.unsafe(`CREATE DATABASE ${name}`)
  await sql.close()
}
