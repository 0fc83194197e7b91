import { Problem } from '../contract/errors'

export const BODY_LIMIT = 1024 * 1024

/** How slowly a body may arrive, and how much memory all that are not complete may take together. */
export interface BodyLimits {
  /**
   * Time is counted in ticks of a timer, not by the clock: while the server is too busy to read, time stands still for
   * those who send.
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
  /** The bytes of a body, `most` at most. */
  read(request: Request, most?: number): Promise<Uint8Array>
  /**
   * Reads the body of a request that has to wait before anyone asks for it. Otherwise Bun keeps up to 1 MiB of each in
   * memory of its own, which nobody counts. The function that is returned drops what was not asked for.
   */
  hold(request: Request): () => void
  /** How many bytes are held now. */
  heldBytes(): number
}

/** A body that is not complete yet, or that nobody has asked for yet. */
interface Upload {
  size: number
  isComplete: boolean
  ticks: number
  windowTicks: number
  windowBytes: number
  bytes: Promise<Uint8Array>
  /** Gives it up. */
  stop(problem: Problem): void
}

/** Reads bodies. Slow ones are refused; when all together take too much memory, the oldest is given up for the newer ones. */
export function openBodies(limits: BodyLimits = LIMITS): Bodies {
  /** The oldest first. */
  const uploads = new Set<Upload>()
  const held = new WeakMap<Request, Upload>()
  let total = 0
  let timer: Timer | undefined

  function start(request: Request, most: number): Upload {
    const upload = newUpload()
    uploads.add(upload)
    timer ??= setInterval(tick, limits.tickMs)
    const declared = declaredLength(request)
    const isSmall = declared !== undefined && declared <= limits.bytesPerWindow
    upload.bytes = isSmall ? receiveWhole(upload, request, declared) : receive(upload, request.body!, most)
    return upload
  }

  /** A small body that is there already costs half as much this way. It is complete within its first window, or too slow. */
  function receiveWhole(upload: Upload, request: Request, size: number): Promise<Uint8Array> {
    const stopped = Promise.withResolvers<never>()
    upload.stop = (problem) => {
      end(upload)
      stopped.reject(problem)
    }
    reserve(upload, size)
    return Promise.race([request.bytes(), stopped.promise])
  }

  async function receive(upload: Upload, body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
    const reader = body.getReader()
    const chunks: Uint8Array[] = []
    let failure: Problem | undefined
    upload.stop = (problem) => {
      failure = problem
      free(chunks)
      end(upload)
      if (upload.isComplete) upload.bytes = rejected(problem)
      else void reader.cancel().catch(() => {})
    }
    for (;;) {
      const { done, value } = await reader.read()
      if (failure) throw failure
      if (done) break
      if (upload.size + value.length > most) upload.stop(tooLarge(most))
      else {
        chunks.push(value)
        upload.windowBytes += value.length
        reserve(upload, value.length)
      }
      if (failure) throw failure
    }
    upload.isComplete = true
    const whole = chunks.length === 1 ? chunks.pop()! : Buffer.concat(chunks)
    free(chunks)
    return whole
  }

  function reserve(upload: Upload, bytes: number) {
    upload.size += bytes
    total += bytes
    while (total > limits.totalBytes) uploads.values().next().value!.stop(crowdedOut())
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
    async read(request, most = BODY_LIMIT) {
      const declared = declaredLength(request)
      if (declared !== undefined && declared > most) throw tooLarge(most)
      if (declared === 0 || (declared === undefined && !request.body)) return new Uint8Array()
      const upload = held.get(request) ?? start(request, most)
      held.delete(request)
      try {
        return await upload.bytes
      } catch (error) {
        if ((error as Error).name !== 'AbortError') throw error
        throw new Problem('malformed_request', 'The body ended before it was complete.')
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

/** Gives the memory back at once: by the time it is collected as garbage, a flood has sent several times as much. */
function free(chunks: Uint8Array[]) {
  for (const { buffer } of chunks.splice(0)) (buffer as ArrayBuffer).transfer(0)
}

/** An error for whoever asks, if anyone does. */
function rejected(problem: Problem): Promise<never> {
  const promise = Promise.reject(problem)
  promise.catch(() => {})
  return promise
}

/** Counts one more tick. */
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

function declaredLength(request: Request): number | undefined {
  const length = request.headers.get('content-length')
  return length === null ? undefined : Number(length)
}

/** Whatever else the client sends is not wanted. */
const CLOSE = { Connection: 'close' }

const tooLarge = (most: number) =>
  new Problem('payload_too_large', `The body may have at most ${most} bytes (${sizeName(most)}).`, undefined, CLOSE)

const sizeName = (bytes: number) => (bytes < BODY_LIMIT ? `${bytes / 1024} KiB` : `${bytes / BODY_LIMIT} MiB`)

const tooSlow = () =>
  new Problem(
    'request_timeout',
    'The body took too long to arrive. Nothing was changed; send the request again over a faster connection.',
    undefined,
    CLOSE,
  )

const crowdedOut = () =>
  new Problem(
    'unavailable',
    'Too many bodies are being received at once, and this one had taken longest. Nothing was changed; try again.',
    undefined,
    { ...CLOSE, 'Retry-After': '1' },
  )
