import { copyDataset } from './lib/dataset'
import { grouped, median } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { isQuick, size } from './lib/settings'

const CALLS = isQuick ? 20 : 400
const AT_ONCE = 4
const REVISION = '2026-07-28'

interface Pair {
  name: string
  /** The tool, and the operation that does the same. */
  tool: string
  args: (at: number) => object
  request: (at: number) => [url: string, body?: object]
}

/** What a call of a tool costs, compared with the same request to the API. */
export async function benchAgents() {
  const data = await copyDataset('small', 'SQLite')
  const server = await startParley(data)
  const posts = data.urls.posts.map((url) => url.split('/').at(-1)!)
  const postAt = (at: number) => posts[at % posts.length]!
  const content_markdown = 'I can take this one. The **first** part is done, the rest by Friday.'
  const pairs: Pair[] = [
    { name: 'a page of 50 posts', tool: 'list_posts', args: () => ({ limit: 50 }), request: () => ['/v2/posts'] },
    {
      name: 'a search',
      tool: 'search',
      args: () => ({ q: 'the' }),
      request: () => ['/v2/search?limit=20&q=the'],
    },
    {
      name: 'a comment written',
      tool: 'comment',
      args: (at) => ({ post_id: postAt(at), content_markdown }),
      request: (at) => [`/v2/posts/${postAt(at)}/comments`, { content_markdown }],
    },
  ]
  const rows: string[][] = []
  try {
    for (const { name, tool, args, request } of pairs) {
      const plain: number[] = []
      const agent: number[] = []
      for (let round = 0; round <= size.rounds; round++) {
        const costs = [
          await measureCpu(server, (at) => send(server, data.token, ...request(at))),
          await measureCpu(server, (at) => callTool(server, data.token, tool, args(at))),
        ] as const
        // The first round warms up, and loads the library.
        if (round > 0) plain.push(costs[0])
        if (round > 0) agent.push(costs[1])
      }
      const relative = median(agent) / Math.max(median(plain), 1)
      addResult({ name: `MCP call relative to the same request: ${name}`, engine: 'SQLite', value: relative })
      rows.push([name, `\`${tool}\``, grouped(median(plain)), grouped(median(agent)), relative.toFixed(1)])
    }
  } finally {
    await server.stop()
    await data.remove()
  }
  addSection(
    'Agents',
    'Processor time of the server for a call of an MCP tool, and for the request to the API that does the same, in µs. Reads are repeated, so that the API answers them from its cache.',
    ['call', 'tool', 'API', 'MCP', 'relative'],
    rows,
  )
}

/** The server's processor time for a call, in microseconds. */
async function measureCpu(server: Server, call: (at: number) => Promise<void>): Promise<number> {
  const before = server.cpu()
  for (let at = 0; at < CALLS; at += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, each) => call(at + each)))
  return ((server.cpu() - before) / CALLS) * 1_000_000
}

async function send({ port }: Server, token: string, url: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${url}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok || text.includes('"isError":true')) throw new Error(`${url}: ${response.status} ${text}`)
}

const callTool = (server: Server, token: string, name: string, args: object) =>
  send(
    server,
    token,
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
  )
