import { nouns, type OperationName, operations } from '../../contract'
import { ProblemBody } from '../../contract/errors'
import { describeEvents } from './events'
import { examples } from './examples'
import { describeOperation } from './operation'
import { headers } from './parameters'
import { type Json, openSchemas, type Rendering } from './schemas'

/** The OpenAPI 3.1 document, assembled from the contract. */
export function openApi(version: string, rendering: Rendering = 'published'): Json {
  const schemas = openSchemas(rendering)
  const paths: Record<string, Json> = {}
  schemas.response(ProblemBody)
  for (const [name, operation] of Object.entries(operations)) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const method = operation.method.toLowerCase()
    paths[path] = { ...paths[path], [method]: describeOperation(name as OperationName, operation, schemas) }
  }
  const webhooks = describeEvents(schemas)
  schemas.components.Problem = { ...schemas.components.Problem, examples: [examples.problem] }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      summary: 'Posts, comments, resolutions, threads, messages and members of a team workspace.',
      description: introduction,
      contact: { name: 'Parley contributors' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    security: [{ token: [] }],
    tags: sorted(nouns).map(([name, { description }]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: tokenDescription } },
      headers,
      schemas: Object.fromEntries(sorted(schemas.components)),
    },
  }
}

const sorted = <T>(record: Record<string, T>): [string, T][] =>
  Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))

const tokenDescription =
  'An access token, `parley_…`: create one in the settings of the web app, or with `POST /v2/me/tokens`. Its scopes are `read`; `write`, which includes `read`; or `admin`, which includes both.'

const introduction = `Parley is a team workspace: posts in channels, comments, resolutions, and threads with messages.

Send \`Authorization: Bearer <ACCESS_TOKEN>\` with every request. Lists have pages of up to 50 records: send \`next_cursor\` or
\`prev_cursor\` as \`after\`. Errors are RFC 9457 problems with a stable \`code\`. Every POST accepts an \`Idempotency-Key\`, so that
it can be retried safely. Reads return an \`ETag\`; send it as \`If-None-Match\` to get a 304 if nothing has changed. Times are RFC
3339 in UTC, with milliseconds.

The API grows: expect further fields in responses, and values that are not listed here. Requests are strict: unknown fields and
parameters are refused.`
