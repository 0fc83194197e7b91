import {
  type CacheHint,
  createMcpHandler,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server'
import { Problem } from '../contract/errors'
import type { Parley } from '../gate/parley'
import { version } from '../version'
import { type Caller, openAgentApi } from './agent-api'
import { callTool, describeTools } from './call-tool'
import { instructionsFor } from './instructions'
import { invalidParams, ReadableServer } from './invalid-params'
import { explain } from './problems'
import { completePrompt, getPrompt, listPrompts } from './prompts'
import { readMeta } from './request-meta'
import { completeResource, listResources, readResource, resourceTemplates } from './resources'
import { tools } from './tools'

/** Lists that only change with the rights of the caller. */
const STABLE: CacheHint = { ttlMs: 5 * 60_000, cacheScope: 'private' }
const CHANGING: CacheHint = { ttlMs: 0, cacheScope: 'private' }

const options = {
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  cacheHints: {
    'server/discover': STABLE,
    'tools/list': STABLE,
    'prompts/list': STABLE,
    'resources/templates/list': STABLE,
    'resources/list': CHANGING,
    'resources/read': CHANGING,
  },
  // Only for forms that a server sends to its clients, of which there are none: the default would be built anew for each request.
  jsonSchemaValidator: {
    getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'None.' }),
  },
}

export type CreateServer = (...input: ConstructorParameters<typeof Server>) => Server

/** Answers the requests of agents. Each has a server of its own, which ends with it: there are no sessions. */
export function openServer(parley: Parley, createServer: CreateServer = newServer) {
  const { fetch } = createMcpHandler(factoryFor(parley, createServer))
  return (request: Request, body: unknown, caller: Caller): Promise<Response> =>
    fetch(request, { parsedBody: body, authInfo: { token: '', clientId: '', scopes: [], extra: { caller } } })
}

const newServer: CreateServer = (...input) => new ReadableServer(...input)

const factoryFor =
  (parley: Parley, createServer: CreateServer): McpServerFactory =>
  ({ authInfo }) => {
    const caller = authInfo!.extra!.caller as Caller
    const info = { name: 'parley', title: 'Parley', version, websiteUrl: parley.links.base }
    const server = createServer(info, { ...options, instructions: instructionsFor(caller.viewer) })
    const api = openAgentApi(parley, caller)

    server.setRequestHandler('tools/list', () => ({ tools: describeTools(api) }))
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const tool = tools.find(({ name }) => name === params.name)
      if (!tool)
        throw invalidParams(`There is no tool of this name. There are: ${tools.map(({ name }) => name).join(', ')}.`)
      const acting = openAgentApi(parley, { ...caller, ...readMeta(caller, mcpReq) })
      return callTool(parley, acting, tool, params.arguments ?? {})
    })

    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }))
    server.setRequestHandler('resources/list', () =>
      orProtocolError(parley, async () => ({ resources: await listResources(api) })),
    )
    server.setRequestHandler('resources/read', ({ params: { uri } }) =>
      orProtocolError(parley, async () => {
        const found = await readResource(api, uri).catch(orNone)
        if (!found) throw new ResourceNotFoundError(uri)
        return { contents: [found] }
      }),
    )

    server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }))
    server.setRequestHandler('prompts/get', ({ params }) =>
      orProtocolError(parley, async () => {
        const prompt = await getPrompt(api, params.name, params.arguments)
        if (!prompt) throw invalidParams('There is no prompt of this name.')
        return prompt
      }),
    )
    server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
      orProtocolError(parley, async () => {
        const values =
          ref.type === 'ref/prompt'
            ? await completePrompt(api, ref.name, argument.name, argument.value)
            : await completeResource(api, ref.uri, argument.value)
        return { completion: { values, total: values.length, hasMore: false } }
      }),
    )
    return server
  }

/** What is not there, and what one may not see, are alike. */
function orNone(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined
  throw error
}

/** Turns an error into one of the protocol, for all but tools, whose results can be errors. */
async function orProtocolError<T>(parley: Parley, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const { text, code } = explain(parley, error)
    const kind = code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(kind, text, { code })
  }
}
