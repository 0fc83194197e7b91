import { type OperationName, operations } from '../contract'
import type { Operation } from '../contract/operation'

/** The parts of a JSON Schema that the reference shows. */
export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  default?: unknown
  example?: unknown
  examples?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

export interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value?: unknown; summary?: string }>
}

export interface DocumentedResponse {
  $ref?: string
  description: string
  content?: Record<string, Media>
}

export interface DocumentedBody {
  $ref?: string
  required?: boolean
  description?: string
  content: Record<string, Media>
}

interface DescribedOperation {
  operationId: string
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: DocumentedBody
  responses: Record<string, DocumentedResponse>
}

interface Document {
  info: { description?: string; version: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, DescribedOperation>>
  webhooks?: Record<string, Record<string, { summary?: string; description?: string; requestBody?: DocumentedBody }>>
  components: {
    schemas: Record<string, Schema>
    parameters?: Record<string, Parameter>
    responses?: Record<string, DocumentedResponse>
    requestBodies?: Record<string, DocumentedBody>
  }
}

/** An operation as the OpenAPI document describes it, with its name and what the contract says beyond. */
export interface Documented {
  name: OperationName
  noun: string
  verb: string
  method: string
  /** With parameters as `{id}`. */
  path: string
  /** The scope that the token needs; `public` if none is needed. */
  scope: string
  summary: string
  description: string | undefined
  parameters: Parameter[]
  body: DocumentedBody | undefined
  responses: [status: string, DocumentedResponse][]
}

let loaded: { document: Document; operations: Documented[]; bodies: Set<string | undefined> } | undefined

/** Every page is made from this document. The server passes it on, once, before the first page. */
export function loadDocument(given: object) {
  const document = given as Document
  loaded = { document, operations: [], bodies: new Set() }
  // References are looked up in the document that was just loaded.
  loaded.operations = Object.entries(operations).map(([name, operation]) =>
    toDocumented(name as OperationName, operation, document),
  )
  loaded.bodies = listBodies(loaded.operations, document)
}

function requireLoaded() {
  if (!loaded) throw new Error('The OpenAPI document is not loaded.')
  return loaded
}

export const getDocument = (): Document => requireLoaded().document

/** All operations, in the order of the contract. */
export const listOperations = (): Documented[] => requireLoaded().operations

/** The nouns of the operations, in the order of the contract. */
export const listNouns = (): string[] => [...new Set(listOperations().map(({ noun }) => noun))]

function toDocumented(name: OperationName, operation: Operation, { paths }: Document): Documented {
  const { method, access, tokenScope, query } = operation
  const path = operation.path.replace(/:(\w+)/g, '{$1}')
  const described = paths[path]![method.toLowerCase()]!
  const [noun, verb] = name.split('.') as [string, string]
  const required = (query?.required as string[] | undefined) ?? []
  return {
    ...{ name, noun, verb, method, path, scope: tokenScope ?? access },
    summary: described.summary,
    description: described.description,
    parameters: (described.parameters ?? []).map(dereference).map((parameter) => ({
      ...parameter,
      required: parameter.required || required.includes(parameter.name),
    })),
    body: described.requestBody && dereference(described.requestBody),
    responses: Object.entries(described.responses).map(([status, response]) => [status, dereference(response)]),
  }
}

/** What a reference stands for; anything else is returned as it is. */
export function dereference<T extends { $ref?: string }>(value: T): T {
  if (!value.$ref) return value
  const [, ...keys] = value.$ref.split('/')
  return keys.reduce<unknown>((inside, key) => (inside as Record<string, unknown>)[key], getDocument()) as T
}

/** Whether a schema is an object of its own, not a page of them, the body of one request, or an event. */
export function isObject(name: string): boolean {
  const { properties, anyOf, oneOf } = getDocument().components.schemas[name] ?? {}
  const shapes = properties ? [{ properties }] : (anyOf ?? oneOf ?? []).map(dereference)
  const isEnvelope = properties?.data?.items !== undefined
  return shapes.some((shape) => shape.properties) && !isEnvelope && !requireLoaded().bodies.has(name)
}

/** The names of schemas that are only used as the body of a request, to this server or to a webhook. */
function listBodies(all: Documented[], { webhooks = {} }: Document): Set<string | undefined> {
  const bodies = [...all.map(({ body }) => body), ...Object.values(webhooks).map(({ post }) => post?.requestBody)]
  return new Set(
    bodies
      .filter((body) => body !== undefined)
      .map((body) => refName(dereference(body).content['application/json']?.schema ?? {})),
  )
}

/** The name of the schema that a reference stands for. */
export const refName = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

/** Whether a response is one record, a list of records, or a page of them, and what the record is called. */
export interface Named {
  kind: 'record' | 'list' | 'page'
  name: string | undefined
  schema: Schema
}

export function schemaName(given: Schema): Named {
  const schema = dereference(given)
  const { data, next_cursor } = schema.properties ?? {}
  if (data?.items && next_cursor) return { kind: 'page', name: refName(data.items), schema: data.items }
  if (schema.items) return { kind: 'list', name: refName(schema.items), schema: schema.items }
  return { kind: 'record', name: refName(given), schema: given }
}
