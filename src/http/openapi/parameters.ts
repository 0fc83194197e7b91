import type { TSchema } from 'typebox'
import { pathParameters } from '../../contract/glossary/path-parameters'
import { type Operation, pathParams } from '../../contract/operation'
import type { OperationExample } from './examples'
import { hasEtag } from './headers'
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
