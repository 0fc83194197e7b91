import { type Documented, schemaName } from '../document'
import type { ExampleInput } from './examples'

export const languages = ['curl', 'typescript', 'python'] as const
export type Language = (typeof languages)[number]

export const languageNames: Record<Language, string> = { curl: 'curl', typescript: 'TypeScript', python: 'Python' }

/** A program that performs an operation, as it is shown in the reference. */
export function toSample(language: Language, operation: Documented, input: ExampleInput, base: string): string {
  if (language === 'typescript') return toTypeScript(operation, input, base)
  const url = base + toPath(operation, input)
  return language === 'curl' ? toCurl(operation, input, url) : toPython(operation, input, url)
}

/** The path of a request, with its query. */
function toPath({ path }: Documented, input: ExampleInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(input.path[name]!))
  const query = Object.entries(input.query).map(([name, value]) => `${name}=${encodeQuery(value)}`)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

/** Commas separate values, and are readable as they are. */
const encodeQuery = (value: string) => encodeURIComponent(value).replaceAll('%2C', ',')

const FILE = 'picture.png'

function toCurl({ method, scope }: Documented, { body, file }: ExampleInput, url: string): string {
  const usual = body === undefined ? 'GET' : 'POST'
  return [
    `curl ${method === usual ? '' : `-X ${method} `}"${url}"`,
    ...(scope === 'public' ? [] : ['-H "Authorization: Bearer $PARLEY_TOKEN"']),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoteForShell(body)}`]),
    ...(file ? [`-H "Content-Type: ${file}"`, `--data-binary @${FILE}`] : []),
  ].join(' \\\n  ')
}

const quoteForShell = (body: unknown) => `'${toJson(body).replaceAll("'", "'\\''")}'`

/** JSON on one line if it is short, or else with a line for each field. */
function toJson(value: unknown): string {
  const short = toShortJson(value)
  if (short.length <= 46 || typeof value !== 'object' || value === null || Array.isArray(value)) return short
  const fields = Object.entries(value).map(([name, inside]) => `    ${JSON.stringify(name)}: ${toShortJson(inside)}`)
  return `{\n${fields.join(',\n')}\n  }`
}

function toShortJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toShortJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([name, inside]) => `${JSON.stringify(name)}: ${toShortJson(inside)}`)
    .join(', ')} }`
}

function toTypeScript(operation: Documented, input: ExampleInput, base: string): string {
  const { path, query, body, file } = input
  const numbers = new Set(
    operation.parameters.filter(({ schema }) => isTyped(schema.type, 'integer', 'boolean')).map(({ name }) => name),
  )
  const lists = new Set(
    operation.parameters.filter(({ schema }) => isTyped(schema.type, 'array')).map(({ name }) => name),
  )
  const fields = [
    ...Object.entries(path).map(([name, value]) => [name, numbers.has(name) ? value : quote(value)]),
    ...Object.entries(query).map(([name, value]) => [
      name,
      numbers.has(name) ? value : lists.has(name) ? `[${value.split(',').map(quote).join(', ')}]` : quote(value),
    ]),
    ...Object.entries((body ?? {}) as object).map(([name, value]) => [name, toLiteral(value)]),
    ...(file ? [['file', 'file']] : []),
  ]
  const given = fields.map(([name, value]) => (name === value ? name : `${name}: ${value}`))
  const short = `{ ${given.join(', ')} }`
  const argument =
    given.length === 0 ? '' : short.length <= 46 ? short : `{\n${given.map((each) => `  ${each},\n`).join('')}}`
  const call = `await parley.${operation.name}(${argument})`
  const record = resultName(operation)
  const result = file && record === 'file' ? 'uploaded' : record
  return [
    ...(file ? ["import { openAsBlob } from 'node:fs'"] : []),
    "import { Parley } from 'parley-client'",
    '',
    'const parley = new Parley({',
    `  baseUrl: '${base}',`,
    '  token: process.env.PARLEY_TOKEN!,',
    '})',
    ...(file ? [`const file = await openAsBlob('${FILE}', { type: '${file}' })`] : []),
    result ? `const ${result} = ${call}` : call,
  ].join('\n')
}

const isTyped = (type: string | string[] | undefined, ...types: string[]) =>
  typeof type === 'string' && types.includes(type)

const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`

/** A value as it is written in TypeScript. */
function toLiteral(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([name, inside]) => `${toKey(name)}: ${toLiteral(inside)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

const toKey = (name: string) => (/^[a-z_]\w*$/i.test(name) ? name : quote(name))

/** What the result is called: a page, or the record. */
function resultName({ responses }: Documented): string | undefined {
  const schema = responses.find(([status]) => status.startsWith('2'))?.[1].content?.['application/json']?.schema
  if (!schema) return undefined
  const { name, kind } = schemaName(schema)
  if (kind === 'page') return 'page'
  return name ? name[0]!.toLowerCase() + name.slice(1) : 'result'
}

function toPython(operation: Documented, { body, file }: ExampleInput, url: string): string {
  const { method, scope } = operation
  const type = file ?? (body === undefined ? undefined : 'application/json')
  const headers = [
    ...(scope === 'public' ? [] : ['"Authorization": "Bearer " + os.environ["PARLEY_TOKEN"]']),
    ...(type ? [`"Content-Type": "${type}"`] : []),
  ]
  const data = file
    ? `open("${FILE}", "rb").read()`
    : body === undefined
      ? undefined
      : `json.dumps(${toPythonLiteral(body)}).encode()`
  const hasResult = resultName(operation) !== undefined
  const modules = [
    ...(hasResult || body !== undefined ? ['json'] : []),
    ...(scope === 'public' ? [] : ['os']),
    'urllib.request',
  ]
  return [
    `import ${modules.join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url)},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(data ? [`    data=${data},`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    hasResult ? '    print(json.load(response))' : '    print(response.status)',
  ].join('\n')
}

const toPythonLiteral = (value: unknown): string => {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(toPythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inside]) => `${JSON.stringify(name)}: ${toPythonLiteral(inside)}`)
    .join(', ')}}`
}
