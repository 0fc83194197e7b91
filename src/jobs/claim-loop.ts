import type { Parley } from '../gate/parley'
import type { Reader, Writer } from '../store/engines/db'

export interface ClaimLoop {
  /** Starts what is due. */
  tick(): Promise<void>
  /** Resolves when everything that was started is done. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface ClaimedWork<Row> {
  /** What it does, for the log. */
  what: string
  /** How many at once. */
  max: number
  /** How long a claim holds: longer than the work may take. What a dead process claimed is claimed again after that. */
  claimMs: number
  hasDue(db: Reader, now: number): Promise<boolean>
  claim(db: Writer, now: number, until: number, limit: number): Promise<Row[]>
  serve(row: Row): Promise<void>
}

/** Claims what is due, and does it. Each row is claimed by one node at a time. */
export function startClaimLoop<Row>({ engine, clock, log }: Parley, work: ClaimedWork<Row>): ClaimLoop {
  const active = new Set<Promise<void>>()
  let isClosed = false
  let ticking: Promise<void> | undefined
  return {
    tick,
    settled,
    async close() {
      isClosed = true
      await settled()
    },
  }

  function tick(): Promise<void> {
    if (isClosed) return Promise.resolve()
    ticking ??= start().finally(() => {
      ticking = undefined
    })
    return ticking
  }

  async function start() {
    try {
      const now = clock()
      const room = work.max - active.size
      // A read is cheap; claiming is a write.
      if (room <= 0 || !(await engine.read((db) => work.hasDue(db, now)))) return
      const rows = await engine.write((db) => work.claim(db, now, now + work.claimMs, room))
      for (const row of rows) serve(row)
    } catch (error) {
      log.warn(`Could not look for ${work.what}; will retry`, { error: String(error) })
    }
  }

  function serve(row: Row) {
    const serving: Promise<void> = work
      .serve(row)
      .catch((error) => log.warn(`Could not finish ${work.what}; will retry`, { error: String(error) }))
      .finally(() => {
        active.delete(serving)
        void tick()
      })
    active.add(serving)
  }

  async function settled() {
    while (ticking || active.size > 0) {
      await ticking
      await Promise.all(active)
    }
  }
}
