import type { Engine } from '../store/engines/engine'
import { setLastSeen } from '../store/people/members'
import { type BearerRow, setLastUsed } from '../store/people/tokens'

const MIN_INTERVAL_MS = 60_000
const MAX_ENTRIES = 100_000

/**
 * Records when members and tokens were last active, at most once a minute each, in batches outside the request. If a
 * write fails, the next minute tries again.
 */
export function openPresence(engine: Engine, onError: (error: unknown) => void) {
  const recordedAt = new Map<number, number>()
  let members = new Set<number>()
  let tokens = new Set<number>()
  let seenAt = 0
  let writing: Promise<void> | undefined

  async function write() {
    while (tokens.size > 0) {
      // Batches all requests of this turn of the event loop.
      await new Promise(setImmediate)
      const [seen, used, now] = [[...members], [...tokens], seenAt]
      members = new Set()
      tokens = new Set()
      try {
        await engine.write(async (db) => {
          if (seen.length > 0) await setLastSeen(db, seen, now)
          await setLastUsed(db, used, now)
        })
      } catch (error) {
        onError(error)
      }
    }
    writing = undefined
  }

  return {
    record({ token_key, author_key, role, last_used_at }: BearerRow, now: number) {
      const last = Math.max(recordedAt.get(token_key) ?? 0, last_used_at ?? 0)
      if (now - last < MIN_INTERVAL_MS) return
      if (recordedAt.size > MAX_ENTRIES) recordedAt.clear()
      recordedAt.set(token_key, now)
      if (role !== null) members.add(author_key)
      tokens.add(token_key)
      seenAt = now
      writing ??= write()
    },
    /** Resolves once all pending writes are done. */
    settled: async () => writing,
  }
}
