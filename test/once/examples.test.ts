import { beforeAll, describe, expect, test } from 'bun:test'
import { Compile, type Validator } from 'typebox/compile'
import { type OperationName, operations } from '../../src/contract'
import { webhookEventTypes } from '../../src/contract/event-types'
import { openApi } from '../../src/http/openapi'
import { examples as recorded } from '../../src/http/openapi/examples'
import type { Rendering } from '../../src/http/openapi/schemas'
import { version } from '../../src/version'
import { type Played, playStory } from '../examples/play'
import { inline, type OpenApi, type Schema } from '../torture/fuzz-document'

type Json = Record<string, unknown>
const names = Object.keys(operations) as OperationName[]

let played: Played
beforeAll(async () => {
  played = await playStory()
})

describe('the examples of the API document', () => {
  test('are there for every operation and every event', () => {
    // Add a line to `test/examples/story.ts`, then run `npm run examples`.
    expect(names.filter((name) => !(name in played.examples.operations))).toEqual([])
    const sent = [...webhookEventTypes, 'webhook.ping']
    expect(sent.filter((type) => !(type in played.examples.events))).toEqual([])
  })

  test('are what the server answers', () => {
    // `npm run examples` records them anew.
    for (const [name, example] of Object.entries(played.examples.operations))
      expect([name, example]).toEqual([name, recorded.operations[name as OperationName]])
    expect(played.examples).toEqual(recorded as never)
  })

  test('have the headers that the document names', () => {
    const optional = ['Idempotency-Replayed', 'Link']
    for (const { name, headers } of successes('published')) {
      const sent = played.recording.headers.get(name as OperationName)!
      const promised = Object.keys(headers).filter((header) => !optional.includes(header))
      for (const header of promised)
        expect([name, sent]).toEqual([name, expect.arrayContaining([header.toLowerCase()])])
      for (const header of ['etag', 'link', 'ratelimit', 'x-request-id'])
        if (sent.includes(header)) expect(Object.keys(headers).map((each) => each.toLowerCase())).toContain(header)
    }
  })
})

describe('the published document', () => {
  const published = successes('published')
  const exact = successes('exact')
  const response = (name: string) => recorded.operations[name as OperationName] as { response?: Json }

  test('and the exact one accept what the server answers', () => {
    for (const { name, validator } of [...published, ...exact])
      expect([name, validator.Errors(response(name).response)]).toEqual([name, []])
    for (const type of webhookEventTypes)
      expect([type, eventValidator(type).Errors(recorded.events[type])]).toEqual([type, []])
  })

  test('leaves room for new fields and values, which the exact one refuses', () => {
    for (const [at, { name, validator, schema }] of published.entries()) {
      const grown = grow(response(name).response, schema)
      expect([name, validator.Errors(grown)]).toEqual([name, []])
      expect([name, exact[at]!.validator.Check(grown)]).toEqual([name, false])
    }
  })

  test('refuses unknown fields in requests', () => {
    const { CreatePost } = (openApi(version) as unknown as OpenApi).components.schemas
    const validator = Compile(CreatePost as never)
    expect(validator.Check({ channel_id: 'chan_1', title: 'Lunch?' })).toBe(true)
    expect(validator.Check({ channel_id: 'chan_1', titel: 'Lunch?' })).toBe(false)
  })
})

interface Success {
  name: string
  headers: Json
  schema: Schema
  validator: Validator
}

/** The response of each operation that succeeds with JSON, with its references resolved. */
function successes(rendering: Rendering): Success[] {
  const { paths, components } = openApi(version, rendering) as unknown as OpenApi
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => {
      const { content, headers } = Object.entries(responses).find(([status]) =>
        status.startsWith('2'),
      )![1] as unknown as {
        content?: Record<string, { schema: Schema }>
        headers: Json
      }
      const json = content?.['application/json']
      if (!json) return []
      const schema = inline(json.schema, components.schemas)
      return [{ name: operationId, headers, schema, validator: Compile(schema as never) as Validator }]
    })
}

function eventValidator(type: string): Validator {
  const { webhooks, components } = openApi(version) as unknown as OpenApi & {
    webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>
  }
  const { schema } = webhooks[type]!.post.requestBody.content['application/json']!
  return Compile(inline(schema, components.schemas) as never) as Validator
}

/** The value as a later version may answer it: with a further field in every record, and other values of every choice. */
function grow(value: unknown, schema: Schema): unknown {
  const members = schema.anyOf ?? [schema]
  if (typeof value === 'string') return members.some((each) => each.enum) ? `${value}_or_new` : value
  if (Array.isArray(value)) return value.map((each) => grow(each, members.find(({ items }) => items)!.items!))
  if (typeof value !== 'object' || value === null) return value
  const record = members.find((each) => each.properties && Object.keys(value).every((key) => key in each.properties!))
  return {
    ...Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, record ? grow(each, record.properties![key]!) : each]),
    ),
    something_new: true,
  }
}
