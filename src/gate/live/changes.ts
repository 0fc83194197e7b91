import type { Engine } from '../../store/engines/engine'

type Listener = (hasDeleted: boolean) => void

/** Tells whoever waits for a workspace to change that it may have. What happened is in the log. */
export interface Changes {
  /** Called after this process changed a workspace; `hasDeleted` if it deleted content there. */
  notify(workspaceKey: number, hasDeleted?: boolean): void
  /**
   * Calls back whenever the workspace may have changed, by any process. `hasDeleted` is only known for deletions by this
   * process; for others, the log tells.
   */
  subscribe(workspaceKey: number, listener: Listener): () => void
  /** Calls back whenever any workspace may have changed. */
  subscribeToAll(listener: () => void): () => void
  close(): void
}

export function openChanges(engine: Engine): Changes {
  const listeners = new Map<number, Set<Listener>>()
  const listenersToAll = new Set<() => void>()
  let stopWatching: (() => void) | undefined

  const onChange = (workspaceKeys = [...listeners.keys()], hasDeleted = false) => {
    for (const key of workspaceKeys) for (const listener of listeners.get(key) ?? []) listener(hasDeleted)
    for (const listener of listenersToAll) listener()
  }

  return {
    notify(workspaceKey, hasDeleted) {
      onChange([workspaceKey], hasDeleted)
      engine.notify(workspaceKey)
    },
    subscribe(workspaceKey, listener) {
      stopWatching ??= engine.watch(onChange)
      const own = listeners.getOrInsertComputed(workspaceKey, () => new Set())
      own.add(listener)
      return () => {
        own.delete(listener)
        if (own.size === 0) listeners.delete(workspaceKey)
      }
    },
    subscribeToAll(listener) {
      stopWatching ??= engine.watch(onChange)
      listenersToAll.add(listener)
      return () => void listenersToAll.delete(listener)
    },
    close: () => stopWatching?.(),
  }
}
