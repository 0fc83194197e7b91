import type { Engine } from '../../store/engines/engine'

export interface Pulse {
  /** Says that this process changed a workspace, and whether it deleted content there. */
  beat(workspaceKey: number, hasDeleted?: boolean): void
  /**
   * Calls back whenever the workspace may have changed, by whichever process. That content was deleted is only said where
   * this process did it; for others the log says it.
   */
  feel(workspaceKey: number, listener: (hasDeleted: boolean) => void): () => void
  /** Calls back whenever any workspace may have changed. */
  feelAny(listener: () => void): () => void
  close(): void
}

/** Wakes whoever waits for a workspace to change. A beat is only a wake-up: what happened is in the log. */
export function openPulse(engine: Engine): Pulse {
  const listeners = new Map<number, Set<(hasDeleted: boolean) => void>>()
  let stopWatching: (() => void) | undefined

  const everywhere = new Set<() => void>()

  const onChange = (workspaceKeys = [...listeners.keys()], hasDeleted = false) => {
    for (const key of workspaceKeys) for (const listener of listeners.get(key) ?? []) listener(hasDeleted)
    for (const listener of everywhere) listener()
  }

  return {
    beat(workspaceKey, hasDeleted) {
      onChange([workspaceKey], hasDeleted)
      engine.notify(workspaceKey)
    },
    feel(workspaceKey, listener) {
      stopWatching ??= engine.watch(onChange)
      const own = listeners.getOrInsertComputed(workspaceKey, () => new Set())
      own.add(listener)
      return () => {
        own.delete(listener)
        if (own.size === 0) listeners.delete(workspaceKey)
      }
    },
    feelAny(listener) {
      stopWatching ??= engine.watch(onChange)
      everywhere.add(listener)
      return () => void everywhere.delete(listener)
    },
    close: () => stopWatching?.(),
  }
}
