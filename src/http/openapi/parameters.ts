import type { TSchema } from 'typebox'
import { pathParameters } from '../../contract/descriptions'
import { type Operation, pathParams } from '../../contract/operation'
import type { OperationExample } from './examples'
import type { Json, Schemas } from './schemas'

/** The parameters of an operation: of its path, its query and its headers. */
export function describeParameters(
  operation: Operation,
  schemas: Schemas,
  example: OperationExample | undefined,
): Json[] {
  const { path, params, query, method } = operation
  return [
    ...pathParams(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      description: ownDescription(params?.properties[name]) ?? describePathParameter(path, name),
      schema: pathSchema(params?.properties[name]),
      ...exampleOf(example?.params?.[name]),
    })),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) =>
      describeQueryParameter(
        name,
        schema,
        (query?.required as string[] | undefined)?.includes(name) ?? false,
        schemas,
        example,
      ),
    ),
    ...(method === 'POST' ? [idempotencyKey] : []),
    ...(hasEtag(operation) ? [ifNoneMatch] : []),
    ...(operation.download ? [range, ifRange] : []),
    ...(path === '/v2/events' ? [lastEventId] : []),
  ]
}

/** By what stands before it in the path: `/v2/posts/:id` is the id of a post. */
function describePathParameter(path: string, name: string): string | undefined {
  const before = path
    .slice('/v2/'.length, path.indexOf(`/:${name}`))
    .split('/')
    .filter((part) => !part.startsWith(':'))
  return pathParameters[before.join('/')] ?? pathParameters[before.at(-1)!]
}

/** An id can be any text. If no such id can exist, the response is 404. */
const pathSchema = (schema: object | undefined): Json => {
  const { type, minimum } = (schema ?? {}) as { type?: string; minimum?: number }
  return type === 'integer' ? { type, minimum } : { type: 'string' }
}

function describeQueryParameter(
  name: string,
  schema: TSchema,
  isRequired: boolean,
  schemas: Schemas,
  example: OperationExample | undefined,
): Json {
  const { description, examples, ...rest } = schemas.request(schema)
  return {
    name,
    in: 'query',
    required: isRequired,
    ...(description ? { description } : {}),
    schema: rest,
    ...(rest.type === 'array' && { style: 'form', explode: false }),
    ...exampleOf(example?.query?.[name] ?? (examples as unknown[] | undefined)?.[0]),
  }
}

const ownDescription = (schema: TSchema | undefined) => (schema as { description?: string } | undefined)?.description

const exampleOf = (example: unknown): Json => (example === undefined ? {} : { example })

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes retries safe: the same key and body within 24 hours get the same response, and nothing happens twice. Use a new key, such as a random UUID, for every new request.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'build-4711',
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier response. If nothing has changed since, the response is 304 without a body.',
  schema: { type: 'string' },
}

const range = {
  name: 'Range',
  in: 'header',
  required: false,
  description: 'Which part to send: `bytes=0-1023`, `bytes=1024-` or `bytes=-500`. Several ranges get the whole.',
  schema: { type: 'string' },
  example: 'bytes=0-1023',
}

const ifRange = {
  name: 'If-Range',
  in: 'header',
  required: false,
  description: 'The `ETag` of the part you have. If it is another file by now, all of it is sent.',
  schema: { type: 'string' },
}

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'For streams: the id of the last event you have, instead of `after`. Browsers send it when they reconnect.',
  schema: { type: 'string' },
}

const text = { type: 'string' }

/** The headers of responses that clients can use. */
export const headers: Record<string, Json> = {
  'X-Request-Id': {
    description: 'The id of this request, as in the log of the server. Name it when you ask for help.',
    schema: text,
    example: 'req_01ka9s1ffze8tbv5m4x0h2c7wd',
  },
  'RateLimit-Policy': {
    description:
      'How many requests (`q`) the token may send in how many seconds (`w`). Absent where there is no limit.',
    schema: text,
    example: '"default";q=200;w=2',
  },
  RateLimit: {
    description: 'How many requests are left (`r`), and after how many seconds there are more (`t`).',
    schema: text,
    example: '"default";r=199;t=1',
  },
  'Retry-After': {
    description: 'How many seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  ETag: {
    description: 'The version of what you read. Send it as `If-None-Match` to read it again only if it changed.',
    schema: text,
    example: '"1-2qv3k7"',
  },
  'Accept-Ranges': { description: 'Parts of it can be asked for with `Range`.', schema: text, example: 'bytes' },
  'Content-Disposition': {
    description: 'The name of the file, and whether to show it (`inline`) or to save it (`attachment`).',
    schema: text,
    example: 'attachment; filename="notes.txt"',
  },
  'Content-Range': {
    description: 'Which bytes these are, and how many there are in all.',
    schema: text,
    example: 'bytes 0-1023/20480',
  },
  Link: {
    description: 'The addresses of the `next` and the `prev` page, where there are such and they are not too long.',
    schema: text,
    example: '</v2/posts?after=eyJ3Ijoib…>; rel="next"',
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate: with a Bearer token. It names the scope that a token lacks.',
    schema: text,
    example: 'Bearer realm="Parley"',
  },
}

const references = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Of every response to a valid token. */
const usual = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

/** Whether its responses have an ETag, by which it can be read again only if it changed. */
export const hasEtag = ({ depends = 'nothing' }: Operation) => depends !== 'nothing'

export const successHeaders = (operation: Operation, isPage: boolean): Json =>
  references([
    ...usual,
    ...(hasEtag(operation) ? ['ETag'] : []),
    ...(operation.download ? ['Accept-Ranges', 'Content-Disposition'] : []),
    ...(isPage ? ['Link'] : []),
    ...(operation.method === 'POST' && !operation.secret ? ['Idempotency-Replayed'] : []),
  ])

export const notModifiedHeaders = () => references([...usual, 'ETag'])

/** The headers of a part of a file. */
export const rangeHeaders = (operation: Operation): Json => ({
  ...successHeaders(operation, false),
  ...references(['Content-Range']),
})

/** The headers of an error that help with it. */
export const problemHeaders = (status: number): Json =>
  references([
    'X-Request-Id',
    ...([401, 403].includes(status) ? ['WWW-Authenticate'] : []),
    ...(status === 429 ? ['RateLimit-Policy', 'RateLimit'] : []),
    ...(status === 416 ? ['Content-Range'] : []),
    ...([409, 429, 503].includes(status) ? ['Retry-After'] : []),
  ])
