import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useLocationProperty } from 'wouter/use-browser-location'

/** The history state of a page that is opened from a search: its words are highlighted there. */
export const createHighlightState = (q: string) => ({ highlighted: q })

const getHighlighted = (): string | undefined => history.state?.highlighted

/** Highlights what was searched for on the page that was opened, until Escape. */
export function useSearchHighlight() {
  const [path] = useLocation()
  const q = useLocationProperty(getHighlighted)
  useEffect(() => {
    if (!q || !CSS.highlights) return
    const end = new AbortController()
    void import('./highlight-words').then(({ highlightWords }) => end.signal.aborted || highlightWords(q, end.signal))
    const clear = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('[role=dialog]')) return
      history.replaceState({ ...history.state, highlighted: undefined }, '')
    }
    addEventListener('keydown', clear, { signal: end.signal })
    return () => end.abort()
  }, [path, q])
}
