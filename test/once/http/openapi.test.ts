import { describe, expect, test } from 'bun:test'
import { operations } from '../../../src/contract'
import { openApi } from '../../../src/http/openapi'
import { version } from '../../../src/version'
import { sharedServer } from '../../server'

interface Described {
  operationId: string
  summary: string
  tags: string[]
  parameters: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, object>; securitySchemes: object }
  tags: { name: string }[]
}

const document = openApi(version) as unknown as Document
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

/** Everything in a document, with where it is. */
function* everything(value: unknown, at = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>]
  for (const [key, child] of Object.entries(value)) yield* everything(child, `${at}/${key}`)
}

describe('the OpenAPI document', () => {
  test('is public, and the committed one is current', async () => {
    const { url } = await sharedServer()
    const response = await fetch(`${url}/v2/openapi.json`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const served = await response.json()
    expect(served).toEqual(document as never)
    // `npm run -s openapi` writes it anew.
    expect(await Bun.file(`${import.meta.dir}/../../../docs/openapi.json`).json()).toEqual(served as never)
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
      const name = String($ref).replace('#/components/schemas/', '')
      expect([at, Object.keys(document.components.schemas)]).toEqual([at, expect.arrayContaining([name])])
      used.add(name)
    }
    expect(Object.keys(document.components.schemas).filter((name) => !used.has(name))).toEqual([])
  })

  test('documents the responses and errors of every operation', () => {
    for (const { operationId, responses, method, requestBody } of described) {
      const statuses = Object.keys(responses)
      expect([operationId, statuses.filter((status) => status.startsWith('2'))]).toEqual([
        operationId,
        [expect.any(String)],
      ])
      expect(statuses).toEqual(expect.arrayContaining(['401', '422', '429', '500', '503']))
      if (method === 'get') expect(statuses).toContain('304')
      if (requestBody) expect(statuses).toEqual(expect.arrayContaining(['400', '413', '415']))
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(description).toBeTruthy()
        if (Number(status) >= 400)
          expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } })
      }
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

describe('the reference at /docs', () => {
  test('loads everything from this server', async () => {
    const { url } = await sharedServer()
    const page = await fetch(`${url}/docs`)
    const html = await page.text()
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html).not.toMatch(/https?:|\/\/[a-z]/)
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/)
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    expect(assets.length).toBeGreaterThanOrEqual(4)
    for (const path of assets) {
      const response = await fetch(url + path)
      expect([path, response.status]).toEqual([path, 200])
      const type = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }[path.split('.').at(-1)!]
      expect(response.headers.get('content-type')).toStartWith(type!)
      expect((await response.text()).length).toBeGreaterThan(50)
    }
    expect(await (await fetch(`${url}/docs/page.js`)).text()).not.toMatch(/https?:/)
  })

  test('explains every error', async () => {
    const { url } = await sharedServer()
    const html = await (await fetch(`${url}/docs/errors`)).text()
    expect(html.match(/<tr id="/g)!.length).toBeGreaterThan(15)
  })
})
