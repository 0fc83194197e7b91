import type { Log } from '../../log'
import { appendPersonalEvents, isParallel } from '../../store/changes/change'
import { writeShared } from '../../store/changes/shared-writes'
import type { Engine } from '../../store/engines/engine'
import { listWorkspacesToAppend } from '../../store/log/personal-events'
import type { Changes } from './changes'

const RETRY_MS = 1_000

/**
 * Appends the events of personal changes to the log, some milliseconds after these were committed. It shares the transaction of
 * whatever else waits for the workspace.
 */
export function openPersonalEvents(engine: Engine, changes: Changes, log: Log) {
  const appending = new Map<number, Promise<void>>()
  let isClosed = false

  async function appendAll(workspaceKey: number) {
    for (let hasMore = true; hasMore; )
      try {
        hasMore = await writeShared(engine, (db, writes) => appendPersonalEvents(db, workspaceKey, writes), {
          workspaceKey,
          effect: 'adds',
        })
        changes.notify(workspaceKey)
      } catch (error) {
        log.warn('Could not append personal events to the log; will retry', { error: String(error) })
        if (isClosed) return
        await Bun.sleep(RETRY_MS)
      }
  }

  function append(workspaceKey: number): Promise<void> {
    const running = appending.get(workspaceKey) ?? Promise.resolve()
    const next = running
      .then(() => appendAll(workspaceKey))
      .finally(() => {
        if (appending.get(workspaceKey) === next) appending.delete(workspaceKey)
      })
    appending.set(workspaceKey, next)
    return next
  }

  return {
    /** Called after a personal change was committed. */
    append(workspaceKey: number) {
      if (isParallel(engine)) void append(workspaceKey)
    },
    /** Appends what another process has left, such as one that was killed. */
    async appendLeftovers() {
      if (!isParallel(engine)) return
      const left = await engine.read(listWorkspacesToAppend).catch(() => [])
      await Promise.all(left.map(append))
    },
    /** Resolves when the log of a workspace, or of all, has the events of all changes that this process made until now. */
    async settled(workspaceKey?: number) {
      await (workspaceKey === undefined ? Promise.all(appending.values()) : appending.get(workspaceKey))
    },
    async close() {
      isClosed = true
      await Promise.all(appending.values())
    },
  }
}
