import type { Position } from '../../domain/events/positions'
import type { Streams } from '../../gate/live/changes'

const encoder = new TextEncoder()
/**
 * An id without data is no event, but tells the client where to resume: also after events it may not see. Parsers that
 * report events alone ignore it: the comment says the same.
 */
const resumeAfter = (position: string) => `: after ${position}\nid: ${position}\n\n`
const greeting = (position: string) => encoder.encode(`retry: 1000\n${resumeAfter(position)}`)
const heartbeat = (position: string) => encoder.encode(resumeAfter(position))
const MAX_UNSENT_BYTES = 256 * 1024
/** About how much is passed to the runtime at once; that cannot be discarded any more. */
const MAX_CHUNK_BYTES = 64 * 1024
export const MAX_STALL_MS = 10_000

interface ConnectionOptions {
  /** Whether the client may no longer read. */
  isExpired(): boolean
  onEnd(): void
  /** The id of the last event that was considered for this client. */
  position(): string
  maxStallMs?: number
}

/** The server's side of one SSE connection. A client that does not read is disconnected after a while, not buffered for. */
export function openSseConnection(
  streams: Streams,
  { isExpired, onEnd, position, maxStallMs = MAX_STALL_MS }: ConnectionOptions,
) {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let drained = Promise.withResolvers<void>()
  let hasEnded = false
  /** Whether the runtime is waiting for data to send. */
  let isPulling = false
  /** Frames the runtime has not asked for yet. Kept here, not in the stream, so that they can be discarded. */
  let unsent: { bytes: Uint8Array; before: Position }[] = []
  let unsentBytes = 0
  let fullSince: number | undefined

  const readable = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
        controller.enqueue(greeting(position()))
      },
      pull() {
        isPulling = true
        fullSince = undefined
        flush()
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  )
  const leave = streams.join({
    heartbeat() {
      if (isExpired()) end()
      else if (isPulling) send(heartbeat(position()))
    },
    check: () => void (isExpired() && end()),
    end,
  })

  /** Passes frames to the runtime if it is waiting, several at once: each call costs more than a frame. */
  function flush() {
    if (!isPulling || unsent.length === 0) return
    let [count, bytes] = [0, 0]
    while (count < unsent.length && bytes < MAX_CHUNK_BYTES) bytes += unsent[count++]!.bytes.length
    const frames = unsent.splice(0, count)
    unsentBytes -= bytes
    send(frames.length === 1 ? frames[0]!.bytes : Buffer.concat(frames.map((frame) => frame.bytes)))
    if (unsentBytes < MAX_UNSENT_BYTES) drained.resolve()
  }

  function send(bytes: Uint8Array) {
    isPulling = false
    controller.enqueue(bytes)
  }

  function end() {
    if (hasEnded) return
    hasEnded = true
    discardUnsent()
    leave()
    onEnd()
    drained.resolve()
    try {
      controller.close()
    } catch {
      // The client disconnected first.
    }
  }

  /** Queues a frame. Returns a promise only if the caller must wait for the client to read. */
  function write(bytes: Uint8Array, before: Position): Promise<void> | undefined {
    if (hasEnded) throw new Error('The stream has ended.')
    // Frames that are written together are sent together.
    if (unsent.length === 0) queueMicrotask(flush)
    unsent.push({ bytes, before })
    unsentBytes += bytes.length
    return unsentBytes < MAX_UNSENT_BYTES ? undefined : waitForClient()
  }

  async function waitForClient() {
    flush()
    if (unsentBytes < MAX_UNSENT_BYTES) return
    drained = Promise.withResolvers()
    fullSince ??= performance.now()
    const timeLeft = Math.max(0, fullSince + maxStallMs - performance.now())
    const isStalled = await Promise.race([drained.promise.then(() => false), Bun.sleep(timeLeft).then(() => true)])
    if (isStalled) end()
  }

  /** Returns the position before the first frame that was discarded, if there was any. */
  function discardUnsent(): Position | undefined {
    const first = unsent[0]?.before
    unsent = []
    unsentBytes = 0
    drained.resolve()
    return first
  }

  return { readable, write, discardUnsent, end }
}
