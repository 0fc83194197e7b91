import { type OperationName, operations } from '../contract'
import type { Operation } from '../contract/operation'
import { openApi } from '../http/openapi'
import { version } from '../version'

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

/** The nouns of the operations, in the order of the contract. */
export const listNouns = (): string[] => [...new Set(listOperations().map(({ noun }) => noun))]

let loaded: { document: Document; operations: Documented[] } | undefined

/** The OpenAPI document, built when it is first needed. */
export const getDocument = (): Document => load().document

/** All operations, in the order of the contract. */
export const listOperations = (): Documented[] => load().operations

function load() {
  if (loaded) return loaded
  const document = openApi(version) as unknown as Document
  loaded = { document, operations: [] }
  // References are looked up in the document that was just loaded.
  loaded.operations = Object.entries(operations).map(([name, operation]) =>
    toDocumented(name as OperationName, operation, document),
  )
  return loaded
}

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
  return shapes.some((shape) => shape.properties) && !isEnvelope && !listBodies().has(name)
}

let bodies: Set<string | undefined> | undefined

/** The names of schemas that are only used as the body of a request, to this server or to a webhook. */
function listBodies(): Set<string | undefined> {
  const { webhooks = {} } = getDocument()
  bodies ??= new Set(
    [...listOperations().map(({ body }) => body), ...Object.values(webhooks).map(({ post }) => post?.requestBody)]
      .filter((body) => body !== undefined)
      .map((body) => refName(dereference(body).content['application/json']?.schema ?? {})),
  )
  return bodies
}

/** The name of the schema that a reference stands for. */
export const refName = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)
