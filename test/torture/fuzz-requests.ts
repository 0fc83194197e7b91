import type { Dice } from '../random-writes'
import type { Documented, Schema } from './fuzz-document'
import { type Draft, escaped, twists } from './fuzz-twists'
import { fitting, type Known, written } from './fuzz-values'

/** A request, and what is known of the answer before it comes. */
export interface Fuzzed {
  bytes: Buffer
  operation: Documented
  method: string
  /** Whether the address still is the operation's, so that its contract holds. */
  isAddressed: boolean
  /** What the document does not allow must not succeed. */
  isWrong: boolean
  /** So long that the server may stop reading. */
  isTooLong: boolean
  /** The answer has no body, whatever it is. */
  isBodyless: boolean
}

const LONGEST_ADDRESS = 2_000
const LONGEST_HEAD = 16_000
/** One pixel, as PNG. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const JSON_TYPE = /^application\/json(;\s*charset="?utf-8"?)?$/i

export interface Caller {
  token: string
}

/** A request to an operation: as the document says, or with a twist. */
export function requestTo(operation: Documented, caller: Caller, known: Known, dice: Dice): Fuzzed {
  const draft = plain(operation, caller, known, dice)
  if (dice.below(5) < 3)
    for (let left = dice.of([1, 1, 1, 2]); left > 0; left--) dice.of(twists)(draft, operation, dice)
  const bytes = bytesOf(draft)
  return {
    bytes,
    operation,
    method: draft.method,
    isAddressed: draft.isAddressed && draft.method === operation.method,
    isWrong: draft.isWrong || !isGoodBody(draft, operation) || !isGoodQuery(draft, operation),
    isTooLong:
      draft.path.length + String(draft.query).length > LONGEST_ADDRESS || bytes.indexOf('\r\n\r\n') > LONGEST_HEAD,
    isBodyless: draft.method === 'HEAD',
  }
}

function plain(operation: Documented, { token }: Caller, known: Known, dice: Dice): Draft {
  const words = operation.path.split('/')
  const noun = words.findLast((word) => !word.startsWith('{'))!
  const slot = { operation: operation.name, noun }
  // From the end on: what is inside something is asked for where it was found.
  let inside: string | undefined
  const path = words.toReversed().map((word, fromEnd) => {
    if (!word.startsWith('{')) return word
    const at = words.length - 1 - fromEnd
    const isDeleted = operation.method === 'DELETE' && fromEnd === 0
    const ids = isDeleted ? known.spareIds(words[at - 1]!) : known.ids(words[at - 1]!)
    const one = dice.below(2 ** 30)
    const home = inside && dice.below(4) > 0 ? known.homeOf(inside) : undefined
    inside = home ?? (ids.length > 0 ? ids[one % ids.length]! : `none_${one}`)
    return encodeURIComponent(inside)
  })
  const query = operation.query
    .filter(() => dice.below(3) === 0)
    .map(({ name, schema }): [string, string] => [name, String(fitting(schema, { ...slot, name }, known, dice))])
  const headers: [string, string][] = [['Authorization', `Bearer ${token}`]]
  if (operation.body) headers.push(['Content-Type', 'application/json'])
  if (operation.fileType) headers.push(['Content-Type', 'image/png'])
  if (operation.takesKey && dice.below(3) === 0) headers.push(['Idempotency-Key', `key-${dice.below(300)}`])
  return {
    method: operation.method,
    path: path.toReversed().join('/'),
    query,
    headers,
    body: operation.fileType
      ? PICTURE
      : operation.body && written(fitting(operation.body, { ...slot, name: '' }, known, dice)),
    isChunked: false,
    isAddressed: true,
    isWrong: false,
  }
}

/** By the document alone. An optional field that is null may count as left out. */
function isGoodBody({ body, headers }: Draft, operation: Documented): boolean {
  if (!operation.isGoodBody) return true
  if (body === undefined || body.length === 0) return operation.isGoodBody.Check({})
  if (!JSON_TYPE.test(headers.find(([name]) => name === 'Content-Type')?.[1] ?? '')) return false
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body)))
    if (typeof value === 'object' && value !== null)
      for (const name of Object.keys(value)) if (value[name] === null) delete value[name]
    return operation.isGoodBody.Check(value)
  } catch {
    return false
  }
}

function isGoodQuery({ query }: Draft, operation: Documented): boolean {
  const isOnce = ([name]: [string, string]) =>
    isList(operation, name) || query.filter((each) => each[0] === name && each[1] !== '').length < 2
  return query.every((each) => isOnce(each) && isGood(operation, ...each))
}

const isList = ({ query }: Documented, name: string) =>
  query.find((each) => each.name === name)?.schema.type === 'array'

/** Whether a query parameter is one of the operation, and of the kind it says. An empty one counts as left out. */
function isGood(operation: Documented, name: string, value: string): boolean {
  const parameter = operation.query.find((each) => each.name === name)
  if (!parameter) return false
  const { type, items, enum: words, minimum = 0, maximum = 0, maxLength = 1e9 } = parameter.schema as Schema
  if (value === '') return true
  if (type === 'integer') return /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
  if (type === 'boolean') return ['true', 'false'].includes(value)
  if (type === 'array') return value.split(',').every((word) => items!.enum!.includes(word))
  return words ? words.includes(value) : [...value].length <= maxLength
}

const escapedQuery = (text: string) => escaped(text).replaceAll('%20', '+')

function bytesOf({ method, path, query, headers, body, isChunked }: Draft): Buffer {
  const search = query.map(([name, value]) => `${escapedQuery(name)}=${escapedQuery(value)}`).join('&')
  const content = body === undefined ? undefined : Buffer.from(body)
  const lines = [
    `${method} ${path}${search && (path.includes('?') ? '&' : '?')}${search} HTTP/1.1`,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content ? [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${content.length}`] : []),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return content ? Buffer.concat([head, isChunked ? inPieces(content) : content]) : head
}

function inPieces(content: Buffer): Buffer {
  const size = Math.max(1, Math.ceil(content.length / 3))
  const pieces: Buffer[] = []
  for (let at = 0; at < content.length; at += size) {
    const piece = content.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}
