import { expect } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '../../../src/log'
import { type Client, createClient } from '../../client'
import { problem } from '../../http/wire'
import { freePort } from '../../postgres'
import { startTestServer } from '../../server'
import { waitUntil } from '../../torture/child'
import type { Ports, ProxyCommand } from './proxies'

export const METRICS_TOKEN = 'a-token-for-the-metrics-of-a-test-server'

export type Proxied = Awaited<ReturnType<typeof openProxied>>

/** A server as the docs tell to set it up behind a proxy on the same machine. */
export async function openProxied() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-proxy-'))
  const port = await freePort()
  const ports: Ports = { plain: await freePort(), tls: await freePort(), nodes: [port] }
  const url = `https://localhost:${ports.tls}`
  const lines: string[] = []
  const log = openLog({ level: 'info', format: 'json', write: (text) => void lines.push(text) })
  const server = await startTestServer(
    { PORT: String(port), PUBLIC_URL: url, TRUSTED_PROXIES: '127.0.0.1,::1', METRICS_TOKEN },
    { log },
  )
  const { token } = (await server.ready)!
  const client = createClient({ baseUrl: url, token, fetch: insecurely as typeof fetch })
  let proxy: Bun.Subprocess | undefined

  return {
    ...{ folder, ports, url, token, client },
    direct: `http://127.0.0.1:${port}`,
    get: (path: string, init?: RequestInit) => insecurely(url + path, init),
    logged: () => {
      log.flush()
      return lines.join('')
    },
    async start(command: string[], env: Record<string, string> = {}) {
      proxy = await startProxy({ command, env }, folder, url)
    },
    async stop() {
      proxy?.kill('SIGTERM')
      await proxy?.exited
      await server.stop()
      if (existsSync(folder)) rmSync(folder, { recursive: true })
    },
  }
}

/** Starts a proxy in a folder, and waits until it passes requests on. */
export async function startProxy({ command, env }: ProxyCommand, folder: string, url: string): Promise<Bun.Subprocess> {
  const proxy = Bun.spawn(command, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const isUp = () =>
    insecurely(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitUntil(async () => proxy.exitCode !== null || (await isUp()), 60_000)
  if (proxy.exitCode !== null) throw new Error(await new Response(proxy.stderr as ReadableStream).text())
  return proxy
}

/** The certificate is one that the test made. */
export const insecurely = (input: string | URL | Request, init?: RequestInit) =>
  fetch(input, { ...init, tls: { rejectUnauthorized: false } } as RequestInit)

/** That an event reaches a stream through the proxy while the stream is open, and the next one, too. */
export async function expectLiveStream(client: Client) {
  const ending = new AbortController()
  const heard: string[] = []
  const following = (async () => {
    for await (const { type } of client.events.stream({}, { signal: ending.signal })) heard.push(type)
  })()
  const [channel] = (await client.channels.list()).data
  const post = () => client.posts.create({ channel_id: channel!.id, content_markdown: 'Live' })
  // Posts are not heard until the stream is open.
  await waitUntil(async () => {
    await post()
    return heard.length > 0
  })
  const before = heard.length
  await post()
  await waitUntil(() => heard.length > before)
  ending.abort()
  await following
  expect(new Set(heard)).toEqual(new Set(['post.created']))
}

/** The default of FILE_MAX_MB, in bytes. */
const MAX_FILE_BYTES = 100_000_000

/** That files of the largest size pass, and that one byte more is refused by Parley, not by the proxy. */
export async function expectUploads({ token, client, get }: Proxied) {
  const send = (path: string, body: Blob | FormData, method = 'POST') =>
    get(path, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body instanceof Blob && { 'Content-Type': body.type }) },
      body,
    })
  const file = (bytes: number, type = 'application/octet-stream') => new Blob([new Uint8Array(bytes)], { type })
  const form = (bytes: number) => {
    const data = new FormData()
    data.append('file', file(bytes), 'largest.bin')
    return data
  }
  for (const body of [file(MAX_FILE_BYTES), form(MAX_FILE_BYTES)]) {
    const response = await send('/v2/files', body)
    expect(response.status).toBe(201)
    const { id, size } = (await response.json()) as { id: string; size: number }
    expect(size).toBe(MAX_FILE_BYTES)
    const content = await get(`/v2/files/${id}/content`, { headers: { Authorization: `Bearer ${token}` } })
    expect((await content.blob()).size).toBe(MAX_FILE_BYTES)
  }
  for (const body of [file(MAX_FILE_BYTES + 1), form(MAX_FILE_BYTES + 1)])
    await problem(await send('/v2/files', body), 'payload_too_large')
  // What is not a picture shows that the whole body has arrived.
  const [channel] = (await client.channels.list()).data
  const { id: hook } = await client.hooks.create({ name: 'Pictured', channel_id: channel!.id })
  for (const path of ['/v2/me/avatar', '/v2/workspace/icon', '/v2/emoji/largest', `/v2/hooks/${hook}/avatar`])
    await problem(await send(path, file(2_000_000, 'image/png'), 'PUT'), 'invalid_input')
}

/** The status that a path is answered with over HTTP/2. */
export function statusOverHttp2(url: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(url, { rejectUnauthorized: false })
    session.on('error', reject)
    const request = session.request({ ':path': path })
    request.on('response', (headers) => {
      resolve(Number(headers[':status']))
      session.close()
    })
    request.on('error', reject)
    request.resume()
    request.end()
  })
}
