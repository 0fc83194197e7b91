import { StorageSilent, StorageUnavailable, type StoredObject } from './storage'

export interface S3Settings {
  bucket: string
  /** The prefix of all object names, without a slash at its end. */
  prefix: string
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  /** How long an operation may wait while nothing is sent or received, in all its attempts together. */
  timeoutMs?: number
}

type Method = 'GET' | 'PUT' | 'DELETE'
export type Init = Pick<RequestInit, 'body' | 'headers' | 'signal'>

const SIGNATURE_SECONDS = 3_600
const DELAYS_MS = [100, 500]

/**
 * Requests to the storage. They are signed by Bun's S3 client but sent with `fetch`, because the client supports neither time limits
 * nor cancellation.
 */
export function openRequests({ prefix: _, timeoutMs: __, ...options }: S3Settings) {
  const client = new Bun.S3Client({ ...options, virtualHostedStyle: false } as Bun.S3Options)
  const request = (method: Method, key: string, init: Init): Promise<Response> =>
    fetch(client.presign(key, { method, expiresIn: SIGNATURE_SECONDS }), { ...init, method, redirect: 'manual' })
  return { client, request }
}

/** An error after which trying again may help. */
class Transient extends StorageUnavailable {}

/** Explains a response that is not a success. Its body names the reason and contains no secrets, unlike the URL. */
export async function hasFailed(response: Response): Promise<StorageUnavailable> {
  const text = await response.text().catch(() => '')
  const code = text.slice(0, 10_000).match(/<Code>(\w{1,64})<\/Code>/)?.[1]
  const reason = `it answers with ${response.status}${code ? ` ${code}` : ''}`
  const isTransient = response.status >= 500 || [408, 425, 429].includes(response.status)
  return isTransient
    ? unavailable(reason)
    : new StorageUnavailable(`The file storage (S3) is not available: ${reason}.`)
}

const unavailable = (reason: string) => new Transient(`The file storage (S3) is not available: ${reason}.`)

/** Connection errors, without their details, which contain the signed URL. */
export function toUnavailable(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error
  const { name, code } = error as { name?: string; code?: unknown }
  if (name === 'TimeoutError' || name === 'AbortError')
    return new StorageSilent('The file storage (S3) is not available: it takes too long.')
  return unavailable(typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'the connection failed')
}

export type Deadline = ReturnType<typeof openDeadline>

/**
 * Limits how long an operation waits while nothing happens, not how long it takes: a large file may take long, but a storage that
 * hangs is given up soon.
 */
export function openDeadline(timeoutMs: number) {
  let allowed = timeoutMs
  let since = performance.now()
  const leftMs = () => allowed - (performance.now() - since)
  return {
    leftMs,
    /** Something was sent or received. */
    noteProgress() {
      since = performance.now()
    },
    /** An attempt has failed. The time for which it waited is not given to the next one. */
    noteFailure() {
      allowed = leftMs()
      since = performance.now()
    },
    /** Aborts a request when the deadline is over. Returns the function that stops watching it. */
    watch(controller: AbortController): () => void {
      let timer: ReturnType<typeof setTimeout> | undefined
      const check = () => {
        if (leftMs() <= 0) controller.abort()
        else timer = setTimeout(check, leftMs())
      }
      check()
      return () => clearTimeout(timer)
    },
  }
}

/** Runs a request up to three times, while the deadline is not over. Every failure becomes `StorageUnavailable`. */
export async function withRetries<T>(
  deadline: Deadline,
  work: (controller: AbortController) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const controller = new AbortController()
    const unwatch = deadline.watch(controller)
    try {
      return await work(controller)
    } catch (error) {
      deadline.noteFailure()
      const failure = toUnavailable(error)
      const delay = (DELAYS_MS[attempt] ?? 0) * (0.5 + Math.random())
      if (!(failure instanceof Transient) || attempt >= DELAYS_MS.length || deadline.leftMs() <= delay) throw failure
      await Bun.sleep(delay)
    } finally {
      unwatch()
    }
  }
}

