import { DeliveryError } from './delivery-error'
import { type Incoming, type Reading, readExactly, readLine, readUpTo } from './incoming'

export interface Answer {
  status: number
  /** Names in lower case; values of a repeated header are joined by commas. */
  headers: Record<string, string>
  body: string
}

const MOST_HEAD_BYTES = 32 * 1024
const MOST_CHUNK_LINE_BYTES = 1024
const MOST_INTERIM_ANSWERS = 10

/** An HTTP/1.1 answer to a POST, with at most `mostBytes` of its body. */
export function* readAnswer(mostBytes: number): Reading<Answer> {
  const incoming = { bytes: Buffer.alloc(0) }
  for (let interim = 0; interim <= MOST_INTERIM_ANSWERS; interim++) {
    const head = yield* readHead(incoming)
    if (head.status === 101) throw malformed('it switches to another protocol')
    if (head.status >= 200) return { ...head, body: textOf(yield* readBody(incoming, head, mostBytes)) }
  }
  throw malformed('it has too many interim answers')
}

type Head = Pick<Answer, 'status' | 'headers'>

function* readHead(incoming: Incoming): Reading<Head> {
  let room = MOST_HEAD_BYTES
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
  if (!status) throw malformed('it does not begin with an HTTP/1.1 status')
  return Number(status)
}

function headerOf(line: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):([^\x00-\x08\x0a-\x1f\x7f]*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw malformed('one of its headers makes no sense')
  return [name.toLowerCase(), value.trim()]
}

function* readBody(incoming: Incoming, { status, headers }: Head, mostBytes: number): Reading<Buffer> {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (status === 204 || status === 304) return Buffer.alloc(0)
  if (coding !== undefined && /(^|[,\s])chunked$/i.test(coding)) return yield* readChunks(incoming, mostBytes)
  if (coding !== undefined || length === undefined) return yield* readUpTo(incoming, mostBytes)
  return yield* readExactly(incoming, Math.min(lengthOf(length), mostBytes))
}

function lengthOf(header: string): number {
  const lengths = new Set(header.split(',').map((length) => length.trim()))
  const [length] = lengths
  if (lengths.size !== 1 || !/^\d{1,15}$/.test(length!)) throw malformed('its Content-Length makes no sense')
  return Number(length)
}

/** Stops at `mostBytes` or at the last chunk; what follows it (trailers) is of no use here. */
function* readChunks(incoming: Incoming, mostBytes: number): Reading<Buffer> {
  const parts: Buffer[] = []
  let room = mostBytes
  while (room > 0) {
    const size = chunkSizeOf(yield* readLine(incoming, MOST_CHUNK_LINE_BYTES, badChunk()))
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

/** A character that is cut in two at the end is left out. PostgreSQL cannot keep a NUL. */
const textOf = (bytes: Buffer) => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')

const malformed = (what: string) => new DeliveryError('malformed_answer', `The answer is not proper HTTP/1.1: ${what}.`)

const badChunk = () => malformed('one of its chunks makes no sense')
