import { getDataset } from './lib/dataset'
import { grouped } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { startParley } from './lib/servers'
import { getJson } from './lib/urls'

const encodings = ['identity', 'gzip', 'br', 'zstd', 'gzip, deflate, br, zstd']

/** How many bytes a response takes on the wire, without and with Accept-Encoding. */
export async function benchWire() {
  const data = await getDataset('small')
  const server = await startParley(data)
  try {
    const { data: posts } = await getJson<{ data: { id: string }[] }>(server.port, data.token, '/v2/posts')
    const urls = {
      'page of 50 posts': '/v2/posts',
      'one post': `/v2/posts/${posts[0]!.id}`,
      'page of 50 members': '/v2/members',
    }
    const rows: string[][] = []
    for (const [name, url] of Object.entries(urls)) {
      const plain = await getSize(server.port, data.token, url)
      const sizes = [plain]
      for (const encoding of encodings) sizes.push(await getSize(server.port, data.token, url, encoding))
      rows.push([name, ...sizes.map(({ bytes, encoding }) => grouped(bytes) + (encoding && ` ${encoding}`))])
      if (url !== '/v2/posts') continue
      const browser = sizes.at(-1)!.bytes / 1_000
      addResult({ name: 'Page of 50 posts on the wire, no Accept-Encoding', value: plain.bytes / 1_000, unit: 'KB' })
      const title = 'Page of 50 posts on the wire, to a browser'
      addResult({ name: title, engine: 'SQLite', value: browser, unit: 'KB', isHeadline: true })
    }
    addSection(
      'Bytes on the wire',
      'The body of a response, by the `Accept-Encoding` of the request. The encoding that was used follows the number.',
      ['response', 'none', ...encodings.slice(0, -1), 'as a browser'],
      rows,
    )
  } finally {
    await server.stop()
  }
}

async function getSize(port: number, token: string, url: string, encoding?: string) {
  // Node's client: `fetch` adds an Accept-Encoding of its own.
  const { request } = await import('node:http')
  const headers = { Authorization: `Bearer ${token}`, ...(encoding && { 'Accept-Encoding': encoding }) }
  return new Promise<{ bytes: number; encoding: string }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: url, headers }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve({ bytes, encoding: String(response.headers['content-encoding'] ?? '') }))
    })
      .on('error', reject)
      .end()
  })
}
