import type { Engine } from '../../store/engines/engine'
import { setLastSeen } from '../../store/members'
import type { BearerRow } from '../../store/tokens'
import { setLastUsed } from '../../store/tokens'

const AT_MOST_EVERY_MS = 60_000
const MOST_REMEMBERED = 100_000

/**
 * Notes who was seen, at most once a minute each, beside the request rather than in it, many at a time.
 * If that fails, the next minute tries again.
 */
export function openPresence(engine: Engine, onError: (error: unknown) => void) {
  const notedAt = new Map<number, number>()
  let members = new Set<number>()
  let tokens = new Set<number>()
  let seenAt = 0
  let writing: Promise<void> | undefined

  async function write() {
    // Whoever comes while others are being noted is noted after them.
    while (tokens.size > 0) {
      // The next turn: whoever came in this one is noted together.
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
    note({ token_key, author_key, role, last_used_at }: BearerRow, now: number) {
      const last = Math.max(notedAt.get(token_key) ?? 0, last_used_at ?? 0)
      if (now - last < AT_MOST_EVERY_MS) return
      if (notedAt.size > MOST_REMEMBERED) notedAt.clear()
      notedAt.set(token_key, now)
      if (role !== null) members.add(author_key)
      tokens.add(token_key)
      seenAt = now
      writing ??= write()
    },
    /** Until what was noted is written. */
    settled: async () => writing,
  }
}
