import type { Reader, Writer } from '../engines/db'
import { appendEvents, type EventRow } from '../log/events'
import type { BearerRow } from '../people/tokens'
import { indexEvents } from '../search/documents'

/** What the engine needs to know to group a write with others. */
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

/** What the writes of a transaction need not look up again. */
interface Known {
  callers?: Callers
  /** The revision of the workspace that was changed last. It stays locked until the end of the transaction. */
  revision?: { workspaceKey: number; revision: number }
  /** The results of the look-ups. */
  found?: ReadonlyMap<WriteOrigin, Promise<unknown>>
}

type Group = readonly { origin?: WriteOrigin }[]

/** The turn of one write among those that share its transaction. */
export class Turn {
  private passedOn: Known = {}
  private events: readonly EventRow[] = []

  constructor(
    private readonly group: Group,
    private readonly at = 0,
    /** What was looked up in this transaction and is still valid. It grows during the turn. */
    readonly known: Known = {},
    /** The events of earlier turns that are not in the log yet. */
    private unwritten: readonly EventRow[] = [],
    /** The events of earlier turns whose texts are not in the search index yet. */
    private readonly unindexed: readonly EventRow[] = [],
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

  /** Keeps the events of this write. They are inserted later, but before any write that may read the log. */
  deferEvents(events: readonly EventRow[]) {
    this.events = events
  }

  /** Inserts the events of earlier turns, unless this write is one that never reads the log. */
  async begin(db: Writer) {
    const { origin } = this.group[this.at]!
    const isNeeded = !origin?.lookUp || this.known.revision?.workspaceKey !== origin.workspaceKey
    if (isNeeded) await this.flush(db)
  }

  private async flush(db: Writer) {
    await appendEvents(db, this.unwritten)
    this.unwritten = []
  }

  /** Called after the last turn. Texts are indexed once for all writes: on SQLite, each time adds a segment to the index. */
  async finish(db: Writer) {
    await this.flush(db)
    await indexEvents(db, this.unindexed)
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
    const { group, at, passedOn, unwritten, unindexed, events } = this
    return new Turn(group, at + 1, passedOn, [...unwritten, ...events], [...unindexed, ...events])
  }
}
