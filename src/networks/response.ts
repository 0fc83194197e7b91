import { type Incoming, type Reading, readExactly, readLine, readUpTo } from './byte-reader'
import { DeliveryError } from './delivery-error'

export interface ReceiverResponse {
  status: number
  /** Names in lower case; values of a repeated header are joined by commas. */
  headers: Record<string, string>
  body: string
}

const MAX_HEAD_BYTES = 32 * 1024
const MAX_CHUNK_LINE_BYTES = 1024
const MAX_INTERIM_RESPONSES = 10

/** A response whose body is kept as it is. */
export interface RawResponse extends Pick<ReceiverResponse, 'status' | 'headers'> {
  bytes: Buffer
}

/** Reads an HTTP/1.1 response whose body is text, at most `maxBytes` of it. */
export function* readResponse(maxBytes: number): Reading<ReceiverResponse> {
  const { bytes, ...head } = yield* readRawResponse(maxBytes)
  return { ...head, body: textOf(bytes) }
}

/** Reads an HTTP/1.1 response, with at most `maxBytes` of its body. */
export function* readRawResponse(maxBytes: number): Reading<RawResponse> {
  const incoming = { bytes: Buffer.alloc(0) }
  for (let interim = 0; interim <= MAX_INTERIM_RESPONSES; interim++) {
    const head = yield* readHead(incoming)
    if (head.status === 101) throw malformed('it switches to another protocol')
    if (head.status >= 200) return { ...head, bytes: yield* readBody(incoming, head, maxBytes) }
  }
  throw malformed('it has too many interim responses')
}

type Head = Pick<ReceiverResponse, 'status' | 'headers'>

function* readHead(incoming: Incoming): Reading<Head> {
  let room = MAX_HEAD_BYTES
  const nextLine = function* (): Reading<string> {
    const line = yield* readLine(incoming, room, malformed('its headers are too long'))
    room -= line.length
    return line.replace(/\r?\n$/, '')
  }

  const status = statusOf(yield* nextLine())
  const headers = new Map<string, string>()
  for (let line = yield* nextLine(); line !== ''; line = yield* nextLine()) {
    const [name, value] = headerOf(line)
    const former = headers.get(name)
    headers.set(name, former === undefined ? value : `${former}, ${value}`)
  }
  return { status, headers: Object.fromEntries(headers) }
}

function statusOf(line: string): number {
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\x00-\x08\x0a-\x1f\x7f]*)?$/.exec(line)?.[1]
  if (!status) throw malformed('it does not start with an HTTP/1.1 status line')
  return Number(status)
}

function headerOf(line: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):([^\x00-\x08\x0a-\x1f\x7f]*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw malformed('one of its headers is malformed')
  return [name.toLowerCase(), value.trim()]
}

function* readBody(incoming: Incoming, { status, headers }: Head, maxBytes: number): Reading<Buffer> {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (status === 204 || status === 304) return Buffer.alloc(0)
  if (coding !== undefined && /(^|[,\s])chunked$/i.test(coding)) return yield* readChunks(incoming, maxBytes)
  if (coding !== undefined || length === undefined) return yield* readUpTo(incoming, maxBytes)
  return yield* readExactly(incoming, Math.min(lengthOf(length), maxBytes))
}

function lengthOf(header: string): number {
  const lengths = new Set(header.split(',').map((length) => length.trim()))
  const [length] = lengths
  if (lengths.size !== 1 || !/^\d{1,15}$/.test(length!)) throw malformed('its Content-Length is malformed')
  return Number(length)
}

/** Stops at `maxBytes` or at the last chunk; trailers are not read. */
function* readChunks(incoming: Incoming, maxBytes: number): Reading<Buffer> {
  const parts: Buffer[] = []
  let room = maxBytes
  while (room > 0) {
    const size = chunkSizeOf(yield* readLine(incoming, MAX_CHUNK_LINE_BYTES, badChunk()))
    if (size === 0) break
    parts.push(yield* readExactly(incoming, Math.min(size, room)))
    room -= size
    if (room > 0 && !/^\r?\n$/.test(yield* readLine(incoming, 2, badChunk()))) throw badChunk()
  }
  return Buffer.concat(parts)
}

function chunkSizeOf(line: string): number {
  const size = /^([\da-f]{1,12})[ \t]*(?:;[^\x00-\x08\x0a-\x1f\x7f]*)?\r?\n$/i.exec(line)?.[1]
  if (!size) throw badChunk()
  return Number.parseInt(size, 16)
}

/** Drops an incomplete character at the end. PostgreSQL cannot store NUL. */
const textOf = (bytes: Buffer) => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')

const malformed = (what: string) =>
  new DeliveryError('malformed_answer', `The response is not valid HTTP/1.1: ${what}.`)

const badChunk = () => malformed('one of its chunks is malformed')
