import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRange, removeQuietly } from './disk'
import { hasFailed, openDeadline, openRequests, readS3Object, type S3Settings, withRetries } from './s3-requests'
import { newCheckName, requireObjectName, type Storage, StorageSilent } from './storage'

/** So that a request is answered within 10 seconds, even if the storage hangs. */
const TIMEOUT_MS = 8_000
const PAGE = 1_000
const CLEAN_UP_MS = 3_000

/**
 * Stores objects in S3 or a compatible service. A file is sent with one request, which stores all of it or nothing, and is read from
 * the disk while it is sent. Multipart uploads would allow more than 5 GB, but they keep parts in memory and can leave parts behind.
 */
export function openS3(settings: S3Settings): Storage {
  const { client, request } = openRequests(settings)
  const { timeoutMs = TIMEOUT_MS } = settings
  const prefix = settings.prefix === '' ? '' : `${settings.prefix}/`

  const keyOf = (object: string) => {
    requireObjectName(object)
    return prefix + object
  }

  /** `open` returns the bytes, once for each attempt. They are sent as they are read, so that a storage that takes no more is noticed. */
  async function send(object: string, open: () => ReadableStream<Uint8Array>, size: number): Promise<void> {
    const key = keyOf(object)
    const deadline = openDeadline(timeoutMs)
    const headers = { 'Content-Length': String(size) }
    try {
      await withRetries(deadline, async ({ signal }) => {
        const body = size === 0 ? new Uint8Array(0) : open().pipeThrough(eachChunk(deadline.noteProgress))
        const response = await request('PUT', key, { body, headers, signal })
        if (!response.ok) throw await hasFailed(response)
        await response.body?.cancel()
      })
    } catch (error) {
      // If the storage does not answer, the daily sweep does it.
      if (!(error instanceof StorageSilent)) await removeRest(object, Math.min(deadline.leftMs(), CLEAN_UP_MS))
      throw error
    }
  }

  /** Deletes what a service may have kept of an upload that was interrupted. */
  async function removeRest(object: string, timeLimitMs: number): Promise<void> {
    const signal = AbortSignal.timeout(Math.max(0, timeLimitMs))
    const response = await request('DELETE', keyOf(object), { signal }).catch(() => undefined)
    await response?.body?.cancel()
  }

  async function remove(object: string): Promise<void> {
    const key = keyOf(object)
    await withRetries(openDeadline(timeoutMs), async ({ signal }) => {
      const response = await request('DELETE', key, { signal })
      if (!response.ok && response.status !== 404) throw await hasFailed(response)
      await response.body?.cancel()
    })
  }

  async function* list(): ReturnType<Storage['list']> {
    let startAfter: string | undefined
    while (true) {
      const page = await withRetries(openDeadline(timeoutMs), ({ signal }) =>
        unlessAborted(client.list({ prefix, maxKeys: PAGE, ...(startAfter !== undefined && { startAfter }) }), signal),
      )
      for (const { key, size, lastModified } of page.contents ?? []) {
        startAfter = key
        yield {
          object: key.slice(prefix.length),
          size: Number(size ?? 0),
          modifiedAt: Date.parse(String(lastModified ?? 0)) || 0,
        }
      }
      if (!page.isTruncated || !page.contents?.length) return
    }
  }

  return {
    kind: 's3',
    stagingFolder: makeStagingFolder(settings),
    async put(object, staged) {
      try {
        await send(object, () => readRange(staged.path, { start: 0, end: staged.size }), staged.size)
      } finally {
        await removeQuietly(staged.path)
      }
    },
    write: (object, bytes) => send(object, () => new Blob([bytes as Uint8Array<ArrayBuffer>]).stream(), bytes.length),
    async read(object, range) {
      const key = keyOf(object)
      return readS3Object((init) => request('GET', key, init), timeoutMs, range)
    },
    async findSize(object) {
      const key = keyOf(object)
      // Not HEAD: without a body, a missing object cannot be told from a missing bucket.
      return (await readS3Object((init) => request('GET', key, init), timeoutMs, { start: 0, end: 0 }))?.size
    },
    delete: remove,
    list,
    async check() {
      const object = newCheckName()
      await send(object, () => new Blob([]).stream(), 0)
      await remove(object)
    },
  }
}

/**
 * The folder is the same after a restart, so that files that a killed process left behind are found. If another user has created it in
 * the temporary folder, it is not used.
 */
function makeStagingFolder({ endpoint, bucket, prefix }: S3Settings): string {
  const user = process.getuid?.()
  const hash = Bun.hash(JSON.stringify([endpoint, bucket, prefix, user])).toString(36)
  const path = join(tmpdir(), `parley-incoming-${hash}`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  const isOurs = found.isDirectory() && (user === undefined || (found.uid === user && (found.mode & 0o077) === 0))
  return isOurs ? path : mkdtempSync(`${path}-`)
}

/** Tells of each chunk that passes. */
const eachChunk = (tell: () => void) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      tell()
      controller.enqueue(chunk)
    },
  })

/** Gives up a request that cannot be aborted. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  return Promise.race([work, aborted.promise])
}
