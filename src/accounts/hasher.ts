import * as domain from '../domain/passwords'
import { openQueue } from '../gate/limits'
import type { Metrics } from '../metrics'

/** Hashing is slow on purpose; two at a time leave CPU for other requests. */
const enqueue = openQueue(2, 64)

/** Hashes and verifies passwords, and counts the checks: a sudden rise suggests an attack. */
export function openPasswords(metrics: Metrics) {
  const count = metrics.counter('parley_password_checks_total', 'Password checks, right or wrong.')
  // Exported from the start, so that monitoring sees the first check as a change.
  count('', 0)
  return {
    hash: (password: string) => enqueue(() => domain.hashPassword(password)),
    /** Takes as long if there is no hash. */
    isRight: (password: string, hash: string | undefined) =>
      enqueue(() => {
        count('')
        return domain.isPassword(password, hash)
      }),
  }
}
