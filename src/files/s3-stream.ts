import { type Deadline, hasFailed, type Init, openDeadline, toUnavailable, withRetries } from './s3-requests'
import { StorageUnavailable, type StoredObject } from './storage'

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
