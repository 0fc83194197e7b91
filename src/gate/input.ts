import type { TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import Format from 'typebox/format'
import { type OperationName, operations } from '../contract'
import { type InputError, notFound, Problem } from '../contract/errors'
import type { Operation } from '../contract/operation'
import { describeErrors } from './input-errors'

export interface RawInput {
  params: Readonly<Record<string, string>>
  query: string | undefined
  /** The parsed JSON, or undefined if there was no body. */
  body: unknown
}

// The format allows some values that `Date` cannot parse: leap seconds, and names of time zones in brackets.
Format.Set('date-time', (text) => Format.IsDateTime(text) && !Number.isNaN(Date.parse(text)))

type Part = 'query' | 'body'
type Validators = Partial<Record<Part | 'path', Validator>>

const compiled = new Map<OperationName, Validators>()

/** Compiled when first needed: compiling all of them would be a sixth of the start-up time. */
const validatorsOf = (name: OperationName): Validators =>
  compiled.getOrInsertComputed(name, () => {
    const { params, query, body }: Operation = operations[name]
    return {
      ...(params && { path: Compile(params) }),
      ...(query && { query: Compile(query) }),
      ...(body && { body: Compile(body) }),
    }
  })

/** Validates the input of an operation and merges its parts; throws a problem that lists every error. */
export function validInput(name: OperationName, raw: RawInput): Record<string, unknown> {
  const operation: Operation = operations[name]
  const validators = validatorsOf(name)
  const wrong: InputError[] = []
  const params = operation.params ? readParams(operation.params, raw.params) : raw.params
  refuseImpossibleIds(validators.path, params)

  const query = raw.query || operation.query ? readQuery(operation.query, raw.query, wrong) : {}
  const body = operation.body ? readBody(operation.body, raw.body, wrong) : {}
  check(validators.query, 'query', query, wrong)
  check(validators.body, 'body', body, wrong)
  if (wrong.length > 0) throw new Problem('invalid_input', summary(wrong), wrong)
  return { ...query, ...(body as object), ...params }
}

/** Converts the parameters of a path to the types of the schema: most are ids, some are numbers. */
function readParams({ properties }: TObject, params: RawInput['params']): Record<string, unknown> {
  const values: Record<string, unknown> = { ...params }
  for (const name in properties) if (name in params) values[name] = readValue(properties[name]!, params[name]!)
  return values
}

/** An id that cannot exist is not found, rather than invalid. */
function refuseImpossibleIds(validator: Validator | undefined, params: Record<string, unknown>) {
  if (validator && !(validator.Check(params) && isStorable(params))) throw notFound('record')
}

function check(validator: Validator | undefined, part: Part, value: unknown, wrong: InputError[]) {
  if (!validator) return
  if (!validator.Check(value)) wrong.push(...describeErrors(part, validator.Errors(value)))
  else if (!isStorable(value)) wrong.push({ in: part, name: '', message: NOT_STORABLE })
}

export const NOT_STORABLE = 'Must not contain NUL characters or unpaired surrogates.'

const summary = (wrong: readonly InputError[]) =>
  wrong.map(({ name, message }) => (name ? `${name}: ${message}` : message)).join(' ')

/** Converts strings to the types of the schema. Unknown parameters are errors. */
function readQuery(schema: TObject | undefined, query: string | undefined, wrong: InputError[]) {
  const values: Record<string, unknown> = {}
  if (!query) return values
  const known: Record<string, TSchema> = schema?.properties ?? {}
  const parameters = parseQuery(query)
  wrong.push(...unknownNames('query', parameters.keys(), known, (name) => unknownParameter(name, Object.keys(known))))
  for (const [name, all] of parameters) {
    if (!Object.hasOwn(known, name)) continue
    const say = (message: string) => wrong.push({ in: 'query', name, message })
    const given = all.filter((value) => value !== '')
    if (isArray(known[name]!)) values[name] = given.length > 0 ? given.flatMap((value) => value.split(',')) : undefined
    else if (given.length > 1) say('Must be given only once.')
    else if (given[0] !== undefined) values[name] = readValue(known[name]!, given[0])
    if (values[name] === undefined) delete values[name]
  }
  return values
}

const unknownParameter = (name: string, known: string[]) =>
  known.length > 0
    ? `Unknown parameter \`${name}\`. Supported: ${known.join(', ')}.`
    : `Unknown parameter \`${name}\`; this operation has none.`

const isArray = (schema: TSchema) => (schema as { type?: string }).type === 'array'

/** A value that cannot be converted stays a string, which the validator then rejects. */
function readValue(schema: TSchema, value: string): unknown {
  const { type, anyText } = schema as { type?: string; anyText?: boolean }
  if (anyText) return value.toWellFormed().replaceAll('\0', ' ')
  if (type === 'integer') return /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

/** Drops optional fields that are `""` or null, if the schema says that means absent. */
function readBody(schema: TObject, body: unknown, wrong: InputError[]): unknown {
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const given = body as Record<string, unknown>
  wrong.push(...unknownNames('body', namesOf(given), schema.properties, () => unknownField(schema)))
  const values: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = given[name]
    const isAbsent = (property as { emptyIsAbsent?: boolean }).emptyIsAbsent && (value === '' || value === null)
    if (Object.hasOwn(given, name) && !isAbsent) values[name] = truncate(property, value)
  }
  return values
}

const unknownField = ({ properties }: TObject) => {
  const known = Object.keys(properties)
  return known.length > 0 ? `Unknown field. Supported: ${known.join(', ')}.` : 'Unknown field; the body has none.'
}

/** Whether both engines can store all text in a value unchanged. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isStorable)
  return true
}

/** Queries that a plain split would get wrong: escapes, and a leading question mark. */
const SPECIAL = /^\?|[%+]/

/** The parameters of a query, each with all its values. */
export function parseQuery(query: string | undefined): Map<string, string[]> {
  const parameters = new Map<string, string[]>()
  if (!query) return parameters
  // `URLSearchParams` takes as long as all other handling of a query.
  const pairs = SPECIAL.test(query) ? new URLSearchParams(query) : query.split('&').filter(Boolean).map(pairOf)
  for (const [name, value] of pairs) {
    const given = parameters.get(name)
    if (given) given.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const MAX_NAMES = 10
const MAX_NAME_LENGTH = 100
const MAX_FORMATTED = 1_000

/** An error for each unknown name, up to a limit. */
export function unknownNames(
  part: InputError['in'],
  names: Iterable<string>,
  known: object,
  message: (name: string) => string,
): InputError[] {
  const errors: InputError[] = []
  for (const each of names) {
    if (Object.hasOwn(known, each)) continue
    if (errors.length === MAX_NAMES)
      return [...errors, { in: part, name: '', message: 'There are more unknown names.' }]
    const name = shorten(each)
    errors.push({ in: part, name, message: message(name) })
  }
  return errors
}

/** Lazily: listing a hundred thousand names would take long. */
export function* namesOf(object: object): Generator<string> {
  for (const name in object) yield name
}

const shorten = (name: string) => {
  const start = name.slice(0, 2 * MAX_NAME_LENGTH)
  const letters = [...start]
  return letters.length <= MAX_NAME_LENGTH && start === name ? name : `${letters.slice(0, MAX_NAME_LENGTH).join('')}…`
}

/**
 * Truncates text and lists that are too long to a length that is still too long. They are rejected either way, and
 * checking a format costs no more for a megabyte than for the longest valid value.
 */
function truncate(schema: TSchema, value: unknown): unknown {
  const { format, maxLength, maxItems } = schema as { format?: string; maxLength?: number; maxItems?: number }
  // No date is that long; an empty string is rejected just the same.
  if (typeof value === 'string' && format && maxLength === undefined && value.length > MAX_FORMATTED) return ''
  // A character has at most two code units, and the limit is in characters.
  if (typeof value === 'string' && maxLength !== undefined && value.length > 2 * maxLength + 2)
    return value.slice(0, 2 * maxLength + 2)
  if (Array.isArray(value)) return withoutNesting(value.slice(0, (maxItems ?? value.length) + 1))
  return value
}

/** No list in a body may hold lists or objects, and comparing two that are nested deeply would overflow the stack. */
const withoutNesting = (list: readonly unknown[]) => list.map((item) => (typeof item === 'object' ? null : item))
