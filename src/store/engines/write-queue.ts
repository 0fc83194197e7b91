import type { Db, Writer } from '../db'
import type { BearerRow } from '../tokens'
import { unavailable } from './sqlite-errors'

const MAX_QUEUE = 10_000

/** What a write says about itself to the engine. */
export interface WriteOrigin {
  /** The one workspace it changes. */
  workspaceKey: number
  /** The hash of the token of its caller. */
  tokenHash: string
}

export type Work<T> = (db: Writer, turn: Turn) => Promise<T>

export interface PendingWrite {
  work: Work<unknown>
  tokenHash?: string
  since: number
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

export type Outcome = { value: unknown } | { error: unknown }

/** What the writes of a transaction need not look up again. */
interface Known {
  /** The callers of the writes, by the hashes of their tokens. */
  callers?: ReadonlyMap<string, BearerRow>
  /** The revision of the workspace that was changed last. It stays locked until the end of the transaction. */
  revision?: { workspaceKey: number; revision: number }
}

/** The turn of one write among those that share its transaction. */
export class Turn {
  private passedOn: Known = {}

  constructor(
    private readonly group: readonly Pick<PendingWrite, 'tokenHash'>[],
    private readonly at: number,
    /** As of the beginning of this turn. */
    readonly known: Known = {},
  ) {}

  /** The tokens of the callers whose turn it is now or later. */
  tokenHashes(): string[] {
    const hashes = this.group.slice(this.at).map(({ tokenHash }) => tokenHash)
    return [...new Set(hashes.filter((hash) => hash !== undefined))]
  }

  /** Passes on what is still valid after this write. Without it, the next write looks everything up again. */
  passOn(known: Known) {
    this.passedOn = known
  }

  next(): Turn {
    return new Turn(this.group, this.at + 1, this.passedOn)
  }
}

/** Collects writes and runs those that wait together as one group. Each is answered when its whole group is done. */
export function openWriteQueue(
  runGroup: (group: readonly PendingWrite[]) => Promise<readonly Outcome[]>,
  maxGroup: number,
) {
  const queue: PendingWrite[] = []
  let running: Promise<void> | undefined
  let isClosed = false

  function write<T>(work: Work<T>, tokenHash?: string): Promise<T> {
    if (isClosed) return Promise.reject(unavailable('The server is stopping.'))
    if (queue.length >= MAX_QUEUE) return Promise.reject(unavailable('Too many writes are waiting.'))
    const result = new Promise<T>((resolve, reject) =>
      queue.push({ work, tokenHash, resolve, reject, since: performance.now() }),
    )
    running ??= drain()
    return result
  }

  async function drain() {
    // The next turn of the event loop: whatever arrived with this write joins its group.
    await new Promise(setImmediate)
    while (queue.length > 0) await settle(queue.splice(0, maxGroup))
    running = undefined
  }

  async function settle(group: readonly PendingWrite[]) {
    let outcomes: readonly Outcome[]
    try {
      outcomes = await runGroup(group)
    } catch (error) {
      for (const { reject } of group) reject(error)
      return
    }
    group.forEach(({ resolve, reject }, at) => {
      const outcome = outcomes[at]!
      if ('value' in outcome) resolve(outcome.value as never)
      else reject(outcome.error)
    })
  }

  return {
    write,
    waiting: () => queue.length,
    async close() {
      isClosed = true
      await running
    },
  }
}

/** An open transaction in which writes take turns. */
export interface SharedTransaction {
  db: Db
  beginTurn(): void
  endTurn(): void
  /** Undoes what a write has changed before it threw this. Throws where that takes the whole transaction. */
  undoTurn(error: unknown): void
}

/** Runs writes one after the other in one transaction, each all or nothing. */
export async function runInTurn(transaction: SharedTransaction, group: readonly PendingWrite[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let turn = new Turn(group, 0)
  for (const { work } of group) {
    transaction.beginTurn()
    try {
      const value = await work(transaction.db, turn)
      transaction.endTurn()
      outcomes.push({ value })
    } catch (error) {
      transaction.undoTurn(error)
      turn.passOn(turn.known)
      outcomes.push({ error })
    }
    turn = turn.next()
  }
  return outcomes
}
