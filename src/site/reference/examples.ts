import type { IdPrefix } from '../../domain/ids'
import {
  type Documented,
  dereference,
  listOperations,
  type Media,
  type Parameter,
  refName,
  type Schema,
} from '../document'

/** The input of an operation in an example. */
export interface ExampleInput {
  path: Record<string, string>
  query: Record<string, string>
  body: unknown
  /** The type of the file that is sent instead of a body. */
  file: string | undefined
}

const ID_DIGITS = '01m7emc40eewd9993s110kgrm7'

/** Which ids a name stands for. */
const prefixes: Record<string, IdPrefix> = {
  ...{ post: 'post', comment: 'cmt', channel: 'chan', thread: 'thr', message: 'msg', member: 'mem', user: 'user' },
  ...{ app: 'app', token: 'tok', session: 'ses', webhook: 'wh', delivery: 'dlv', author: 'mem', workspace: 'ws' },
  ...{ subject: 'post', parent: 'cmt', link: 'link', up_to: 'cmt', from: 'cmt' },
}

const idOf = (name: string) => `${prefixes[name] ?? 'post'}_${ID_DIGITS}`

/** What the document gives as the example input of an operation, or else something of the right shape. */
export function exampleInput(operation: Documented): ExampleInput {
  // Samples send what has to be sent, and what the document has examples of, or else the usual.
  const hasExamples = operation.parameters.some((each) => each.in === 'query' && each.example !== undefined)
  const isUsual = ({ name }: Parameter) => !hasExamples && (name === 'limit' || name === 'q')
  const parameters = (where: Parameter['in']) =>
    Object.fromEntries(
      operation.parameters
        .filter((each) => each.in === where && (each.required || each.example !== undefined || isUsual(each)))
        .map((each) => [each.name, toText(parameterExample(operation, each))]),
    )
  const [type, media] = Object.entries(operation.body?.content ?? {})[0] ?? []
  const isJson = type === 'application/json'
  return {
    path: parameters('path'),
    query: parameters('query'),
    body: isJson ? bodyExample(media!) : undefined,
    file: isJson ? undefined : type,
  }
}

const toText = (value: unknown) => (Array.isArray(value) ? value.join() : String(value))

function parameterExample({ noun, path }: Documented, { name, example, schema }: Parameter): unknown {
  if (example !== undefined) return example
  if (name === 'id') {
    const before = path.split('/').at(path.split('/').indexOf('{id}') - 1)!
    return idOf((before === 'sign-in-links' ? 'link' : before).replace(/ies$/, 'y').replace(/s$/, '') || noun)
  }
  if (name === 'limit') return 10
  if (name === 'q') return 'lunch'
  return schemaExample(schema, name)
}

/** Without an example in the document, a body has what it has to have, or else everything. */
function bodyExample(media: Media): unknown {
  const { required } = dereference(media.schema ?? {})
  const example = mediaExample(media)
  if (media.example !== undefined || media.examples || !required?.length) return example
  return Object.fromEntries(
    Object.entries(example as object).filter(([name]) => required.includes(name) || name === 'content_markdown'),
  )
}

/** The example of a body, given or made from its schema. */
export function mediaExample({ example, examples, schema }: Media): unknown {
  if (example !== undefined) return example
  const [first] = Object.values(examples ?? {})
  if (first?.value !== undefined) return first.value
  return schema && schemaExample(schema)
}

/** A value of the shape of a schema. */
function schemaExample(given: Schema, name = '', depth = 0): unknown {
  const schema = dereference(given)
  if (schema.example !== undefined) return schema.example
  if (schema.examples?.length) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choice = (schema.anyOf ?? schema.oneOf)?.find((each) => each.type !== 'null')
  if (choice) return depth > 3 ? null : schemaExample(choice, name, depth)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => schemaExample(each, name, depth)))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([key, inside]) => [key, schemaExample(inside, key, depth + 1)]),
    )
  if (type === 'array') return schema.items ? [schemaExample(schema.items, name.replace(/s$/, ''), depth + 1)] : []
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return false
  return textExample(schema, name)
}

function textExample({ format }: Schema, name: string): string {
  if (format === 'date-time' || name.endsWith('_at')) return '2026-11-15T10:00:00.000Z'
  if (name === 'id') return idOf('post')
  if (name.endsWith('_id')) return idOf(name.slice(0, -3))
  if (name === 'ids') return idOf('post')
  if (/cursor$/.test(name)) return 'eyJ3Ijoi…'
  return texts[name] ?? '…'
}

const texts: Record<string, string> = {
  ...{ title: 'Lunch?', content: '<p>Lunch at noon?</p>', content_markdown: 'Lunch at **noon**?' },
  ...{ name: 'general', display_name: 'Ada Lovelace', email: 'ada@example.com', q: 'lunch' },
  ...{ url: 'https://example.com/hook', token: 'parley_…', slug: 'home', time_zone: 'Europe/Berlin' },
}

let objects: Map<string, unknown> | undefined

/** An object of this name that is in the example of a response, or else something of its shape. */
export function objectExample(name: string): unknown {
  objects ??= collectObjects()
  return objects.get(name) ?? schemaExample({ $ref: `#/components/schemas/${name}` })
}

/** The objects in the examples of all responses, the first of each name. */
function collectObjects(): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const visit = (given: Schema, value: unknown) => {
    if (value === null || value === undefined) return
    const name = refName(given)
    if (name && !found.has(name)) found.set(name, value)
    const schema = dereference(given)
    for (const choice of schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [])
      if (fits(choice, value)) visit(choice, value)
    if (schema.items && Array.isArray(value)) for (const each of value) visit(schema.items, each)
    for (const [key, inside] of Object.entries(schema.properties ?? {})) visit(inside, (value as Json)[key])
  }
  for (const { responses } of listOperations())
    for (const [, { content }] of responses) {
      const { schema, example } = content?.['application/json'] ?? {}
      if (schema && example !== undefined) visit(schema, example)
    }
  return found
}

type Json = Record<string, unknown>

/** Whether a value may be of a schema: an object is if it has all its required fields, with the right constants. */
function fits(given: Schema, value: unknown): boolean {
  const { type, properties = {}, required = [] } = dereference(given)
  if (typeof value !== 'object' || value === null) return type !== 'object' && type !== 'null'
  return required.every((key) => key in value && isConstant(properties[key], (value as Json)[key]))
}

const isConstant = (schema: Schema | undefined, value: unknown) =>
  schema?.const === undefined ? !(schema?.enum?.length === 1) || schema.enum[0] === value : schema.const === value

/** An example as it is shown: of the six addresses of a picture, one is enough. */
export const formatExample = (example: unknown): string =>
  JSON.stringify(example, null, 2).replace(
    /"avatar_urls": \{\s+"xs": ("[^"]*"),[^}]*\}/g,
    '"avatar_urls": { "xs": $1, … }',
  )
