/** What all open streams have in common: a heart that beats, and an end. */
export interface Stream {
  heartbeat(): void
  /** Ends it if its time is over. */
  check(): void
  end(): void
}

export interface Streams {
  join(stream: Stream): () => void
  count(): number
  /** Aborted once the server stops: nobody waits for anything any more. */
  closing: AbortSignal
  close(): void
}

const CHECK_MS = 500
const CHECKS_A_HEARTBEAT = 30

export function openStreams(checkMs = CHECK_MS): Streams {
  const open = new Set<Stream>()
  const closing = new AbortController()
  let timer: Timer | undefined
  let checks = 0

  const tick = () => {
    checks += 1
    const isHeartbeat = checks % CHECKS_A_HEARTBEAT === 0
    for (const stream of open) {
      if (isHeartbeat) stream.heartbeat()
      else stream.check()
    }
  }
  return {
    join(stream) {
      open.add(stream)
      timer ??= setInterval(tick, checkMs)
      return () => {
        open.delete(stream)
        if (open.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    count: () => open.size,
    closing: closing.signal,
    close() {
      closing.abort()
      for (const stream of [...open]) stream.end()
    },
  }
}
