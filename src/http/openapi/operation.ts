import type { TSchema } from 'typebox'
import { nouns, type OperationName } from '../../contract'
import { type ErrorCode, errors } from '../../contract/errors'
import { commonErrors, type Operation, successStatus } from '../../contract/operation'
import { examples } from './examples'
import {
  describeParameters,
  hasEtag,
  notModifiedHeaders,
  problemHeaders,
  rangeHeaders,
  successHeaders,
} from './parameters'
import type { Json, Schemas } from './schemas'

/** An operation of the contract as OpenAPI describes it. */
export function describeOperation(name: OperationName, operation: Operation, schemas: Schemas): Json {
  const { summary, description, access, tokenScope } = operation
  const example = examples.operations[name]
  const scope = tokenScope ?? access
  return {
    operationId: name,
    tags: [name.split('.')[0]],
    summary,
    ...(description && { description: `${description} ${scopeNote(operation)}` }),
    'x-access': access,
    'x-scope': scope,
    security: scope === 'public' ? [] : [{ token: [] }],
    parameters: describeParameters(operation, schemas, example),
    ...describeBody(name, operation, schemas),
    responses: {
      [successStatus(operation)]: describeSuccess(name, operation, schemas),
      ...(operation.download && {
        206: { ...describeDownload(), description: 'The part that was asked for.', headers: rangeHeaders(operation) },
      }),
      ...(hasEtag(operation) && {
        304: { description: 'Not modified since the ETag in `If-None-Match`.', headers: notModifiedHeaders() },
      }),
      ...describeProblems([...commonErrors(operation), ...operation.errors]),
    },
  }
}

function scopeNote({ access, tokenScope }: Operation): string {
  if (access === 'public') return 'Needs no token.'
  const scope = `Needs the scope \`${tokenScope ?? access}\``
  const who = { read: '', write: '; viewers cannot do this', admin: '; members must be admins' }
  return `${scope}${who[access]}.`
}

function describeBody(name: OperationName, { body, picture, upload }: Operation, schemas: Schemas): Json {
  const example = examples.operations[name]?.body
  if (body)
    return {
      requestBody: {
        required: ((body as { required?: string[] }).required ?? []).length > 0,
        content: {
          'application/json': {
            schema: schemas.request(body, bodyName(name, body)),
            ...(example !== undefined && { example }),
          },
        },
      },
    }
  if (picture)
    return {
      requestBody: {
        description: 'The file itself.',
        required: true,
        content: Object.fromEntries(
          picture.types.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]),
        ),
      },
    }
  if (upload)
    return {
      requestBody: {
        description: 'The file itself, or a form with it.',
        required: true,
        content: {
          'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
              required: ['file'],
            },
          },
        },
      },
    }
  return {}
}

const capitalize = (word: string) => word[0]!.toUpperCase() + word.slice(1)

/** `CreatePost` for `posts.create`; where the verb has an object, that: `UpdateProfile` for `me.updateProfile`. */
function bodyName(name: OperationName, body: TSchema): string {
  const { title } = body as { title?: string }
  const [noun, verb] = name.split('.') as [keyof typeof nouns, string]
  return title ?? capitalize(verb) + (/[A-Z]/.test(verb) ? '' : nouns[noun].one)
}

const isPage = (output: TSchema | undefined) => 'next_cursor' in fieldsOf(output)
const fieldsOf = (output: TSchema | undefined) => (output as { properties?: object } | undefined)?.properties ?? {}

/** A page of posts is a `PostPage`; a plain list of edits an `EditList`. */
function outputName(output: TSchema): string | undefined {
  const { data } = fieldsOf(output) as { data?: { items?: { title?: string } } }
  const record = data?.items?.title
  return record && `${record}${isPage(output) ? 'Page' : 'List'}`
}

const describeDownload = (): Json => ({
  content: { '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } },
})

function describeSuccess(name: OperationName, operation: Operation, schemas: Schemas): Json {
  const { output, markdown, download } = operation
  const example = examples.operations[name]
  return {
    description: output || download ? 'Success.' : 'Success, without a body.',
    headers: successHeaders(operation, isPage(output)),
    ...(download && describeDownload()),
    ...(output && {
      content: {
        'application/json': {
          schema: schemas.response(output, outputName(output)),
          ...(example?.response !== undefined && { example: example.response }),
        },
        ...(markdown && {
          'text/markdown': {
            schema: { type: 'string', description: 'The Markdown source.' },
            ...(example?.markdown !== undefined && { example: example.markdown }),
          },
        }),
        ...(name === 'events.list' && {
          'text/event-stream': {
            schema: {
              type: 'string',
              description: 'Server-sent events: `id`, `event` (its type) and `data` (the event).',
            },
          },
        }),
      },
    }),
  }
}

function describeProblems(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => errors[code].status as number)
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${errors[code].title}.`).join(' '),
        headers: problemHeaders(status),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}
