import { Problem } from '../contract/errors'

export const BODY_LIMIT = 1024 * 1024
/**
 * So much of a body that is too large is still read, and dropped, before it is refused. Clients and proxies that send it meanwhile
 * would find their connection closed, and never see the response: Caddy answered 502.
 */
const DROPPED_BYTES = 8 * BODY_LIMIT

/** How slowly a body may arrive, and how much memory all unfinished bodies may take together. */
export interface BodyLimits {
  /**
   * Time is counted in ticks of a timer, not by the clock: a server that is too busy to read does not blame its clients.
   */
  tickMs: number
  /** For a whole body. */
  deadlineTicks: number
  /** In each window so many bytes must arrive, or the end of the body. */
  windowTicks: number
  bytesPerWindow: number
  /** For all unfinished bodies of this process. */
  totalBytes: number
}

const LIMITS: BodyLimits = {
  tickMs: 1_000,
  deadlineTicks: 30,
  windowTicks: 10,
  bytesPerWindow: 10 * 1024,
  totalBytes: 64 * 1024 * 1024,
}

export interface Bodies {
  /** The bytes of a body, up to `maxBytes`. */
  read(request: Request, maxBytes?: number): Promise<Uint8Array>
  /**
   * Starts to read the body of a request that waits in a queue. Otherwise Bun would keep up to 1 MiB of each in memory of
   * its own that is not counted here. Returns a function that drops the body, unless `read` has returned it.
   */
  hold(request: Request): () => void
  /** How many bytes of unfinished bodies are in memory. */
  heldBytes(): number
}

/** A body that is not complete, or not returned by `read` yet. */
interface Upload {
  size: number
  isComplete: boolean
  ticks: number
  windowTicks: number
  windowBytes: number
  bytes: Promise<Uint8Array>
  /** Aborts it. */
  stop(problem: Problem): void
}

