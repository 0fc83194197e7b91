import { openQueue } from '../domain/fair-queue'
import * as domain from '../domain/passwords'
import type { Metrics } from '../metrics'
import type { ChangeParts } from '../store/changes/change'
import type { Engine } from '../store/engines/engine'

/** What accounts are made of; `gate/parley.ts` puts it together. */
export interface AccountParts extends ChangeParts {
  engine: Engine
  passwords: Hasher
  /** Called after a commit, with each workspace that changed. */
  notify: (workspaceKey: number) => void
}

export type Hasher = ReturnType<typeof openHasher>

/** Hashing is slow on purpose; two at a time leave CPU for other requests. */
const enqueue = openQueue(2, 64)

/** Hashes and verifies passwords, and counts the checks: a sudden rise suggests an attack. */
export function openHasher(metrics: Metrics) {
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
