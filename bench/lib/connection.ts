import type { Socket } from 'bun'

/**
 * One keep-alive connection with the least HTTP/1.1 needs: a request is written as it is, a response is read by its
 * Content-Length, or up to the last chunk. `fetch` would use more CPU time than the servers it measures.
 */
export interface Connection {
  send(request: Buffer): void
  close(): void
}

const HEAD_END = Buffer.from('\r\n\r\n')
/** As Bun writes it. */
const LENGTH = Buffer.from('\r\nContent-Length: ')
const CHUNKED = Buffer.from('\r\nTransfer-Encoding: chunked')
/** JSON holds no line breaks: nothing else looks like it. */
const LAST_CHUNK = '0\r\n\r\n'
const STATUS_AT = 'HTTP/1.1 '.length
const ZERO = 48

export async function connect(
  port: number,
  onAnswer: (status: number) => void,
  onBroken: (why: string) => void,
  /** Responses to HEAD have a Content-Length and no body. */
  isHead = false,
): Promise<Connection> {
  let head: Buffer | undefined
  let missing = 0
  let status = 0
  let isClosed = false
  /** The end of what has come of an answer in chunks. */
  let tail: string | undefined

  function takeChunk(chunk: Buffer) {
    tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length)
    if (tail !== LAST_CHUNK) return
    tail = undefined
    onAnswer(status)
  }

  function take(chunk: Buffer) {
    if (tail !== undefined) return takeChunk(chunk)
    let rest = chunk
    if (missing === 0) {
      const seen = head ? Buffer.concat([head, chunk]) : chunk
      const end = seen.indexOf(HEAD_END)
      if (end < 0) {
        head = Buffer.from(seen)
        return
      }
      head = undefined
      status = numberAt(seen, STATUS_AT)
      missing = isHead ? 0 : lengthOf(seen, end)
      rest = seen.subarray(end + 4)
      if (isIn(seen, end, CHUNKED)) {
        tail = ''
        return takeChunk(rest)
      }
    }
    missing -= rest.length
    if (missing < 0) onBroken('A response was longer than its Content-Length.')
    if (missing === 0) onAnswer(status)
  }

  const socket: Socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      binaryType: 'buffer',
      data: (_, chunk) => take(chunk),
      error: (_, error) => onBroken(String(error)),
      close: () => {
        if (!isClosed) onBroken('The server closed the connection.')
      },
    },
  })
  return {
    send: (request) => {
      if (socket.write(request) !== request.length) onBroken('A request did not fit into the socket.')
    },
    close: () => {
      isClosed = true
      socket.end()
    },
  }
}

function isIn(answer: Buffer, end: number, header: Buffer): boolean {
  const at = answer.indexOf(header)
  return at >= 0 && at < end
}

/** By the bytes: making text of each head would take as long as all the rest. */
function lengthOf(answer: Buffer, end: number): number {
  const at = answer.indexOf(LENGTH)
  return at < 0 || at > end ? 0 : numberAt(answer, at + LENGTH.length)
}

function numberAt(bytes: Buffer, from: number): number {
  let number = 0
  for (let at = from; bytes[at]! >= ZERO && bytes[at]! <= ZERO + 9; at++) number = number * 10 + bytes[at]! - ZERO
  return number
}
