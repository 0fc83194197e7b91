import type { Db, Reader, Writer } from '../db'
import { appendEvents, type EventRow } from '../events'
import type { BearerRow } from '../tokens'
import { unavailable } from './sqlite-errors'

const MAX_QUEUE = 10_000

/** What a write says about itself to the engine. */
export interface WriteOrigin {
  /** The one workspace it changes. */
  workspaceKey: number
  /** The hash of the token of its caller. */
  tokenHash: string
  /**
   * What the write looks up first. Only for writes that add something to what is found, and read neither the log nor the
   * revision: those that share a transaction look up all at once, and their events are inserted together.
   */
  lookUp?(db: Reader, callers: Callers): Promise<unknown>
}

/** The callers of the writes that share a transaction, by the hashes of their tokens. */
export type Callers = ReadonlyMap<string, BearerRow>

export type Work<T> = (db: Writer, turn: Turn) => Promise<T>

export interface PendingWrite {
  work: Work<unknown>
  origin?: WriteOrigin
  since: number
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

export type Outcome = { value: unknown } | { error: unknown }

/** What the writes of a transaction need not look up again. */
interface Known {
  callers?: Callers
  /** The revision of the workspace that was changed last. It stays locked until the end of the transaction. */
  revision?: { workspaceKey: number; revision: number }
  /** The results of the look-ups. */
  found?: ReadonlyMap<WriteOrigin, Promise<unknown>>
}

type Group = readonly Pick<PendingWrite, 'origin'>[]

/** The turn of one write among those that share its transaction. */
export class Turn {
  private passedOn: Known = {}
  private events: readonly EventRow[] = []

  constructor(
    private readonly group: Group,
    private readonly at = 0,
    /** As of the beginning of this turn. */
    readonly known: Known = {},
    /** The events of earlier turns that are not in the log yet. */
    private unwritten: readonly EventRow[] = [],
  ) {}

  /** The tokens of the callers whose turn it is now or later. */
  tokenHashes(): string[] {
    const hashes = this.group.slice(this.at).map(({ origin }) => origin?.tokenHash)
    return [...new Set(hashes.filter((hash) => hash !== undefined))]
  }

  /** What this write looks up first. The first to ask looks up what the writes after it will need, too. */
  find(db: Reader, callers: Callers): Promise<unknown> | undefined {
    const { origin } = this.group[this.at]!
    if (!origin?.lookUp) return undefined
    this.known.found ??= this.findAll(db, callers)
    return this.known.found.get(origin)
  }

  private findAll(db: Reader, callers: Callers): Map<WriteOrigin, Promise<unknown>> {
    const found = new Map<WriteOrigin, Promise<unknown>>()
    for (const { origin } of this.group.slice(this.at)) {
      if (!origin?.lookUp) continue
      const finding = origin.lookUp(db, callers)
      // The write that needs it gets the error.
      finding.catch(() => {})
      found.set(origin, finding)
    }
    return found
  }

  /** Adds events to the log later, but before any write that may read it. */
  announce(events: readonly EventRow[]) {
    this.events = events
  }

  /** Writes what earlier turns announced, unless this write does without. */
  async begin(db: Writer) {
    const { origin } = this.group[this.at]!
    const isNeeded = !origin?.lookUp || this.known.revision?.workspaceKey !== origin.workspaceKey
    if (isNeeded) await this.flush(db)
  }

  private async flush(db: Writer) {
    await appendEvents(db, this.unwritten)
    this.unwritten = []
  }

  /** Forgets what this write would have passed on. */
  undo() {
    this.events = []
    this.passedOn = this.known
  }

  /** Passes on what is still valid after this write. Without it, the next write looks everything up again. */
  passOn(known: Known) {
    this.passedOn = known
  }

  next(): Turn {
    return new Turn(this.group, this.at + 1, this.passedOn, [...this.unwritten, ...this.events])
  }

  /** After the last turn. */
  async end(db: Writer) {
    await this.flush(db)
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

  function write<T>(work: Work<T>, origin?: WriteOrigin): Promise<T> {
    if (isClosed) return Promise.reject(unavailable('The server is stopping.'))
    if (queue.length >= MAX_QUEUE) return Promise.reject(unavailable('Too many writes are waiting.'))
    const result = new Promise<T>((resolve, reject) =>
      queue.push({ work, origin, resolve, reject, since: performance.now() }),
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
  let turn = new Turn(group)
  for (const { work } of group) {
    await turn.begin(transaction.db)
    transaction.beginTurn()
    try {
      const value = await work(transaction.db, turn)
      transaction.endTurn()
      outcomes.push({ value })
    } catch (error) {
      transaction.undoTurn(error)
      turn.undo()
      outcomes.push({ error })
    }
    turn = turn.next()
  }
  await turn.end(transaction.db)
  return outcomes
}
