import { Problem } from '../../contract/errors'
import { tooSlow } from '../body'

const TICK_MS = 1_000
const WINDOW_TICKS = 20
const BYTES_PER_WINDOW = 64 * 1024

/**
 * A body that fails if it arrives too slowly. There is no deadline for the whole body, because files can be large. Only the ticks
 * in which the server waits for bytes are counted, so that the client is not blamed for a slow disk or a busy server.
 */
export function watchRate(
  body: ReadableStream<Uint8Array>,
  { tickMs = TICK_MS, windowTicks = WINDOW_TICKS, bytesPerWindow = BYTES_PER_WINDOW } = {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isWaiting = false
  let ticks = 0
  let bytes = 0
  let fail: ((error: Problem) => void) | undefined
  // One timer for the whole body: a timer for each read would never fire while bytes arrive one by one.
  const timer = setInterval(() => {
    if (!isWaiting || ++ticks < windowTicks) return
    if (bytes < bytesPerWindow) fail?.(tooSlow())
    ticks = 0
    bytes = 0
  }, tickMs)
  const stop = () => clearInterval(timer)

  async function readInTime() {
    const late = Promise.withResolvers<never>()
    fail = late.reject
    isWaiting = true
    try {
      return await Promise.race([reader.read(), late.promise])
    } catch (error) {
      if (error instanceof Problem) throw error
      throw new Problem('malformed_request', 'The connection ended before the request body was complete.')
    } finally {
      isWaiting = false
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await readInTime()
          if (done) {
            stop()
            return controller.close()
          }
          bytes += value.length
          controller.enqueue(value)
        } catch (error) {
          stop()
          void reader.cancel().catch(() => {})
          throw error
        }
      },
      cancel(reason) {
        stop()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
