import type { Person } from '../world'

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests are about
export type Json = any

const VERSION = '2026-07-28'

interface Answer {
  status: number
  headers: Headers
  /** The JSON-RPC response, or what else was sent. */
  body: Json
}

/** Sends a JSON-RPC request to `/mcp` as a client of the 2026-07-28 revision does. */
export async function request(
  who: Pick<Person, 'baseUrl'> & { token?: string },
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { _meta, ...others } = params as { _meta?: object; name?: string; uri?: string }
  const name = others.name ?? others.uri
  const response = await fetch(`${who.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method,
      ...(name && { 'Mcp-Name': name }),
      ...(who.token && { Authorization: `Bearer ${who.token}` }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...others,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': VERSION,
          'io.modelcontextprotocol/clientInfo': { name: 'test-agent', version: '1.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ..._meta,
        },
      },
    }),
  })
  return { status: response.status, headers: response.headers, body: await response.json().catch(() => undefined) }
}

export interface ToolAnswer {
  text: string
  data: Json
  isError: boolean
  code?: string
}

/** Calls a tool, and returns what it says. */
export async function callTool(
  who: Person,
  name: string,
  args: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const { body } = await request(who, 'tools/call', { name, arguments: args, _meta: meta })
  if (!body?.result) throw new Error(JSON.stringify(body))
  const { content, structuredContent, isError = false, _meta } = body.result
  return { text: content[0].text, data: structuredContent, isError, code: _meta?.['parley/code'] }
}
