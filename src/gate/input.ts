import type { TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type OperationName, operations } from '../contract'
import { type InputError, notFound, Problem } from '../contract/errors'
import type { Operation } from '../contract/operation'
import { wrongInput } from './input/errors'
import { parametersOf } from './input/query'
import { cutToSize, namesOf, unknownNames } from './input/size'

export interface RawInput {
  params: Readonly<Record<string, string>>
  query: string | undefined
  /** The parsed JSON, or the file, or undefined where there was no body. */
  body: unknown
}

type Part = 'query' | 'body'
type Validators = Partial<Record<Part | 'path', Validator>>

const compiled = new Map<OperationName, Validators>()

/** Compiled when first needed: all of them together are a sixth of the time a start takes. */
const validatorsOf = (name: OperationName): Validators =>
  compiled.getOrInsertComputed(name, () => {
    const { params, query, body }: Operation = operations[name]
    return {
      ...(params && { path: Compile(params) }),
      ...(query && { query: Compile(query) }),
      ...(body && { body: Compile(body) }),
    }
  })

/** The one flat, valid input of an operation, or everything that is wrong with it. */
export function validInput(name: OperationName, raw: RawInput): Record<string, unknown> {
  const operation: Operation = operations[name]
  const validators = validatorsOf(name)
  const wrong: InputError[] = []
  refuseImpossibleIds(validators.path, raw.params)

  const query = raw.query || operation.query ? readQuery(operation.query, raw.query, wrong) : {}
  const body = operation.body ? readBody(operation.body, raw.body, wrong) : {}
  check(validators.query, 'query', query, wrong)
  check(validators.body, 'body', body, wrong)
  if (wrong.length > 0) throw new Problem('invalid_input', summary(wrong), wrong)
  const file = operation.file ? { file: raw.body } : undefined
  return { ...query, ...(body as object), ...file, ...raw.params }
}

/** What cannot be an id is the id of nothing. */
function refuseImpossibleIds(validator: Validator | undefined, params: RawInput['params']) {
  if (validator && !(validator.Check(params) && isStorable(params))) throw notFound('record')
}

function check(validator: Validator | undefined, part: Part, value: unknown, wrong: InputError[]) {
  if (!validator) return
  if (!validator.Check(value)) wrong.push(...wrongInput(part, validator.Errors(value)))
  else if (!isStorable(value)) wrong.push({ in: part, name: '', message: 'It holds a NUL or half a surrogate pair.' })
}

const summary = (wrong: readonly InputError[]) =>
  wrong.map(({ name, message }) => (name ? `${name}: ${message}` : message)).join(' ')

/** Strings become what the schema asks for. A parameter that is not known is never ignored. */
function readQuery(schema: TObject | undefined, query: string | undefined, wrong: InputError[]) {
  const values: Record<string, unknown> = {}
  if (!query) return values
  const known: Record<string, TSchema> = schema?.properties ?? {}
  const parameters = parametersOf(query)
  wrong.push(...unknownNames('query', parameters.keys(), known, (name) => unknownParameter(name, Object.keys(known))))
  for (const [name, all] of parameters) {
    if (!Object.hasOwn(known, name)) continue
    const say = (message: string) => wrong.push({ in: 'query', name, message })
    const given = all.filter((value) => value !== '')
    if (isArray(known[name]!)) values[name] = given.length > 0 ? given.flatMap((value) => value.split(',')) : undefined
    else if (given.length > 1) say('It is given more than once.')
    else if (given[0] !== undefined) values[name] = readValue(known[name]!, given[0])
    if (values[name] === undefined) delete values[name]
  }
  return values
}

const unknownParameter = (name: string, known: string[]) =>
  known.length > 0
    ? `There is no parameter \`${name}\` here. Known: ${known.join(', ')}.`
    : `There is no parameter \`${name}\` here; this operation takes none.`

const isArray = (schema: TSchema) => (schema as { type?: string }).type === 'array'

/** What cannot be read as its type stays a string, which the validator then refuses. */
function readValue(schema: TSchema, value: string): unknown {
  const { type } = schema as { type?: string }
  if (type === 'integer') return /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

/** Fields that may be left out are left out when they are `""` or null where the schema says so. */
function readBody(schema: TObject, body: unknown, wrong: InputError[]): unknown {
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const given = body as Record<string, unknown>
  wrong.push(...unknownNames('body', namesOf(given), schema.properties, () => 'There is no such field here.'))
  const values: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = given[name]
    const isAbsent = (property as { emptyIsAbsent?: boolean }).emptyIsAbsent && (value === '' || value === null)
    if (Object.hasOwn(given, name) && !isAbsent) values[name] = cutToSize(property, value)
  }
  return values
}

/** Text that both engines give back as it was. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isStorable)
  return true
}
