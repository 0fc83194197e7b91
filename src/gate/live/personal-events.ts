import type { Log } from '../../log'
import { within } from '../../metrics'
import { appendPersonalEvents, hasConcurrentWriters } from '../../store/changes/change'
import { writeShared } from '../../store/changes/shared-writes'
import type { Engine } from '../../store/engines/engine'
import { listWorkspacesToAppend } from '../../store/log/personal-events'
import type { Changes } from './changes'

const RETRY_MS = 1_000
/** So long a poll waits for the events of its caller's own changes. */
const MAX_WAIT_MS = 1_000

/** What is being appended to the log of a workspace, and whose changes wait for the next time. */
interface Appending {
  done: Promise<void>
  /** Whose changes are appended now, or next. */
  now: Set<number>
  next: Set<number>
}

/**
 * Appends the events of personal changes to the log, some milliseconds after these were committed. It shares the transaction of
 * whatever else waits for the workspace, and takes all that there are at once.
 */
export function openPersonalEvents(engine: Engine, changes: Changes, log: Log) {
  const appending = new Map<number, Appending>()
  let isClosed = false

  async function appendAll(workspaceKey: number) {
    for (let hasMore = true; hasMore; )
      try {
        const append = { workspaceKey, effect: 'adds' } as const
        hasMore = await writeShared(engine, (db, writes) => appendPersonalEvents(db, workspaceKey, writes), append)
        changes.notify(workspaceKey)
      } catch (error) {
        log.warn('Could not append personal events to the log; will retry', { error: String(error) })
        if (isClosed) return
        await Bun.sleep(RETRY_MS)
      }
  }

  async function run(workspaceKey: number, state: Appending) {
    while (state.next.size > 0) {
      state.now = state.next
      state.next = new Set()
      await appendAll(workspaceKey)
    }
    appending.delete(workspaceKey)
  }

  function append(workspaceKey: number, authorKey: number): Promise<void> {
    const known = appending.get(workspaceKey)
    if (known) {
      known.next.add(authorKey)
      return known.done
    }
    const state: Appending = { done: Promise.resolve(), now: new Set(), next: new Set([authorKey]) }
    appending.set(workspaceKey, state)
    state.done = run(workspaceKey, state)
    return state.done
  }

  const allDone = () => Promise.all(appending.values().map(({ done }) => done))

  return {
    /** Called after a member committed a personal change. */
    append(workspaceKey: number, authorKey: number) {
      if (hasConcurrentWriters(engine)) void append(workspaceKey, authorKey)
    },
    /** Appends what another process has left, such as one that was killed. */
    async appendLeftovers() {
      const left = await engine.read(listWorkspacesToAppend).catch(() => [])
      await Promise.all(left.map((key) => append(key, 0)))
    },
    /** Waits a moment for the events of what a member did in this process. */
    async settle(workspaceKey: number, authorKey: number) {
      const state = appending.get(workspaceKey)
      if (state?.now.has(authorKey) || state?.next.has(authorKey)) await within(MAX_WAIT_MS, state.done).catch(() => {})
    },
    /** Resolves when the log has the events of all changes that this process made until now. */
    settled: async () => void (await allDone()),
    async close() {
      isClosed = true
      await allDone()
    },
  }
}
