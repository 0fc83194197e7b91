/** A parsed HTTP response. */
export interface RawResponse {
  status: number
  headers: Map<string, string>
  body: string
}

export interface Exchange {
  answers: RawResponse[]
  /** Whether the server closed the connection. */
  isClosed: boolean
}

const PATIENCE_MS = 60_000

/** A connection that sends any bytes and reads the responses in order. */
export type Wire = Awaited<ReturnType<typeof openWire>>

export async function openWire(port: number) {
  let received = Buffer.alloc(0)
  let isClosed = false
  let unsent: Uint8Array = new Uint8Array()
  let wake = () => {}
  const closed = () => {
    isClosed = true
    wake()
  }
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, bytes) {
        received = received.length === 0 ? Buffer.from(bytes) : Buffer.concat([received, bytes])
        wake()
      },
      drain: flush,
      close: closed,
      end: closed,
      error: closed,
    },
  })

  function flush() {
    if (unsent.length > 0 && !isClosed) unsent = unsent.subarray(Math.max(0, socket.write(unsent)))
  }

  function send(bytes: Uint8Array) {
    unsent = unsent.length === 0 ? bytes : Buffer.concat([unsent, bytes])
    flush()
  }

  async function next(isBodyless: boolean): Promise<RawResponse | undefined> {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const answer = parseResponse(received, isBodyless, isClosed)
      if (answer) {
        received = received.subarray(answer.end)
        return answer.response
      }
      if (isClosed) return undefined
      if (performance.now() > deadline) throw new Error(`No answer within ${PATIENCE_MS} ms.`)
      const news = Promise.withResolvers<void>()
      const timer = setTimeout(news.resolve, PATIENCE_MS)
      wake = news.resolve
      await news.promise
      clearTimeout(timer)
    }
  }

  return {
    isOpen: () => !isClosed,
    /** Sends all bytes, then reads one response for each request. `bodyless` says which responses have no body. */
    async ask(bytes: Uint8Array, bodyless: readonly boolean[]): Promise<Exchange> {
      send(bytes)
      const answers: RawResponse[] = []
      for (const isBodyless of bodyless) {
        const response = await next(isBodyless)
        if (!response) break
        answers.push(response)
      }
      return { answers, isClosed }
    },
    /** Sends the bytes, and reads all responses until the connection is closed. */
    async sendAndClose(bytes: Uint8Array): Promise<Exchange> {
      send(bytes)
      const answers: RawResponse[] = []
      // An incomplete request gets no response, so stop waiting after a moment.
      const giveUp = setTimeout(() => socket.terminate(), 50 + bytes.length / 1000)
      for (let response = await next(false); response; response = await next(false)) answers.push(response)
      clearTimeout(giveUp)
      return { answers, isClosed: true }
    },
    close() {
      closed()
      socket.terminate()
    },
  }
}

/** Parses the first response; undefined if it is incomplete. */
function parseResponse(
  bytes: Buffer,
  isBodyless: boolean,
  isClosed: boolean,
): { response: RawResponse; end: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [first, ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(first!.match(/^HTTP\/1\.1 (\d{3})( |$)/)?.[1])
  if (!status) throw new Error(`This is no answer: ${first}`)
  const start = headEnd + 4
  if (status < 200) return skipInterim(bytes, start, isBodyless, isClosed)

  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const isStream = headers.get('content-type') === 'text/event-stream'
  const isEmpty = isBodyless || isStream || status === 204 || status === 304
  const body = isEmpty ? { bytes: Buffer.alloc(0), end: start } : parseBody(bytes, start, headers, isClosed)
  return (
    body && { response: { status, headers, body: decode(body.bytes, headers.get('content-encoding')) }, end: body.end }
  )
}

/** Skips an interim response such as `100 Continue`. */
function skipInterim(bytes: Buffer, start: number, isBodyless: boolean, isClosed: boolean) {
  const answer = parseResponse(bytes.subarray(start), isBodyless, isClosed)
  return answer && { ...answer, end: answer.end + start }
}

/** The text of a body, whatever it is compressed with. */
function decode(body: Buffer, coding: string | undefined): string {
  const plain =
    coding === 'zstd'
      ? Bun.zstdDecompressSync(new Uint8Array(body))
      : coding === 'gzip'
        ? Bun.gunzipSync(new Uint8Array(body))
        : body
  return Buffer.from(plain).toString('utf8')
}

function parseBody(bytes: Buffer, start: number, headers: Map<string, string>, isClosed: boolean) {
  const length = headers.get('content-length')
  if (length !== undefined) {
    const end = start + Number(length)
    return bytes.length < end ? undefined : { bytes: bytes.subarray(start, end), end }
  }
  if (headers.get('transfer-encoding') !== 'chunked')
    return isClosed || headers.get('connection') === 'close'
      ? { bytes: bytes.subarray(start), end: bytes.length }
      : undefined
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (bytes.length < lineEnd + 4 + size) return undefined
    if (size === 0) return { bytes: Buffer.concat(chunks), end: lineEnd + 4 }
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 4 + size
  }
}
