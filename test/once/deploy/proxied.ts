import { expect } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:http2'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '../../../src/log'
import { type Client, createClient } from '../../client'
import { freePort } from '../../postgres'
import { startTestServer } from '../../server'
import { waitUntil } from '../../torture/child'

/** Whether this machine can listen on IPv6. */
export const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))

export const METRICS_TOKEN = 'a-token-for-the-metrics-of-a-test-server'

/** A server as the docs tell to set it up behind a proxy on the same machine. */
export async function openProxied() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-proxy-'))
  const ports = { plain: await freePort(), tls: await freePort(), parley: await freePort() }
  const url = `https://localhost:${ports.tls}`
  const lines: string[] = []
  const log = openLog({ level: 'info', format: 'json', write: (text) => void lines.push(text) })
  const server = await startTestServer(
    { PORT: String(ports.parley), PUBLIC_URL: url, TRUSTED_PROXIES: '127.0.0.1,::1', METRICS_TOKEN },
    { log },
  )
  const { token } = (await server.ready)!
  const client = createClient({ baseUrl: url, token, fetch: insecurely as typeof fetch })
  let proxy: Bun.Subprocess | undefined

  return {
    ...{ folder, ports, url, token, client },
    direct: `http://127.0.0.1:${ports.parley}`,
    get: (path: string, init?: RequestInit) => insecurely(url + path, init),
    logged: () => {
      log.flush()
      return lines.join('')
    },
    /** Starts the proxy, and waits until it passes requests on. */
    async start(command: string[], env: Record<string, string> = {}) {
      proxy = Bun.spawn(command, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
      const isUp = () =>
        insecurely(`${url}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )
      await waitUntil(async () => proxy!.exitCode !== null || (await isUp()), 60_000)
      if (proxy.exitCode !== null) throw new Error(await new Response(proxy.stderr as ReadableStream).text())
    },
    async stop() {
      proxy?.kill('SIGTERM')
      await proxy?.exited
      await server.stop()
      if (existsSync(folder)) rmSync(folder, { recursive: true })
    },
  }
}

/** The certificate is one that the test made. */
const insecurely = (input: string | URL | Request, init?: RequestInit) =>
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
