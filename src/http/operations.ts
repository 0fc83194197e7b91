import type { Server } from 'bun'
import { markdownSources } from '../actions'
import { type OperationName, operations } from '../contract'
import { Problem } from '../contract/errors'
import type { Operation } from '../contract/operation'
import { type Answer, type Call, call } from '../gate/call'
import type { Parley } from '../gate/parley'
import { declaredLength, readJson } from './body'
import { receiveFile } from './files'
import { answerEvents } from './live/events'
import { handleWithin } from './load-shedding/handle'
import type { ConcurrencyLimit } from './load-shedding/limit'
import { type HttpContext, respond, targetOf } from './respond'

type RoutedRequest = Request & { params: Record<string, string> }
type Handler = (request: RoutedRequest, server: Server<undefined>) => Response | Promise<Response>

/** The routes of the contract: a handler for each path. */
export function operationRoutes(http: HttpContext): Record<string, Handler> {
  const paths = new Map<string, Map<string, OperationName>>()
  for (const [name, { method, path }] of Object.entries(operations)) {
    if (!paths.has(path)) paths.set(path, new Map())
    paths.get(path)!.set(method, name as OperationName)
  }
  return Object.fromEntries([...paths].map(([path, methods]) => [path, endpoint(http, path, methods)]))
}

function endpoint(http: HttpContext, path: string, methods: Map<string, OperationName>): Handler {
  const allow = allowHeader(methods)
  return (request, server) => {
    const name = methods.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (request.method === 'OPTIONS') return preflight(allow)
    return handleWithin(limitFor(http, name), http, request, name ?? path, (limit) =>
      respond(http, request, server, name ?? path, (parley) => {
        if (!name)
          throw new Problem(
            'method_not_allowed',
            `${path.replace(/:(\w+)/g, '{$1}')} supports ${allow}, not ${request.method}.`,
            undefined,
            { Allow: allow },
          )
        return callOperation(http, parley, name, request, limit)
      }),
    )
  }
}

/** Polls and streams mostly wait: they are limited by number (`gate/live/changes.ts`), not by load. */
function limitFor({ loadShedding }: HttpContext, name: OperationName | undefined): ConcurrencyLimit | undefined {
  if (!name || name === 'events.list') return undefined
  // The body of an upload may take minutes to arrive. The number of uploads is limited by `gate/files/files.ts`.
  if (isStreamed(operations[name])) return undefined
  return operations[name].method === 'GET' ? loadShedding.read : loadShedding.write
}

const isStreamed = ({ picture, upload }: Operation) => picture !== undefined || upload === true

function callOperation(
  { bodies }: HttpContext,
  parley: Parley,
  name: OperationName,
  request: RoutedRequest,
  limit: ConcurrencyLimit | undefined,
): Answer | Promise<Answer> {
  const { headers } = request
  const operation: Operation = operations[name]
  const { method, params } = operation
  const isRead = method === 'GET'
  const url = targetOf(request.url)
  const mark = url.indexOf('?')
  const read = () =>
    isStreamed(operation) ? receiveFile(request, operation.picture?.types) : readJson(bodies, request)
  const operationCall: Call = {
    name,
    url,
    token: bearerToken(headers.get('authorization')),
    params: params ? request.params : noParams,
    query: mark < 0 ? undefined : url.slice(mark + 1),
    readBody: () => (limit ? limit.releaseWhile(read) : read()),
    ...(operation.costly && { releaseWhile: limit?.releaseWhile }),
    ...(isStreamed(operation) && { bodyBytes: declaredLength(request) }),
    ...(operation.download && {
      content: {
        range: headers.get('range') ?? undefined,
        ifRange: headers.get('if-range') ?? undefined,
        isHead: request.method === 'HEAD',
        releaseWhile: limit?.releaseWhile,
      },
    }),
    wantsMarkdown: markdownSources[name] && prefersMarkdown(headers.get('accept')?.toLowerCase()),
    // Headers are looked up only where they are used: a look-up costs more than most of the handling.
    ifNoneMatch: isRead ? (headers.get('if-none-match') ?? undefined) : undefined,
    acceptEncoding: headers.get('accept-encoding') ?? undefined,
    idempotencyKey: isRead ? undefined : (headers.get('idempotency-key') ?? undefined),
  }
  return name === 'events.list' ? answerEvents(parley, operationCall, request) : call(parley, operationCall)
}

const noParams = {}

export const bearerToken = (header: string | null) =>
  header?.startsWith('Bearer ') && !header.includes(' ', 7)
    ? header.slice(7)
    : header?.match(/^Bearer +([\x21-\x7e]+) *$/i)?.[1]

function prefersMarkdown(accept: string | undefined): boolean {
  if (!accept?.includes('text/markdown')) return false
  const weight = (type: string) => {
    const range = accept.split(',').find((part) => part.trim().split(';')[0]!.trim() === type)
    return range ? Number(range.match(/;\s*q=([\d.]+)/)?.[1] ?? 1) : 0
  }
  return weight('text/markdown') > 0 && weight('text/markdown') >= weight('application/json')
}

const allowHeader = (methods: Map<string, OperationName>) =>
  [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')

/** Pages of any origin may call the API: only the Authorization header authenticates, never a cookie. */
const preflight = (allow: string) =>
  new Response(null, {
    status: 204,
    headers: {
      Allow: allow,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Accept, Idempotency-Key, If-None-Match, If-Range, Last-Event-ID, Range',
      'Access-Control-Max-Age': '86400',
    },
  })
