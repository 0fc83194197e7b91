import type { Server } from 'bun'
import { sources } from '../actions'
import { type OperationName, operations } from '../contract'
import { Problem } from '../contract/errors'
import type { Operation } from '../contract/operation'
import { type Answer, type Call, call } from '../gate/call'
import type { Parley } from '../gate/parley'
import { type Answering, answering, targetOf } from './answering'
import { readBody } from './body'
import { follow } from './live'
import { admitted, type Lane } from './pressure'

type RoutedRequest = Request & { params: Record<string, string> }
type Handler = (request: RoutedRequest, server: Server<undefined>) => Response | Promise<Response>

/** The routes of the contract: a path each, with what its methods do. */
export function mountOperations(doorway: Answering): Record<string, Handler> {
  const paths = new Map<string, Map<string, OperationName>>()
  for (const [name, { method, path }] of Object.entries(operations)) {
    if (!paths.has(path)) paths.set(path, new Map())
    paths.get(path)!.set(method, name as OperationName)
  }
  return Object.fromEntries([...paths].map(([path, methods]) => [path, endpoint(doorway, path, methods)]))
}

function endpoint(doorway: Answering, path: string, methods: Map<string, OperationName>): Handler {
  const allow = allowed(methods)
  return (request, server) => {
    const name = methods.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (request.method === 'OPTIONS') return preflight(allow)
    return admitted(doorway, laneOf(doorway, name), request, name ?? path, (lane) =>
      answering(doorway, request, server, name ?? path, (parley) => {
        if (!name)
          throw new Problem('method_not_allowed', `${path} takes ${allow}, not ${request.method}.`, undefined, {
            Allow: allow,
          })
        return enter(doorway, parley, name, request, lane)
      }),
    )
  }
}

/** Those who follow the log wait for others, not for the database: they are in nobody's way. */
const laneOf = ({ pressure }: Answering, name: OperationName | undefined): Lane | undefined =>
  !name || name === 'events.list' ? undefined : operations[name].method === 'GET' ? pressure.read : pressure.write

function enter(
  { bodies }: Answering,
  parley: Parley,
  name: OperationName,
  request: RoutedRequest,
  lane: Lane | undefined,
): Answer | Promise<Answer> {
  const { headers } = request
  const { method, params } = operations[name] as Operation
  const isRead = method === 'GET'
  const url = targetOf(request.url)
  const mark = url.indexOf('?')
  const entering: Call = {
    name,
    url,
    token: bearerToken(headers.get('authorization')),
    params: params ? request.params : noParams,
    query: mark < 0 ? undefined : url.slice(mark + 1),
    readBody: () => (lane ? lane.aside(() => readBody(bodies, request, name)) : readBody(bodies, request, name)),
    wantsMarkdown: sources[name] && prefersMarkdown(headers.get('accept')?.toLowerCase()),
    // To look for a header costs more than most of what is done with it.
    ifNoneMatch: isRead ? (headers.get('if-none-match') ?? undefined) : undefined,
    acceptEncoding: headers.get('accept-encoding') ?? undefined,
    idempotencyKey: isRead ? undefined : (headers.get('idempotency-key') ?? undefined),
  }
  return name === 'events.list' ? follow(parley, entering, request) : call(parley, entering)
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

const allowed = (methods: Map<string, OperationName>) =>
  [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')

/** Any page may call the API from a browser: only the header authenticates, and no cookie goes along. */
const preflight = (allow: string) =>
  new Response(null, {
    status: 204,
    headers: {
      Allow: allow,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Accept, Idempotency-Key, If-None-Match, Last-Event-ID',
      'Access-Control-Max-Age': '86400',
    },
  })
