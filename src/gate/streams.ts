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
  close(): void
}

const CHECK_MS = 500
const CHECKS_A_HEARTBEAT = 30

export function openStreams(): Streams {
  const open = new Set<Stream>()
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
      timer ??= setInterval(tick, CHECK_MS)
      return () => {
        open.delete(stream)
        if (open.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    count: () => open.size,
    close() {
      for (const stream of [...open]) stream.end()
    },
  }
}
