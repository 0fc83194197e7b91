import type { TSchema } from 'typebox'
import { fieldDescriptions, schemaDescriptions } from '../../contract/descriptions'

export type Json = Record<string, unknown>

/**
 * `published`: responses may have further fields, and values that are not listed, because `/v2` grows. `exact`: what this version
 * answers, and nothing else, for tests. Requests are the same in both.
 */
export type Rendering = 'published' | 'exact'

/** Renders schemas of the contract as JSON Schema. Named ones are collected, and referred to. */
export interface Schemas {
  components: Record<string, Json>
  /** The schema of something that clients send; a reference if it is given a name. */
  request(schema: TSchema, name?: string): Json
  /** The schema of something that the server sends. */
  response(schema: TSchema, name?: string): Json
}

export function openSchemas(rendering: Rendering): Schemas {
  const components: Record<string, Json> = {}
  const names = new Map<TSchema, string>()

  /** Adds a component, unless it is there, and refers to it. */
  function refer(name: string, render: () => Json): Json {
    if (!components[name]) {
      // Reserves its place, in case the schema refers to itself.
      components[name] = {}
      components[name] = render()
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  const request = (schema: TSchema, name?: string): Json => {
    if (!name) return render(schema as Json, { request: true })
    const known = names.get(schema) ?? name
    names.set(schema, known)
    return refer(known, () => render({ ...schema, title: undefined }, { request: true, owner: known }))
  }
  const response = (schema: TSchema, name?: string): Json => {
    const title = titleOf(schema) ?? name
    if (!title) return render(schema as Json, {})
    return refer(title, () => render({ ...schema, title: undefined }, { owner: title }))
  }

  function render(schema: Json, at: { request?: boolean; owner?: string }): Json {
    const { emptyIsAbsent: _, anyText: __, title: ___, ...rest } = schema
    const inside = (child: unknown) => (at.request ? request(child as TSchema) : response(child as TSchema))
    const rendered: Json = { ...rest }
    const description = rest.description ?? (at.owner && schemaDescriptions[at.owner])
    if (description) rendered.description = description
    if (rest.properties)
      rendered.properties = renderFields(rest.properties as Record<string, TSchema>, inside, at.owner)
    if (rest.items) rendered.items = inside(rest.items)
    if (rest.patternProperties) {
      // A record: any name, with values of one kind.
      rendered.additionalProperties = inside(Object.values(rest.patternProperties)[0])
      delete rendered.patternProperties
    }
    if (rest.anyOf) rendered.anyOf = (rest.anyOf as TSchema[]).map(inside).flatMap(membersOf)
    return at.request || rendering === 'exact' ? rendered : leaveRoom(rendered)
  }

  return { components, request, response }
}

/** Of a property called `title`, that is a schema; the title of a schema is a string. */
const titleOf = ({ title }: { title?: unknown }) => (typeof title === 'string' ? title : undefined)

function renderFields(fields: Record<string, TSchema>, render: (field: TSchema) => Json, owner = ''): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const rendered = render(field)
      const special = fieldDescriptions[`${owner}.${name}`]
      const usual = rendered.$ref ? undefined : fieldDescriptions[name]
      const description = special ?? rendered.description ?? usual
      return [name, description ? { ...rendered, description } : rendered]
    }),
  )
}

/** The members of a union within a union, which says no more than its members do. */
const membersOf = (schema: Json): Json[] =>
  Array.isArray(schema.anyOf) && Object.keys(schema).length === 1 ? (schema.anyOf as Json[]) : [schema]

/** Allows what later versions may add: fields, values of a choice, and kinds of records. */
function leaveRoom(schema: Json): Json {
  const { additionalProperties, ...open } = schema
  if (additionalProperties !== undefined && additionalProperties !== false)
    open.additionalProperties = additionalProperties
  const values = open.enum as string[] | undefined
  if (values?.length === 1) {
    delete open.enum
    return { ...open, const: values[0] }
  }
  if (values) {
    const { type, enum: _, ...others } = open
    return { anyOf: [{ type, enum: values }, { type }], ...others }
  }
  const records = (open.anyOf as Json[] | undefined)?.filter(({ $ref }) => $ref) ?? []
  if (records.length > 1) open.anyOf = [...(open.anyOf as Json[]), { type: 'object', additionalProperties: true }]
  return open
}
