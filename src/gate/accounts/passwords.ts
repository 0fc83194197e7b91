import * as domain from '../../domain/passwords'
import type { Metrics } from '../../metrics'
import { openQueue } from '../limits/queue'

/** As many at a time as leave other work its share; hashing takes long, on purpose. */
const inTurn = openQueue(2, 64)

/** Hashes and checks passwords, and counts the checks: a sudden many are somebody's guesses. */
export function openPasswords(metrics: Metrics) {
  const count = metrics.counter('parley_password_checks_total', 'Passwords that were checked, right or wrong.')
  // There from the start, so that the first check is seen as a change.
  count('', 0)
  return {
    hash: (password: string) => inTurn(() => domain.hashPassword(password)),
    /** Takes as long without a hash to check against. */
    isRight: (password: string, hash: string | undefined) =>
      inTurn(() => {
        count('')
        return domain.isPassword(password, hash)
      }),
  }
}
