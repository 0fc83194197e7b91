import type { InputError } from '../../contract/errors'

interface SchemaError {
  keyword: string
  instancePath: string
  params: object
  schemaPath: string
}

/** What a validator found, as sentences that say what would be right. */
export function wrongInput(part: InputError['in'], errors: readonly SchemaError[]): InputError[] {
  return errors.flatMap((error) => {
    const at = nameOf(error.instancePath)
    const params = error.params as Record<string, unknown>
    if (error.keyword === 'required')
      return (params.requiredProperties as string[]).map((name) => say(join(at, name), 'It is required.'))
    if (error.keyword === 'additionalProperties')
      return (params.additionalProperties as string[]).map((name) =>
        say(join(at, name), 'There is no such field here.'),
      )
    // TypeBox reports an unknown field a second time, as a value no schema allows.
    if (error.keyword === 'boolean') return []
    // What is empty is blank too: saying so once is enough.
    if (error.keyword === 'pattern' && isEmpty(error.instancePath)) return []
    return [say(at, sentence(error.keyword, params, part))]
  })

  function isEmpty(path: string): boolean {
    return errors.some(({ keyword, instancePath }) => keyword === 'minLength' && instancePath === path)
  }

  function say(name: string, message: string): InputError {
    return { in: part, name, message }
  }
}

function sentence(keyword: string, params: Record<string, unknown>, part: InputError['in']): string {
  switch (keyword) {
    case 'type':
      return `It must be ${typeNames[String(params.type)] ?? `of type ${params.type}`}${part === 'query' && params.type === 'integer' ? ', digits only' : ''}.`
    case 'enum':
      return `It must be one of: ${(params.allowedValues as string[]).join(', ')}.`
    case 'minLength':
      return params.limit === 1 ? 'It must not be empty.' : `It must have at least ${params.limit} characters.`
    case 'maxLength':
      return `It must have at most ${params.limit} characters.`
    case 'pattern':
      return 'It must not be blank.'
    case 'minimum':
      return `It must be at least ${params.limit}.`
    case 'maximum':
      return `It must be at most ${params.limit}.`
    case 'minItems':
      return `It must have at least ${params.limit} ${params.limit === 1 ? 'item' : 'items'}.`
    case 'maxItems':
      return `It must have at most ${params.limit} items.`
    case 'format':
      return params.format === 'email' ? 'It must be an e-mail address.' : 'It must be an RFC 3339 date and time.'
    default:
      return `It is not valid (${keyword}).`
  }
}

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
}

/** `/member_ids/0` is `member_ids[0]`. */
const nameOf = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, step) => (/^\d+$/.test(step) ? `${name}[${step}]` : join(name, step)), '')

const join = (name: string, step: string) => (name ? `${name}.${step}` : step)
