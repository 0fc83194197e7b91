import { Compile, type Validator } from 'typebox/compile'

/** The subset of JSON Schema that the document uses. */
export interface Schema {
  type?: string | string[]
  enum?: string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  $ref?: string
}

interface Promised {
  /** The description, which includes the error codes. */
  description: string
  /** Schemas by content type. */
  bodies: Map<string, Validator>
}

/** An operation as described by the document. */
export interface Documented {
  name: string
  method: string
  path: string
  params: string[]
  query: { name: string; schema: Schema }[]
  takesKey: boolean
  /** The content type of the file that it accepts instead of JSON. */
  fileType?: string
  body?: Schema
  isValidBody?: Validator
  responses: Map<number, Promised>
}

interface Json {
  operationId: string
  parameters: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>
}

export interface OpenApi {
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, Schema> }
}

/** The operations of an OpenAPI document, with compiled validators. */
export function documented({ paths, components }: OpenApi): Documented[] {
  const whole = (schema: Schema): Schema => inline(schema, components.schemas)
  const validators = new Map<string, Validator>()
  const compiled = (schema: Schema) =>
    validators.getOrInsertComputed(JSON.stringify(schema), () => Compile(whole(schema) as never))

  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody, responses }]) => {
      const body = requestBody?.content['application/json']?.schema
      const fileType = body ? undefined : Object.keys(requestBody?.content ?? {})[0]
      return {
        name: operationId,
        method: method.toUpperCase(),
        path,
        params: parameters.filter((each) => each.in === 'path').map(({ name }) => name),
        query: parameters
          .filter((each) => each.in === 'query')
          .map((each) => ({ ...each, schema: whole(each.schema) })),
        takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
        ...(body && { body: whole(body), isValidBody: compiled(body) }),
        ...(fileType && { fileType }),
        responses: new Map(
          Object.entries(responses).map(([status, { description, content = {} }]) => [
            Number(status),
            {
              description,
              bodies: new Map(Object.entries(content).map(([type, { schema }]) => [type, compiled(schema)])),
            },
          ]),
        ),
      }
    }),
  )
}

/** The schema with its references resolved. */
export function inline<T>(value: T, schemas: Record<string, Schema>): T {
  if (Array.isArray(value)) return value.map((each) => inline(each, schemas)) as T
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as Schema
  if (typeof $ref === 'string') return inline(schemas[$ref.split('/').at(-1)!] as T, schemas)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inline(each, schemas)])) as T
}
