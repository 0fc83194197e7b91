const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long after each failed attempt the next one comes; after the last there is none. */
export const RETRIES_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
]

const JITTER = 0.1
const LONGEST_WAIT_MS = 24 * HOUR

/** A webhook that has only failed for this long is switched off. */
export const GIVE_UP_AFTER_MS = 5 * 24 * HOUR

/** When to try again after so many attempts, or null where that is enough. `chance` lies between 0 and 1. */
export function nextAttempt(attempts: number, now: number, waitMs: number, chance: number): number | null {
  const wait = RETRIES_MS[attempts - 1]
  if (wait === undefined) return null
  // Later by up to a tenth, so that what failed together does not come back together.
  return now + Math.max(Math.round(wait * (1 + JITTER * chance)), waitMs)
}

/** How long a receiver that refused wants to hear nothing of us at all, with whatever event. */
export function askedToWait({ attempt, retryAfter: header }: Answered, now: number): number {
  const isRefused = (attempt.response_status ?? 0) >= 300
  return isRefused ? Math.min(retryAfter(header, now), LONGEST_WAIT_MS) : 0
}

interface Answered {
  attempt: { response_status: number | null }
  retryAfter: string | undefined
}

/** What a `Retry-After` header asks for: seconds, or a date. */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now
  return Number.isFinite(wait) && wait > 0 ? wait : 0
}
