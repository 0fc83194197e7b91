import { useEffect } from 'react'

/** The focused element and its ancestors, innermost first, each with its siblings. */
type Trail = { element: Element; beside: (Element | null)[] }[]

/** Where focus is restored; a dialog takes precedence. */
const PLACES = ['[role=dialog]', 'main']
const REACHABLE = 'article[tabindex], a[href], button'

function trailOf(from: Element, root: Element): Trail {
  const trail: Trail = []
  for (let element = from; element !== root; element = element.parentElement!)
    trail.push({ element, beside: [element.nextElementSibling, element.previousElementSibling] })
  return trail
}

const reachableIn = (element: Element): HTMLElement | null =>
  element.matches(REACHABLE) ? (element as HTMLElement) : element.querySelector<HTMLElement>(REACHABLE)

/** The element closest to the lost focus: itself, its container, or a sibling of the removed element. */
function closest(trail: Trail): HTMLElement | null {
  const was = trail[0]?.element as HTMLElement | undefined
  if (was?.isConnected) return was
  const left = trail.find(({ element }) => element.isConnected)?.element
  const within = left?.closest<HTMLElement>('article[tabindex]') ?? left?.querySelector(':scope > article[tabindex]')
  if (within) return within as HTMLElement
  const gone = trail.findLast(({ element }) => !element.isConnected)
  for (const beside of gone?.beside ?? []) {
    const next = beside?.isConnected && reachableIn(beside)
    if (next) return next
  }
  return left ? reachableIn(left) : null
}

/** When the focused element is removed, focuses the closest one that is left. */
export function useFocusRestore() {
  useEffect(() => {
    let last: Element | undefined
    const trails: Trail[] = PLACES.map(() => [])
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return
      last = target
      for (const [at, place] of PLACES.entries()) {
        const root = target.closest(place)
        if (root) trails[at] = trailOf(target, root)
      }
    }
    const keep = () => {
      if (document.activeElement !== document.body || last?.isConnected) return
      const next = trails.map(closest).find((element) => element !== null)
      next?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(keep)
    observer.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', note)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', note)
    }
  }, [])
}
