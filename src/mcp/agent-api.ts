import { type Input, type OperationName, type Output, operations } from '../contract'
import type { Operation } from '../contract/operation'
import { openLruMap } from '../domain/caches'
import { endTurn } from '../domain/fair-queue'
import type { Viewer } from '../domain/permissions'
import { type Answer, type Call, call } from '../gate/call'
import type { Parley } from '../gate/parley'

/** The API as an agent has it during one request. */
export interface AgentApi {
  viewer: Viewer
  /** Where the web app is. */
  base: string
  /** Calls an operation as the caller, like any other client. */
  call<O extends OperationName>(
    name: O,
    ...input: object extends Input<O> ? [Input<O>?] : [Input<O>]
  ): Promise<Output<O>>
  /** Reads the bytes of a file that the caller may see. All of them are in memory, so check the size first. */
  readContent(id: string): Promise<Uint8Array>
}

export interface Caller {
  token: string | undefined
  viewer: Viewer
  /** The program that records say a member wrote them with: the name of the token, if it has one. */
  via?: string
  idempotencyKey?: string
  /** Lets other requests run while an operation waits. */
  releaseWhile?: Call['releaseWhile']
}

export function openAgentApi(parley: Parley, { viewer, ...caller }: Caller): AgentApi {
  return {
    viewer,
    base: parley.links.base,
    async call<O extends OperationName>(name: O, input: unknown = {}) {
      const { params, query, url, rest } = split(operations[name], input as Record<string, unknown>)
      const readBody = async () => rest
      const { body } = await call(parley, { ...caller, name, params, query, url, readBody })
      return (await parse(body)) as Output<O>
    },
    async readContent(id) {
      const { params, url } = split(operations['files.content'], { id })
      const { body } = await call(parley, {
        name: 'files.content',
        token: caller.token,
        params,
        url,
        readBody: async () => undefined,
      })
      return new Response(body).bytes()
    },
  }
}

/** Divides an input as a client of the HTTP API does. Equal reads have equal addresses, by which they are cached. */
function split({ path, body }: Operation, input: Record<string, unknown>) {
  const rest = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const params: Record<string, string> = {}
  const address = path.replace(/:(\w+)/g, (_, name: string) => {
    // There is no such id, and an address cannot hold it.
    params[name] = String(rest[name]).toWellFormed()
    delete rest[name]
    return encodeURIComponent(params[name])
  })
  if (body) return { params, url: address, rest }
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)])).toString()
  return { params, query, url: query ? `${address}?${query}` : address, rest: undefined }
}

const MAX_KEPT = 64
const MAX_KEPT_BYTES = 128 * 1024
/** Long answers, parsed. As long as nothing has changed, the gate gives the same body again. */
const parsed = openLruMap<Blob | Uint8Array, Promise<unknown>>(MAX_KEPT)

/** Its result is shared between requests and must not be changed. */
async function parse(body: Answer['body']): Promise<unknown> {
  if (!body) return undefined
  if (typeof body === 'string') return JSON.parse(body)
  const read = () => new Response(body).json()
  if (isShort(body)) return parsed.getOrInsert(body, read)
  return body instanceof Uint8Array ? parseInTurns(body) : read()
}

const LINE_BREAK = 10
/** How a line of a page begins and ends that is not its last. */
const LINE = /^(?:\{"data":\[)?(\{.*\}),$/

/** Parses a long page, whose records are on lines of their own (`store/lists/list.ts`), and lets others have their turn in between. */
async function parseInTurns(body: Uint8Array): Promise<unknown> {
  const decoder = new TextDecoder()
  const data: unknown[] = []
  let start = 0
  for (let end = body.indexOf(LINE_BREAK); end >= 0; end = body.indexOf(LINE_BREAK, start)) {
    const line = decoder.decode(body.subarray(start, end)).match(LINE)
    if (!line) return JSON.parse(decoder.decode(body))
    data.push(JSON.parse(line[1]!))
    start = end + 1
    await endTurn(line[1]!)
  }
  if (start === 0) return JSON.parse(decoder.decode(body))
  const rest = JSON.parse(`{"data":[${decoder.decode(body.subarray(start))}`)
  return { ...rest, data: [...data, ...rest.data] }
}

const isShort = (body: object): body is Blob | Uint8Array =>
  (body instanceof Blob && body.size <= MAX_KEPT_BYTES) || (body instanceof Uint8Array && body.length <= MAX_KEPT_BYTES)
