import type { Streams } from '../gate/streams'

const encoder = new TextEncoder()
/** An id alone is no event, but where to go on from: also past what this reader may not see. */
const hello = (position: string) => encoder.encode(`retry: 1000\nid: ${position}\n\n`)
const heartbeat = (position: string) => encoder.encode(`: still here\nid: ${position}\n\n`)
const MOST_BUFFERED = 256 * 1024
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

  const readable = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
        controller.enqueue(hello(position()))
      },
      pull: () => drained.resolve(),
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_BUFFERED }),
  )
  const leave = streams.join({
    heartbeat() {
      if (isOver()) end()
      else if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat(position()))
    },
    check: () => void (isOver() && end()),
    end,
  })

  function end() {
    if (hasEnded) return
    hasEnded = true
    leave()
    onEnd()
    drained.resolve()
    try {
      controller.close()
    } catch {
      // The reader left first.
    }
  }

  async function write(bytes: Uint8Array) {
    if (hasEnded) throw new Error('The stream has ended.')
    controller.enqueue(bytes)
    if ((controller.desiredSize ?? 0) > 0) return
    drained = Promise.withResolvers()
    const isSlow = await Promise.race([drained.promise.then(() => false), Bun.sleep(patienceMs).then(() => true)])
    if (isSlow) end()
  }

  return { readable, write, end }
}
