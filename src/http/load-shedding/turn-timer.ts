const MAX_TURN_MS = 100

/** Times a turn of the event loop: the handling of all requests that had arrived when it began. */
export interface TurnTimer {
  /** Whether the current turn has taken so long that the requests left in it should be refused. */
  isLong(): boolean
}

export function openTurnTimer(): TurnTimer {
  let started: number | undefined
  const end = () => {
    started = undefined
  }
  return {
    isLong() {
      const now = performance.now()
      if (started !== undefined) return now - started > MAX_TURN_MS
      started = now
      setImmediate(end)
      return false
    },
  }
}
