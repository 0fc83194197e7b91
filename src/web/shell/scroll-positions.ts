import { createRandomId } from '../data/cache/storage'

/** A scroll position, stored per history entry and restored on Back. */
export interface ScrollPosition {
  /** The topmost visible element, and its distance from the top of the window. */
  id: string
  offset: number
  /** The cursor of the page that has the element. */
  cursor?: string
}

const MAX_POSITIONS = 50

/** Gives every history entry an id, and turns off the browser's own scroll restoration. */
export function trackHistory() {
  history.scrollRestoration = 'manual'
  const addId = () => {
    if (!history.state?.entry) history.replaceState({ ...history.state, entry: createRandomId() }, '')
  }
  addId()
  for (const change of ['pushState', 'replaceState']) addEventListener(change, addId)
}

export const getHistoryEntry = (): string => history.state?.entry ?? ''

function readPositions(): Record<string, ScrollPosition> {
  try {
    return JSON.parse(sessionStorage.getItem('parley:scroll-positions') ?? '{}')
  } catch {
    return {}
  }
}

export const getScrollPosition = (): ScrollPosition | undefined => readPositions()[getHistoryEntry()]

export function saveScrollPosition(entry: string, position: ScrollPosition | undefined) {
  const { [entry]: _, ...others } = readPositions()
  const kept = Object.entries(others).slice(-(MAX_POSITIONS - 1))
  const next = Object.fromEntries(position ? [...kept, [entry, position]] : kept)
  try {
    sessionStorage.setItem('parley:scroll-positions', JSON.stringify(next))
  } catch {
    // Full or not available: Back starts at the top.
  }
}
