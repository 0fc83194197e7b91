import { TimeoutError } from './errors'

export interface Connection {
  signal: AbortSignal
  /** Waits for this, but not longer than the time-out. */
  within<T>(work: Promise<T>): Promise<T>
  close(): void
}

/** A connection that is aborted by the caller's signal, or if it takes too long. */
export function openConnection(callerSignal: AbortSignal | undefined, timeoutMs: number): Connection {
  const controller = new AbortController()
  const abort = () => controller.abort()
  callerSignal?.addEventListener('abort', abort)
  if (callerSignal?.aborted) abort()
  return {
    signal: controller.signal,
    async within(work) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const timeout = new Promise<never>((_, reject) => {
        if (timeoutMs)
          timer = setTimeout(() => {
            reject(new TimeoutError(`The server did not respond within ${timeoutMs} ms.`))
            abort()
          }, timeoutMs)
      })
      try {
        return await Promise.race([work, timeout])
      } finally {
        clearTimeout(timer)
      }
    },
    close() {
      callerSignal?.removeEventListener('abort', abort)
      abort()
    },
  }
}