/** Reads request bodies. Slow ones are refused; if all together take too much memory, the oldest is aborted. */
export function openBodies(limits: BodyLimits = LIMITS): Bodies {
  /** Oldest first. */
  const uploads = new Set<Upload>()
  const held = new WeakMap<Request, Upload>()
  let total = 0
  let timer: Timer | undefined

  function start(request: Request, maxBytes: number): Upload {
    const upload = newUpload()
    uploads.add(upload)
    timer ??= setInterval(tick, limits.tickMs)
    const declared = declaredLength(request)
    const isSmall = declared !== undefined && declared <= Math.min(limits.bytesPerWindow, maxBytes)
    upload.bytes = isSmall ? receiveWhole(upload, request, declared) : receive(upload, request.body!, maxBytes)
    return upload
  }

  /** Half the cost for small bodies, which must be complete within their first window. */
  function receiveWhole(upload: Upload, request: Request, size: number): Promise<Uint8Array> {
    const stopped = Promise.withResolvers<never>()
    upload.stop = (problem) => {
      end(upload)
      stopped.reject(problem)
    }
    reserve(upload, size)
    return Promise.race([request.bytes(), stopped.promise])
  }

  async function receive(upload: Upload, body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
    const reader = body.getReader()
    const chunks: Uint8Array[] = []
    let failure: Problem | undefined
    let droppedBytes = 0
    upload.stop = (problem) => {
      failure = problem
      freeMemory(chunks)
      end(upload)
      if (upload.isComplete) upload.bytes = rejected(problem)
      else void reader.cancel().catch(() => {})
    }
    for (;;) {
      const { done, value } = await reader.read()
      if (failure) throw failure
      if (done) break
      upload.windowBytes += value.length
      if (droppedBytes > 0 || upload.size + value.length > maxBytes) {
        freeMemory(chunks)
        reserve(upload, -upload.size)
        droppedBytes += value.length
        if (droppedBytes > DROPPED_BYTES) upload.stop(tooLarge(maxBytes))
      } else {
        chunks.push(value)
        reserve(upload, value.length)
      }
      if (failure) throw failure
    }
    if (droppedBytes > 0) throw tooLarge(maxBytes)
    upload.isComplete = true
    const whole = chunks.length === 1 ? chunks.pop()! : Buffer.concat(chunks)
    freeMemory(chunks)
    return whole
  }

  function reserve(upload: Upload, bytes: number) {
    upload.size += bytes
    total += bytes
    while (total > limits.totalBytes) uploads.values().next().value!.stop(evicted())
  }

  function end(upload: Upload) {
    if (uploads.delete(upload)) total -= upload.size
  }

  function tick() {
    if (uploads.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    for (const upload of uploads) if (!upload.isComplete && isTooSlow(upload, limits)) upload.stop(tooSlow())
  }

  return {
    async read(request, maxBytes = BODY_LIMIT) {
      const declared = declaredLength(request)
      if (declared !== undefined && declared > maxBytes + DROPPED_BYTES) throw tooLarge(maxBytes)
      if (declared === 0 || (declared === undefined && !request.body)) return new Uint8Array()
      const upload = held.get(request) ?? start(request, maxBytes)
      held.delete(request)
      try {
        const bytes = await upload.bytes
        if (bytes.length > maxBytes) throw tooLarge(maxBytes)
        return bytes
      } catch (error) {
        if ((error as Error).name !== 'AbortError') throw error
        throw new Problem('malformed_request', 'The connection ended before the request body was complete.')
      } finally {
        end(upload)
      }
    },
    hold(request) {
      const declared = declaredLength(request)
      if ((declared !== undefined && declared <= limits.bytesPerWindow) || !request.body) return () => {}
      const upload = start(request, BODY_LIMIT)
      upload.bytes.catch(() => {})
      held.set(request, upload)
      return () => {
        if (held.delete(request)) upload.stop(tooSlow())
      }
    },
    heldBytes: () => total,
  }
}

const newUpload = (): Upload => ({
  size: 0,
  isComplete: false,
  ticks: 0,
  windowTicks: 0,
  windowBytes: 0,
  bytes: Promise.resolve(new Uint8Array()),
  stop() {},
})

/** Frees memory at once: by the time the garbage collector runs, a flood of requests has sent several times as much. */
function freeMemory(chunks: Uint8Array[]) {
  for (const { buffer } of chunks.splice(0)) (buffer as ArrayBuffer).transfer(0)
}

/** A rejected promise that may stay unhandled. */
function rejected(problem: Problem): Promise<never> {
  const promise = Promise.reject(problem)
  promise.catch(() => {})
  return promise
}

/** Counts one more tick, and says whether the body is too slow now. */
function isTooSlow(upload: Upload, { deadlineTicks, windowTicks, bytesPerWindow }: BodyLimits): boolean {
  upload.ticks += 1
  upload.windowTicks += 1
  if (upload.ticks >= deadlineTicks) return true
  if (upload.windowTicks < windowTicks) return false
  if (upload.windowBytes < bytesPerWindow) return true
  upload.windowTicks = 0
  upload.windowBytes = 0
  return false
}

export function declaredLength(request: Request): number | undefined {
  const length = request.headers.get('content-length')
  return length === null ? undefined : Number(length)
}

/** The parsed JSON body of a request; undefined if it has no body. */
export async function readJson(bodies: Bodies, request: Request, maxBytes?: number): Promise<unknown> {
  const bytes = await bodies.read(request, maxBytes)
  if (bytes.length === 0) return undefined
  requireJson(request.headers.get('content-type'))
  return parse(decodeBody(bytes))
}

function requireJson(contentType: string | null) {
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  if (type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return
  throw new Problem('unsupported_media_type', 'Send the body as JSON in UTF-8, with `Content-Type: application/json`.')
}

export function decodeBody(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('malformed_request', 'The request body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_json', `The request body is not valid JSON: ${reasonOf(error as Error)}.`)
  }
}

/** Without the text it quotes, which may be part of a password. */
const reasonOf = ({ message }: Error) => message.replace(/^JSON Parse error: /, '').replace(/ ".*"/s, '')

const MIB = 1024 * 1024
/** The rest of the body will not be read. */
const CLOSE = { Connection: 'close' }

const tooLarge = (maxBytes: number) =>
  new Problem(
    'payload_too_large',
    `The request body must be at most ${maxBytes} bytes (${sizeName(maxBytes)}).`,
    undefined,
    CLOSE,
  )

const sizeName = (bytes: number) => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`)

export const tooSlow = () =>
  new Problem(
    'request_timeout',
    'The request body took too long to arrive. Nothing was changed; try again over a faster connection.',
    undefined,
    CLOSE,
  )

const evicted = () =>
  new Problem(
    'unavailable',
    'The server is receiving too many request bodies at once, and gave up on the slowest. Nothing was changed; try again.',
    undefined,
    { ...CLOSE, 'Retry-After': '1' },
  )
