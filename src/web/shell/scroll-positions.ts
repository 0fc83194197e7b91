import { createRandomId } from '../data/random-id'

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
  const name = () => {
    if (!history.state?.entry) history.replaceState({ ...history.state, entry: createRandomId() }, '')
  }
  name()
  for (const change of ['pushState', 'replaceState']) addEventListener(change, name)
}

const getHistoryEntry = (): string => history.state?.entry ?? ''

function places(): Record<string, ScrollPosition> {
  try {
    return JSON.parse(sessionStorage.getItem('parley:places') ?? '{}')
  } catch {
    return {}
  }
}

export const getScrollPosition = (): ScrollPosition | undefined => places()[getHistoryEntry()]

export function saveScrollPosition(entry: string, place: ScrollPosition | undefined) {
  const { [entry]: _, ...others } = places()
  const kept = Object.entries(others).slice(-(MAX_POSITIONS - 1))
  const next = Object.fromEntries(place ? [...kept, [entry, place]] : kept)
  try {
    sessionStorage.setItem('parley:places', JSON.stringify(next))
  } catch {
    // Full or not available: Back starts at the top.
  }
}

export { getHistoryEntry }
