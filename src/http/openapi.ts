import type { TSchema } from 'typebox'
import { type OperationName, operations } from '../contract'
import { type ErrorCode, errors, ProblemBody } from '../contract/errors'
import { commonErrors, type Operation, pathParams, successStatus } from '../contract/operation'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document, assembled from the contract. */
export function openApi(version: string): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  const refer = references(schemas)
  refer(ProblemBody)
  for (const [name, operation] of Object.entries(operations)) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(name as OperationName, operation, refer),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      summary: 'Posts, comments, resolutions, threads, messages and members of a team workspace.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(Object.keys(operations).map((name) => name.split('.')[0]))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An access token: `parley_…`.' } },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b))),
    },
  }
}

const introduction = `Send \`Authorization: Bearer <ACCESS_TOKEN>\` with every request. Lists have pages of up to 50 records: send
\`next_cursor\` or \`prev_cursor\` as \`after\`. Errors are RFC 9457 problems with a stable \`code\`. Every POST accepts an
\`Idempotency-Key\`, so that it can be retried safely. Reads return an \`ETag\`; send it as \`If-None-Match\` to get a 304 if
nothing has changed.`

function describe(name: OperationName, operation: Operation, refer: (schema: TSchema) => unknown): Json {
  const { summary, description, access, query, body, file, output, markdown, method } = operation
  return {
    operationId: name,
    tags: [name.split('.')[0]],
    summary,
    ...(description && { description }),
    'x-access': access,
    parameters: [
      ...pathParams(operation.path).map((param) => ({
        name: param,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...(query ? Object.entries(query.properties).map(([param, schema]) => queryParameter(param, schema, refer)) : []),
      ...(method === 'POST' ? [idempotencyKey] : []),
    ],
    ...(body && {
      requestBody: {
        required: ((body as { required?: string[] }).required ?? []).length > 0,
        content: { 'application/json': { schema: refer(body) } },
      },
    }),
    ...(file && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          file.types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]),
        ),
      },
    }),
    responses: {
      [successStatus(operation)]: {
        description: output ? 'Success.' : 'Success, without a body.',
        ...(output && {
          content: {
            'application/json': { schema: refer(output) },
            ...(markdown && { 'text/markdown': { schema: { type: 'string' } } }),
          },
        }),
      },
      ...(method === 'GET' && { 304: { description: 'Not modified since the ETag in `If-None-Match`.' } }),
      ...problemResponses([...commonErrors(operation), ...operation.errors]),
    },
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes retries safe: the same key and body within 24 hours get the same response, and nothing happens twice.',
  schema: { type: 'string', maxLength: 255 },
}

function queryParameter(name: string, schema: TSchema, refer: (schema: TSchema) => unknown): Json {
  const { description, ...rest } = refer(schema) as Json
  const isArray = rest.type === 'array'
  return {
    name,
    in: 'query',
    ...(description ? { description } : {}),
    schema: rest,
    ...(isArray && { style: 'form', explode: false }),
  }
}

function problemResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set(codes)) {
    const { status } = errors[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, list]) => [
        status,
        {
          description: list.map((code) => `\`${code}\`: ${errors[code].title}.`).join(' '),
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  )
}

/** Replaces named schemas by references, and collects them. */
function references(schemas: Json) {
  return function refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const { emptyIsAbsent: _, anyText: __, ...rest } = schema as Json
    const inside = () => Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, refer(value)]))
    // A property may be called `title`; only the title of a schema is a string.
    const { title } = rest
    if (typeof title !== 'string') return inside()
    schemas[title] ??= inside()
    return { $ref: `#/components/schemas/${title}` }
  }
}
