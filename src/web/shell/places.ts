/** Where one was on a page, by entry of the browser's history, so that Back finds it again. */
export interface Place {
  /** The element at the top, and how far below the top edge. */
  id: string
  offset: number
  /** The cursor of the page of the list that holds it. */
  cursor?: string
}

const MOST_PLACES = 50

/** Gives every entry of the history a name of its own, and leaves scrolling to the pages. */
export function followHistory() {
  history.scrollRestoration = 'manual'
  const name = () => {
    if (!history.state?.entry) history.replaceState({ ...history.state, entry: crypto.randomUUID() }, '')
  }
  name()
  for (const change of ['pushState', 'replaceState']) addEventListener(change, name)
}

const currentEntry = (): string => history.state?.entry ?? ''

function places(): Record<string, Place> {
  try {
    return JSON.parse(sessionStorage.getItem('parley:places') ?? '{}')
  } catch {
    return {}
  }
}

export const rememberedPlace = (): Place | undefined => places()[currentEntry()]

export function rememberPlace(entry: string, place: Place | undefined) {
  const { [entry]: _, ...others } = places()
  const kept = Object.entries(others).slice(-(MOST_PLACES - 1))
  const next = Object.fromEntries(place ? [...kept, [entry, place]] : kept)
  try {
    sessionStorage.setItem('parley:places', JSON.stringify(next))
  } catch {
    // Full, or forbidden: Back begins at the top.
  }
}

export { currentEntry }