/** How long a response is kept open while nobody reads it. */
const UNREAD_MS = 30_000
const MAX_RESUMES = 3

type Get = (init: Init) => Promise<Response>
interface Range {
  start: number
  end: number
}

/** Requests an object. If the connection breaks while it is read, the rest is requested again. */
export async function readS3Object(get: Get, timeoutMs: number, range?: Range): Promise<StoredObject | undefined> {
  // An empty range cannot be requested, so the first byte is requested to get the size.
  const isEmpty = range !== undefined && range.end <= range.start
  const first = await open(get, openDeadline(timeoutMs), isEmpty ? { start: 0, end: 1 } : range)
  if (!first) return undefined
  const { size } = first
  const unread = setTimeout(() => first.controller.abort(), UNREAD_MS)
  const cancel = () => {
    clearTimeout(unread)
    first.controller.abort()
  }
  if (isEmpty || size === 0) cancel()
  return {
    size,
    stream() {
      clearTimeout(unread)
      const end = Math.min(range?.end ?? size, size)
      return toStream(get, timeoutMs, first, { start: range?.start ?? 0, end })
    },
    cancel,
  }
}

interface Opened {
  size: number
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  controller: AbortController
}

const open = (get: Get, deadline: Deadline, range: Range | undefined): Promise<Opened | undefined> =>
  withRetries(deadline, async (controller) => {
    const headers = range ? { Range: `bytes=${range.start}-${range.end - 1}` } : undefined
    const response = await get({ signal: controller.signal, ...(headers && { headers }) })
    if (response.status === 404) {
      const failure = await hasFailed(response)
      if (failure.message.includes('NoSuchBucket')) throw failure
      return undefined
    }
    // An empty object does not have any range.
    if (response.status === 416) return { size: sizeOf(response) ?? 0, reader: undefined, controller }
    if (!response.ok) throw await hasFailed(response)
    const size = sizeOf(response)
    if (size === undefined) throw new StorageUnavailable('The file storage (S3) did not tell the size of an object.')
    return { size, reader: response.body?.getReader(), controller }
  })

/** The size of the whole object, even if only a part of it was sent. */
function sizeOf(response: Response): number | undefined {
  const text = response.headers.get('Content-Range')?.split('/')[1] ?? response.headers.get('Content-Length')
  return text && /^\d+$/.test(text) ? Number(text) : undefined
}

function toStream(get: Get, timeoutMs: number, first: Opened, { start, end }: Range): ReadableStream<Uint8Array> {
  let [opened, at, resumes]: [Opened | undefined, number, number] = [first, start, 0]
  const deadline = openDeadline(timeoutMs)

  async function readMore(): Promise<Uint8Array> {
    // The client took its time, not the storage.
    deadline.noteProgress()
    while (true) {
      try {
        opened ??= await open(get, deadline, { start: at, end })
        if (!opened) throw new StorageUnavailable('The object was deleted while it was read.')
        const chunk = await readChunk(opened, deadline)
        if (chunk) return chunk.subarray(0, end - at)
        throw new StorageUnavailable('The file storage (S3) sent less than it announced.')
      } catch (error) {
        opened?.controller.abort()
        opened = undefined
        deadline.noteFailure()
        if (++resumes > MAX_RESUMES || deadline.leftMs() <= 0) throw toUnavailable(error)
      }
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at < end) {
          const chunk = await readMore()
          at += chunk.length
          controller.enqueue(chunk)
        }
        if (at < end) return
        opened?.controller.abort()
        controller.close()
      },
      cancel: () => opened?.controller.abort(),
    },
    { highWaterMark: 0 },
  )
}

async function readChunk({ reader, controller }: Opened, deadline: Deadline): Promise<Uint8Array | undefined> {
  const unwatch = deadline.watch(controller)
  try {
    return (await reader?.read())?.value
  } finally {
    unwatch()
  }
}
