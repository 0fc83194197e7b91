import { describe, expect, test } from 'bun:test'
import { documentToCommit } from '../../../scripts/openapi'
import { type OperationName, operations } from '../../../src/contract'
import { webhookEventTypes } from '../../../src/contract/event-types'
import { openApi } from '../../../src/http/openapi'
import { version } from '../../../src/version'
import { sharedServer } from '../../server'

interface Described {
  operationId: string
  summary: string
  tags: string[]
  description?: string
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: object }[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { description: string; headers?: object; content?: Record<string, Content> }>
}
interface Content {
  schema: object
  example?: unknown
}
interface Schema {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, { post: Described }>
  components: { schemas: Record<string, Schema>; headers: Record<string, object>; securitySchemes: object }
  tags: { name: string; description: string }[]
}

const document = openApi(version) as unknown as Document
/** The names of the bodies of requests. */
const requestBodies = new Set<string>()
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

for (const { requestBody } of described) {
  const { $ref } = (requestBody?.content['application/json']?.schema ?? {}) as Schema
  if ($ref) requestBodies.add($ref.split('/').at(-1)!)
}

/** Everything in a document, with where it is. */
function* everything(value: unknown, at = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>]
  for (const [key, child] of Object.entries(value)) yield* everything(child, `${at}/${key}`)
}

describe('the OpenAPI document', () => {
  test('is public', async () => {
    const { url } = await sharedServer()
    const response = await fetch(`${url}/v2/openapi.json`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual(document as never)
  })

  test('has an example of every record and event that is sent', () => {
    const responses = described.flatMap(({ operationId, responses }) =>
      Object.values(responses).map(({ content }) => ({ name: operationId, media: content?.['application/json'] })),
    )
    const events = Object.entries(document.webhooks).map(([name, { post }]) => ({
      ...{ name, media: post.requestBody!.content['application/json'] },
    }))
    const without = [...responses, ...events].filter(({ media }) => media && media.example === undefined)
    expect(without.map(({ name }) => name)).toEqual([])
  })

  test('is committed without its examples, and is current', async () => {
    // `npm run -s openapi` writes it anew.
    const committed = await Bun.file(`${import.meta.dir}/../../../docs/openapi.json`).json()
    expect(committed).toEqual(documentToCommit())
    // No field of the API is called like that.
    const isExample = (key: string) => key === 'example' || key === 'examples'
    const stripped = JSON.parse(JSON.stringify(document), (key, value) => (isExample(key) ? undefined : value))
    expect(committed).toEqual(stripped)
  })

  test('is valid OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/)
    expect(document.info).toMatchObject({ title: 'Parley', version })
    expect(document.components.securitySchemes).toMatchObject({ token: { type: 'http', scheme: 'bearer' } })
  })

  test('has every operation once, under its name', () => {
    expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(operations).toSorted())
    const tags = document.tags.map(({ name }) => name)
    for (const operation of described) {
      expect(operation.summary).toEndWith('.')
      for (const tag of operation.tags) expect(tags).toContain(tag)
    }
  })

  test('declares every parameter of a path, once', () => {
    for (const { path, parameters, operationId } of described) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
      const declared = parameters.filter((parameter) => parameter.in === 'path')
      expect([operationId, declared.map(({ name }) => name)]).toEqual([operationId, inPath])
      expect(declared.every(({ required }) => required === true)).toBe(true)
      const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect(new Set(names).size).toBe(names.length)
    }
    expect(document.paths).not.toContainKey('/v2/posts/{post_id}')
  })

  test('has no dangling references and no unused schemas', () => {
    const used = new Set<string>()
    for (const [at, { $ref }] of everything(document)) {
      if ($ref === undefined) continue
      const [, kind, name] = String($ref).match(/^#\/components\/(schemas|headers)\/([\w-]+)$/)!
      expect([at, Object.keys(document.components[kind as 'schemas'])]).toEqual([at, expect.arrayContaining([name])])
      used.add(name!)
    }
    const { schemas, headers } = document.components
    expect([...Object.keys(schemas), ...Object.keys(headers)].filter((name) => !used.has(name))).toEqual([])
  })

  test('documents the responses and errors of every operation', () => {
    for (const { operationId, responses, method, parameters, requestBody } of described) {
      const statuses = Object.keys(responses)
      const successes = statuses.filter((status) => status.startsWith('2'))
      const isDownload = operations[operationId as OperationName].download
      expect([operationId, successes]).toEqual([operationId, isDownload ? ['200', '206'] : [expect.any(String)]])
      expect(statuses).toEqual(expect.arrayContaining(['401', '422', '429', '500', '503']))
      const takesEtag = method === 'get' && parameters.some(({ name }) => name === 'If-None-Match')
      expect([operationId, statuses.includes('304')]).toEqual([operationId, takesEtag])
      if (requestBody) expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415']))
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(description).toBeTruthy()
        if (Number(status) >= 400)
          expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } })
      }
    }
  })

  // What is missing is added to the operation in `src/contract/`, or to `src/contract/descriptions.ts`.
  test('describes everything', () => {
    const missing: string[] = []
    const need = (isThere: unknown, what: string) => isThere || missing.push(what)
    for (const { name, description } of document.tags) need(description, `the group ${name}`)
    for (const { operationId, description, parameters } of described) {
      need(description, `the operation ${operationId}`)
      for (const each of parameters) need(each.description, `the parameter ${each.name} of ${operationId}`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const isRecord = schema.properties && !requestBodies.has(name) && !/(Page|List)$/.test(name)
      if (isRecord) need(schema.description, `the schema ${name}`)
      for (const [field, { $ref, description }] of Object.entries(schema.properties ?? {}))
        need($ref ?? description, `the field ${field} of ${name}`)
    }
    expect(missing).toEqual([])
  })

  test('names the request bodies and the records in responses', () => {
    for (const { operationId, requestBody, responses } of described) {
      const bodies = [requestBody, ...Object.values(responses)].flatMap(
        (each) => each?.content?.['application/json'] ?? [],
      )
      for (const { schema } of bodies)
        expect([operationId, schema]).toEqual([operationId, { $ref: expect.any(String) }])
    }
    expect(requestBodies).toContain('CreatePost')
    expect(Object.keys(document.components.schemas)).toContain('PostPage')
  })

  test('has every event that webhooks send', () => {
    expect(Object.keys(document.webhooks)).toEqual([...webhookEventTypes, 'webhook.ping'])
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { schema } = post.requestBody!.content['application/json']!
      const { properties } = document.components.schemas[(schema as Schema).$ref!.split('/').at(-1)!]!
      expect(properties!.type).toMatchObject({ const: type })
    }
  })

  test('contains no keywords of the schema library', () => {
    for (const [at, value] of everything(document)) {
      for (const key of Object.keys(value)) expect(`${at}/${key}`).not.toMatch(/\/(~|Symbol|emptyIsAbsent|undefined)/)
      if (value.required !== undefined && Array.isArray(value.required) && value.properties)
        for (const name of value.required) expect(Object.keys(value.properties as object)).toContain(name)
    }
  })
})
