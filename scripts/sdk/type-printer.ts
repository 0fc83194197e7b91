/** A JSON Schema of the contract. */
export interface Schema {
  title?: unknown
  description?: string
  type?: string | string[]
  enum?: string[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  default?: unknown
}

/** Choices that have a name of their own: the name, by the values. */
export type NamedChoices = ReadonlyMap<string, string>
export const choiceKey = (values: readonly string[]) => values.join()

/** Prints schemas as TypeScript. Schemas with a title become interfaces, which are collected under that name. */
export class TypePrinter {
  readonly declarations = new Map<string, string>()

  constructor(readonly choices: NamedChoices) {}

  /** A type, as it is written where it is used. */
  print(schema: Schema): string {
    if (typeof schema.title === 'string') return this.declare(schema.title, schema)
    return this.#printInline(schema)
  }

  /** Declares a schema under this name, unless it has been already. */
  declare(name: string, schema: Schema): string {
    if (this.declarations.has(name)) return name
    // First the name, in case the schema contains itself.
    this.declarations.set(name, '')
    const { title: _, ...untitled } = schema
    const docs = printDocs(schema.description)
    const text = schema.properties
      ? `${docs}export interface ${name} ${this.#printFields(schema)}`
      : `${docs}export type ${name} = ${this.#printInline(untitled)}`
    this.declarations.set(name, text)
    return name
  }

  #printInline(schema: Schema): string {
    if (schema.anyOf) return schema.anyOf.map((each) => this.print(each)).join(' | ')
    if (schema.enum) return this.choices.get(choiceKey(schema.enum)) ?? printChoices(schema.enum)
    if ('const' in schema) return JSON.stringify(schema.const)
    if (Array.isArray(schema.type)) return schema.type.map((type) => this.print({ type })).join(' | ')
    switch (schema.type) {
      case 'array':
        return this.#printArray(schema.items!)
      case 'object':
        if (schema.properties) return this.#printFields(schema)
        return `Record<string, ${this.print(Object.values(schema.patternProperties ?? {})[0]!)}>`
      case 'integer':
      case 'number':
        return 'number'
      case 'string':
      case 'boolean':
      case 'null':
        return schema.type
      default:
        throw new Error(`There is no type for ${JSON.stringify(schema).slice(0, 200)}.`)
    }
  }

  #printArray(items: Schema): string {
    const item = this.print(items)
    return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`
  }

  #printFields({ properties, required }: Schema): string {
    const fields = Object.entries(properties!).map(([name, schema]) => {
      const mark = required?.includes(name) ? '' : '?'
      return `${printDocs(describeField(schema))}${quoteName(name)}${mark}: ${this.print(schema)}`
    })
    return `{\n${fields.join('\n')}\n}`
  }
}

function describeField({ description, anyOf, default: fallback }: Schema): string | undefined {
  const [first] = anyOf ?? []
  const parts = [
    description ?? (first?.title ? undefined : first?.description),
    fallback !== undefined && `Default: \`${fallback}\`.`,
  ]
  return parts.filter(Boolean).join(' ') || undefined
}

export const printChoices = (values: readonly string[]) => values.map((value) => `'${value}'`).join(' | ')

export const quoteName = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`)

/** A comment above a declaration, or nothing. */
export function printDocs(...lines: (string | undefined)[]): string {
  const safe = lines.filter((line) => line !== undefined).map((line) => line.replaceAll('*/', '*\\/'))
  if (safe.length === 0) return ''
  return safe.length === 1 ? `/** ${safe[0]} */\n` : `/**\n${safe.map((line) => ` * ${line}`).join('\n *\n')}\n */\n`
}
