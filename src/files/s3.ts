import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeQuietly } from './disk'
import { newCheckName } from './object-names'
import { hasFailed, openRequests, type S3Settings, unavailable, withRetries } from './s3-requests'
import { readS3Object } from './s3-stream'
import { requireObjectName, type Storage } from './storage'

/** An upload to the storage fails if it is slower than this. */
const MIN_BYTES_PER_SECOND = 256 * 1024
const PAGE = 1_000
const CLEAN_UP_MS = 3_000

/**
 * Stores objects in S3 or a compatible service. A file is sent with one request, which stores all of it or nothing, and is read from
 * the disk while it is sent. Multipart uploads would allow more than 5 GB, but they keep parts in memory and can leave parts behind.
 */
export function openS3(settings: S3Settings): Storage {
  const { client, request } = openRequests(settings)
  const { timeoutMs = 15_000 } = settings
  const prefix = settings.prefix === '' ? '' : `${settings.prefix}/`

  const keyOf = (object: string) => {
    requireObjectName(object)
    return prefix + object
  }

  async function send(object: string, body: Blob | Uint8Array, size: number): Promise<void> {
    const key = keyOf(object)
    const timeout = timeoutMs + (size / MIN_BYTES_PER_SECOND) * 1_000
    await withRetries(async () => {
      const response = await request('PUT', key, { body: body as Blob, signal: AbortSignal.timeout(timeout) })
      if (!response.ok) throw await hasFailed(response)
      await response.body?.cancel()
    }).catch(async (error) => {
      await removeRest(object)
      throw error
    })
  }

  /** Deletes what a service may have kept of an upload that was interrupted. */
  async function removeRest(object: string): Promise<void> {
    const signal = AbortSignal.timeout(Math.min(timeoutMs, CLEAN_UP_MS))
    const response = await request('DELETE', keyOf(object), { signal }).catch(() => undefined)
    await response?.body?.cancel()
  }

  async function remove(object: string): Promise<void> {
    const key = keyOf(object)
    await withRetries(async () => {
      const response = await request('DELETE', key, { signal: AbortSignal.timeout(timeoutMs) })
      if (!response.ok && response.status !== 404) throw await hasFailed(response)
      await response.body?.cancel()
    })
  }

  async function* list(): ReturnType<Storage['list']> {
    let startAfter: string | undefined
    while (true) {
      const page = await withRetries(() =>
        withTimeout(client.list({ prefix, maxKeys: PAGE, ...(startAfter !== undefined && { startAfter }) }), timeoutMs),
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
        await send(object, Bun.file(staged.path), staged.size)
      } finally {
        await removeQuietly(staged.path)
      }
    },
    write: (object, bytes) => send(object, bytes, bytes.length),
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
      await send(object, new Uint8Array(0), 0)
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

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('it takes too long')), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
