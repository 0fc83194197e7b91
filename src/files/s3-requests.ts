import { StorageSilent, StorageUnavailable } from './storage'

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
