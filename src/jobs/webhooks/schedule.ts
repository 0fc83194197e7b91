const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delay after each failed attempt; after the last there are no more retries. */
export const RETRIES_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
]

const JITTER = 0.1
const MAX_WAIT_MS = 24 * HOUR

/** A webhook is disabled after failing for this long. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR

/** When to retry after so many attempts, or null if there are no more retries. `chance` is between 0 and 1. */
export function nextAttempt(attempts: number, now: number, waitMs: number, chance: number): number | null {
  const wait = RETRIES_MS[attempts - 1]
  if (wait === undefined) return null
  // Up to a tenth later, so that deliveries that failed together are not retried together.
  return now + Math.max(Math.round(wait * (1 + JITTER * chance)), waitMs)
}

/** How long a receiver that refused asks us to wait, by `Retry-After`. */
export function askedToWait({ attempt, retryAfter: header }: Answered, now: number): number {
  const isRefused = (attempt.response_status ?? 0) >= 300
  return isRefused ? Math.min(retryAfter(header, now), MAX_WAIT_MS) : 0
}

interface Answered {
  attempt: { response_status: number | null }
  retryAfter: string | undefined
}

/** The milliseconds in a `Retry-After` header, which holds seconds or a date. */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now
  return Number.isFinite(wait) && wait > 0 ? wait : 0
}
