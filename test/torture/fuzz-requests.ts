import type { Random } from '../random-writes'
import type { Documented, Schema } from './fuzz-document'
import { type Draft, mutations, percentEncode } from './fuzz-mutations'
import { RESOLVED } from './fuzz-records'
import { type Known, toJson, validValue } from './fuzz-values'

/** A request, and what is expected of its response. */
export interface Fuzzed {
  bytes: Buffer
  operation: Documented
  method: string
  /** Whether method and path belong to the operation, so that its contract applies. */
  matchesOperation: boolean
  /** Whether the document does not allow the request, so that it must not succeed. */
  isInvalid: boolean
  /** Whether the server may stop reading it. */
  isTooLong: boolean
  /** Whether the response has no body, as for HEAD. */
  isBodyless: boolean
}

const MAX_URL_LENGTH = 2_000
const MAX_HEAD_LENGTH = 16_000
/** A PNG of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const JSON_TYPE = /^application\/json(;\s*charset="?utf-8"?)?$/i

export interface Caller {
  token: string
}

/** A valid request to an operation, or a mutation of one unless it is to be plain. */
export function requestTo(
  operation: Documented,
  caller: Caller,
  known: Known,
  random: Random,
  isPlain: boolean,
): Fuzzed {
  const draft = plain(operation, caller, known, random)
  if (!isPlain && random.below(5) < 3)
    for (let left = random.pick([1, 1, 1, 2]); left > 0; left--) random.pick(mutations)(draft, operation, random)
  const bytes = bytesOf(draft)
  return {
    bytes,
    operation,
    method: draft.method,
    matchesOperation: draft.matchesOperation && draft.method === operation.method,
    isInvalid: draft.isInvalid || !isValidBody(draft, operation) || !isValidQuery(draft, operation),
    isTooLong:
      draft.path.length + String(draft.query).length > MAX_URL_LENGTH || bytes.indexOf('\r\n\r\n') > MAX_HEAD_LENGTH,
    isBodyless: draft.method === 'HEAD',
  }
}

/** Values in paths that are no ids. */
const pathValues: Record<string, readonly string[]> = {
  '{name}': ['party', 'parrot'],
  '{item}': ['0', '1'],
}

function plain(operation: Documented, { token }: Caller, known: Known, random: Random): Draft {
  const words = operation.path.split('/')
  const noun = words.findLast((word) => !word.startsWith('{'))!
  const slot = { operation: operation.name, noun }
  // A member who leaves a private channel no longer sees it.
  const takesAway = operation.method === 'DELETE' || operation.name === 'channels.update'
  // From the end of the path: a nested record is requested under its parent.
  let inside: string | undefined
  const path = words.toReversed().map((word, fromEnd) => {
    if (!word.startsWith('{')) return word
    const value = pathValues[word]
    if (value) return encodeURIComponent(random.pick(value))
    const at = words.length - 1 - fromEnd
    const place = operation.name === 'posts.getResolution' && random.below(4) > 0 ? RESOLVED : words[at - 1]!
    const isTaken = takesAway && (inside === undefined || place === 'channels')
    const ids = isTaken ? known.spareIds(place) : known.ids(place)
    const one = random.below(2 ** 30)
    const parent = inside && random.below(4) > 0 ? known.parentOf(words[at - 1]!, inside) : undefined
    inside = parent ?? (ids.length > 0 ? ids[one % ids.length]! : `none_${one}`)
    return encodeURIComponent(inside)
  })
  const query = operation.query
    .filter(() => random.below(3) === 0)
    .map(({ name, schema }): [string, string] => [name, String(validValue(schema, { ...slot, name }, known, random))])
  const headers: [string, string][] = [['Authorization', `Bearer ${token}`]]
  if (operation.body) headers.push(['Content-Type', 'application/json'])
  if (operation.fileType) headers.push(['Content-Type', 'image/png'])
  if (operation.takesKey && random.below(3) === 0) headers.push(['Idempotency-Key', `key-${random.below(300)}`])
  return {
    method: operation.method,
    path: path.toReversed().join('/'),
    query,
    headers,
    body: operation.fileType
      ? PICTURE
      : operation.body && toJson(validValue(operation.body, { ...slot, name: '' }, known, random)),
    isChunked: false,
    matchesOperation: true,
    isInvalid: false,
  }
}

/** Whether the document allows the body. Null counts as absent. */
function isValidBody({ body, headers }: Draft, operation: Documented): boolean {
  if (!operation.isValidBody) return true
  if (body === undefined || body.length === 0) return operation.isValidBody.Check({})
  if (!JSON_TYPE.test(headers.find(([name]) => name === 'Content-Type')?.[1] ?? '')) return false
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body)))
    if (typeof value === 'object' && value !== null)
      for (const name of Object.keys(value)) if (value[name] === null) delete value[name]
    return operation.isValidBody.Check(value)
  } catch {
    return false
  }
}

function isValidQuery({ query }: Draft, operation: Documented): boolean {
  const isOnce = ([name]: [string, string]) =>
    isList(operation, name) || query.filter((each) => each[0] === name && each[1] !== '').length < 2
  return query.every((each) => isOnce(each) && isValid(operation, ...each))
}

const isList = ({ query }: Documented, name: string) =>
  query.find((each) => each.name === name)?.schema.type === 'array'

/** Whether the document allows a query parameter. An empty value counts as absent. */
function isValid(operation: Documented, name: string, value: string): boolean {
  const parameter = operation.query.find((each) => each.name === name)
  if (!parameter) return false
  const {
    type,
    items,
    enum: words,
    minimum = 0,
    maximum = Number.POSITIVE_INFINITY,
    maxLength = 1e9,
  } = parameter.schema as Schema
  if (value === '') return true
  if (type === 'integer') return /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
  if (type === 'boolean') return ['true', 'false'].includes(value)
  if (type === 'array') return value.split(',').every((word) => isValidItem(items!, word))
  return words ? words.includes(value) : [...value].length <= maxLength
}

/** Whether the document allows an element of a list. An empty one counts as absent. */
const isValidItem = ({ enum: words, maxLength = 1e9 }: Schema, word: string) =>
  words ? words.includes(word) : [...word].length <= maxLength

const encodeQuery = (text: string) => percentEncode(text).replaceAll('%20', '+')

function bytesOf({ method, path, query, headers, body, isChunked }: Draft): Buffer {
  const search = query.map(([name, value]) => `${encodeQuery(name)}=${encodeQuery(value)}`).join('&')
  const content = body === undefined ? undefined : Buffer.from(body)
  const lines = [
    `${method} ${path}${search && (path.includes('?') ? '&' : '?')}${search} HTTP/1.1`,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content ? [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${content.length}`] : []),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return content ? Buffer.concat([head, isChunked ? toChunks(content) : content]) : head
}

function toChunks(content: Buffer): Buffer {
  const size = Math.max(1, Math.ceil(content.length / 3))
  const pieces: Buffer[] = []
  for (let at = 0; at < content.length; at += size) {
    const piece = content.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}
