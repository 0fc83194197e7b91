import type { Position } from '../domain/position'
import type { Streams } from '../gate/live/streams'

const encoder = new TextEncoder()
/** An id alone is no event, but where to go on from: also past what this reader may not see. */
const hello = (position: string) => encoder.encode(`retry: 1000\nid: ${position}\n\n`)
const heartbeat = (position: string) => encoder.encode(`: still here\nid: ${position}\n\n`)
const MOST_BUFFERED = 256 * 1024
/** About what is given to the runtime at once; that cannot be taken back. */
const MOST_AT_ONCE = 64 * 1024
const PATIENCE_MS = 10_000

interface SinkOptions {
  /** Whether whoever reads may do so no longer. */
  isOver(): boolean
  onEnd(): void
  /** The id of the last event that was looked at for this reader. */
  position(): string
  patienceMs?: number
}

/** One reader's end of a stream. What it does not read is not piled up: after a while it is cut off. */
export function openSink(streams: Streams, { isOver, onEnd, position, patienceMs = PATIENCE_MS }: SinkOptions) {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let drained = Promise.withResolvers<void>()
  let hasEnded = false
  /** The runtime waits for something to send. */
  let isPulling = false
  /** What it has not asked for yet. Kept here, and not in the stream, so that it can be taken back. */
  let unsent: { bytes: Uint8Array; before: Position }[] = []
  let unsentBytes = 0
  let fullSince: number | undefined

  const readable = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
        controller.enqueue(hello(position()))
      },
      pull() {
        isPulling = true
        fullSince = undefined
        handOver()
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  )
  const leave = streams.join({
    heartbeat() {
      if (isOver()) end()
      else if (isPulling) send(heartbeat(position()))
    },
    check: () => void (isOver() && end()),
    end,
  })

  /** Gives the runtime what it waits for, several events at once: each time costs more than what is in it. */
  function handOver() {
    if (!isPulling || unsent.length === 0) return
    let [count, bytes] = [0, 0]
    while (count < unsent.length && bytes < MOST_AT_ONCE) bytes += unsent[count++]!.bytes.length
    const given = unsent.splice(0, count)
    unsentBytes -= bytes
    send(given.length === 1 ? given[0]!.bytes : Buffer.concat(given.map((each) => each.bytes)))
    if (unsentBytes < MOST_BUFFERED) drained.resolve()
  }

  function send(bytes: Uint8Array) {
    isPulling = false
    controller.enqueue(bytes)
  }

  function end() {
    if (hasEnded) return
    hasEnded = true
    takeBack()
    leave()
    onEnd()
    drained.resolve()
    try {
      controller.close()
    } catch {
      // The reader left first.
    }
  }

  /** Returns a promise only where one has to wait for the reader: writing more would pile up. */
  function write(bytes: Uint8Array, before: Position): Promise<void> | undefined {
    if (hasEnded) throw new Error('The stream has ended.')
    // What is written in one go is given in one go.
    if (unsent.length === 0) queueMicrotask(handOver)
    unsent.push({ bytes, before })
    unsentBytes += bytes.length
    return unsentBytes < MOST_BUFFERED ? undefined : waitForReader()
  }

  async function waitForReader() {
    handOver()
    if (unsentBytes < MOST_BUFFERED) return
    drained = Promise.withResolvers()
    fullSince ??= performance.now()
    const patience = Math.max(0, fullSince + patienceMs - performance.now())
    const isSlow = await Promise.race([drained.promise.then(() => false), Bun.sleep(patience).then(() => true)])
    if (isSlow) end()
  }

  /** Forgets what was not sent yet. Returns the position before the first of it, if there was any. */
  function takeBack(): Position | undefined {
    const first = unsent[0]?.before
    unsent = []
    unsentBytes = 0
    drained.resolve()
    return first
  }

  return { readable, write, takeBack, end }
}
