import type { InputError } from '../contract/errors'

interface SchemaError {
  keyword: string
  instancePath: string
  params: object
  schemaPath: string
}

/** Turns validation errors into messages for people. */
export function describeErrors(part: InputError['in'], errors: readonly SchemaError[]): InputError[] {
  return errors.flatMap((error) => {
    const at = nameOf(error.instancePath)
    const params = error.params as Record<string, unknown>
    if (error.keyword === 'required')
      return (params.requiredProperties as string[]).map((name) => say(join(at, name), 'This field is required.'))
    if (error.keyword === 'additionalProperties')
      return (params.additionalProperties as string[]).map((name) => say(join(at, name), 'Unknown field.'))
    // TypeBox reports an unknown field a second time, as a value no schema allows.
    if (error.keyword === 'boolean') return []
    // An empty value is also blank; one message is enough.
    if (error.keyword === 'pattern' && isEmpty(error.instancePath)) return []
    return [say(at, messageFor(error.keyword, params, part))]
  })

  function isEmpty(path: string): boolean {
    return errors.some(({ keyword, instancePath }) => keyword === 'minLength' && instancePath === path)
  }

  function say(name: string, message: string): InputError {
    return { in: part, name, message }
  }
}

function messageFor(keyword: string, params: Record<string, unknown>, part: InputError['in']): string {
  switch (keyword) {
    case 'type':
      return `Must be ${nameTypes(params.type)}${part === 'query' && params.type === 'integer' ? ', with digits only' : ''}.`
    case 'enum':
      return `Must be one of: ${(params.allowedValues as string[]).join(', ')}.`
    case 'minLength':
      return params.limit === 1 ? 'Must not be empty.' : `Must be at least ${params.limit} characters long.`
    case 'maxLength':
      return `Must be at most ${params.limit} characters long.`
    case 'pattern':
      return 'Must not be blank.'
    case 'minimum':
      return `Must be at least ${params.limit}.`
    case 'maximum':
      return `Must be at most ${params.limit}.`
    case 'minItems':
      return `Must have at least ${params.limit} ${params.limit === 1 ? 'item' : 'items'}.`
    case 'maxItems':
      return `Must have at most ${params.limit} items.`
    case 'format':
      return params.format === 'email' ? 'Must be an e-mail address.' : 'Must be an RFC 3339 date and time.'
    default:
      return `Invalid value (${keyword}).`
  }
}

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
  null: 'null',
}

const nameTypes = (types: unknown): string =>
  [types]
    .flat()
    .map((type) => typeNames[String(type)] ?? `of type ${type}`)
    .join(' or ')

/** `/member_ids/0` is `member_ids[0]`. */
const nameOf = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, step) => (/^\d+$/.test(step) ? `${name}[${step}]` : join(name, step)), '')

const join = (name: string, step: string) => (name ? `${name}.${step}` : step)
