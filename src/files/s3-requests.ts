import { StorageUnavailable } from './storage'

export interface S3Settings {
  bucket: string
  /** The prefix of all object names, without a slash at its end. */
  prefix: string
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  /** How long a small request may take, and how long a large one may wait for its next bytes. */
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

export const unavailable = (reason: string) => new Transient(`The file storage (S3) is not available: ${reason}.`)

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

/** Connection errors, without their details, which contain the signed URL. */
export function toUnavailable(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error
  const { name, code } = error as { name?: string; code?: unknown }
  if (name === 'TimeoutError' || name === 'AbortError') return unavailable('it takes too long')
  return unavailable(typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'the connection failed')
}

/** Runs a request up to three times. Every failure becomes `StorageUnavailable`. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const failure = toUnavailable(error)
      const delay = DELAYS_MS[attempt]
      if (!(failure instanceof Transient) || delay === undefined) throw failure
      await Bun.sleep(delay * (0.5 + Math.random()))
    }
  }
}
