import type { Reader, Writer } from '../engines/db'
import type { Engine } from '../engines/engine'
import type { Group, WriteOrigin } from '../engines/write-queue'
import { appendEvents, type EventRow } from '../log/events'
import type { BearerRow } from '../people/tokens'
import { indexEvents } from '../search/documents'

/** What a change may do, see `effect` in contract/operation.ts; `any` where it says nothing. */
export type Effect = 'personal' | 'adds' | 'any'

/** Where a write comes from, and what it has in common with others of its workspace. */
export interface SharedOrigin extends WriteOrigin {
  /** The hash of the token of its caller. */
  tokenHash?: string
  /** The caller. */
  authorKey?: number
  /** What it may do; `any` if absent. */
  effect?: Effect
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
  found?: ReadonlyMap<SharedOrigin, Promise<unknown>>
}

type Origins = readonly (SharedOrigin | undefined)[]

/** What the writes of one transaction share: look-ups, and one insert of all their events. */
export class SharedWrites implements Group {
  /** Which write of the group runs now. */
  private at = 0
  /** What was looked up in this transaction and is still valid for this write. It grows while the write runs. */
  known: Known = {}
  /** What stays valid after this write. */
  private retained: Known = {}
  /** The events of this write. */
  private events: readonly EventRow[] = []
  /** The events of earlier writes that are not in the log yet. */
  private unwritten: EventRow[] = []
  /** The events of earlier writes whose texts are not in the search index yet. */
  private unindexed: EventRow[] = []

  constructor(private readonly origins: Origins) {}

  /** The tokens of the callers of this write and of those after it. */
  tokenHashes(): string[] {
    const hashes = this.origins.slice(this.at).map((origin) => origin?.tokenHash)
    return [...new Set(hashes.filter((hash) => hash !== undefined))]
  }

  /** The callers of all writes of the transaction. */
  authorKeys(): number[] {
    return this.origins.map((origin) => origin?.authorKey).filter((key) => key !== undefined)
  }

  /** Whether a write of the transaction may take something away that others see or may do. */
  mayTakeAway(): boolean {
    return this.origins.some((origin) => (origin?.effect ?? 'any') === 'any')
  }

  /** What this write looks up first. The first to ask looks up what the writes after it will need, too. */
  find(db: Reader, callers: Callers): Promise<unknown> | undefined {
    const origin = this.origins[this.at]
    if (!origin?.lookUp) return undefined
    this.known.found ??= this.findAll(db, callers)
    return this.known.found.get(origin)
  }

  private findAll(db: Reader, callers: Callers): Map<SharedOrigin, Promise<unknown>> {
    const found = new Map<SharedOrigin, Promise<unknown>>()
    for (const origin of this.origins.slice(this.at)) {
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

  /** Keeps what is still valid after this write. Without it, the next write looks everything up again. */
  retain(known: Known) {
    this.retained = known
  }

  /** Begins the write after the one that ran before. Inserts deferred events, unless this write never reads the log. */
  async begin(db: Writer, at: number) {
    this.endWrite()
    this.at = at
    this.known = this.retained
    this.retained = {}
    const origin = this.origins[at]
    const isNeeded = !origin?.lookUp || this.known.revision?.workspaceKey !== origin.workspaceKey
    if (isNeeded) await this.flush(db)
  }

  /** Forgets the events of this write. It changed nothing, so what was known is still valid. */
  undo() {
    this.events = []
    this.retained = this.known
  }

  /** Called after the last write. Texts are indexed once for all: on SQLite, each time adds a segment to the index. */
  async finish(db: Writer) {
    this.endWrite()
    await this.flush(db)
    await indexEvents(db, this.unindexed)
  }

  private endWrite() {
    this.unwritten.push(...this.events)
    this.unindexed.push(...this.events)
    this.events = []
  }

  private async flush(db: Writer) {
    const events = this.unwritten
    this.unwritten = []
    await appendEvents(db, events)
  }
}

export const openSharedWrites = (origins: Origins): SharedWrites => new SharedWrites(origins)

/** As `engine.write`, for a write that uses what the writes of its transaction share. */
export const writeShared = <T>(
  engine: Engine,
  work: (db: Writer, writes: SharedWrites) => Promise<T>,
  origin?: SharedOrigin,
): Promise<T> =>
  // Every engine that serves requests is opened by `store/open.ts`, which gives it `openSharedWrites`.
  engine.write((db, group) => work(db, group as SharedWrites), origin)
