const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** The delay after each failed attempt. Servers that greylist accept a mail after a few minutes. */
export const RETRIES_MS = [1, 5, 15, 30, 60]
  .map((minutes) => minutes * MINUTE)
  .concat([2, 4, 8, 16].map((h) => h * HOUR))

/** When to retry after so many attempts; null if there are no more retries. */
export function nextAttempt(attempts: number, now: number): number | null {
  const wait = RETRIES_MS[attempts - 1]
  return wait === undefined ? null : now + wait
}
