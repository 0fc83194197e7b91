import type { Parley } from '../gate/parley'
import { hashNext, hasRelisting, relistNext } from '../store/content/relisting'
import { openRounds } from './rounds'

const MIN_ROUND_MS = 250
/** Between two steps: others write meanwhile. */
const PAUSE_MS = 20

export interface Relisting {
  /** Resolves when all posts are listed as their channels are, and it is known what everyone sees. */
  tick(): Promise<void>
  close(): Promise<void>
}

/**
 * Continues what a change of a channel with many posts (store/content/relisting.ts) or many members (store/access/visibility-hash.ts) has
 * begun. Several processes can do this at once.
 */
export function startRelisting(parley: Parley): Relisting {
  const { engine } = parley
  const rounds = openRounds(parley, {
    what: 'who sees which posts',
    minRoundMs: MIN_ROUND_MS,
    async runRound() {
      if (!(await engine.read(hasRelisting))) return false
      await engine.writeAlone(relistNext)
      await engine.writeAlone(hashNext)
      await Bun.sleep(PAUSE_MS)
      return true
    },
  })
  return {
    tick: rounds.tick,
    async close() {
      rounds.close()
      await rounds.running()
    },
  }
}
