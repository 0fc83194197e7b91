import { createRandomId } from '../data/random-id'

/** Where one was on a page, by entry of the browser's history, so that Back finds it again. */
export interface ScrollPosition {
  /** The element at the top, and how far below the top edge. */
  id: string
  offset: number
  /** The cursor of the page of the list that holds it. */
  cursor?: string
}

const MAX_POSITIONS = 50

/** Gives every entry of the history a name of its own, and leaves scrolling to the pages. */
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
    // Full, or forbidden: Back begins at the top.
  }
}

export { getHistoryEntry }
