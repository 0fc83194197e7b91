import type { ReactNode } from 'react'

/** What React renders within the text, such as a file. */
export interface Portal {
  key: string
  element: HTMLElement
  content: ReactNode
}

/** The portals of an editor. Its nodes add and remove them, and its React component shows them. */
export function createPortals() {
  let portals: readonly Portal[] = []
  const listeners = new Set<() => void>()
  let nextKey = 0
  const change = (next: readonly Portal[]) => {
    portals = next
    for (const listener of listeners) listener()
  }
  return {
    get: () => portals,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    add(element: HTMLElement, content: ReactNode) {
      const key = String(nextKey++)
      change([...portals, { key, element, content }])
      return {
        update: (next: ReactNode) =>
          change(portals.map((portal) => (portal.key === key ? { ...portal, content: next } : portal))),
        remove: () => change(portals.filter((portal) => portal.key !== key)),
      }
    },
  }
}

export type Portals = ReturnType<typeof createPortals>
