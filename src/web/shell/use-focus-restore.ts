import { useEffect } from 'react'

/** The focused element and its ancestors, innermost first, each with its siblings. */
type Trail = { element: Element; siblings: (Element | null)[] }[]

/** Where focus is restored; a dialog takes precedence. */
const CONTAINERS = ['[role=dialog]', 'main']
const FOCUSABLE = 'article[tabindex], a[href], button'

function recordTrail(from: Element, root: Element): Trail {
  const trail: Trail = []
  for (let element = from; element !== root; element = element.parentElement!)
    trail.push({ element, siblings: [element.nextElementSibling, element.previousElementSibling] })
  return trail
}

const findFocusable = (element: Element): HTMLElement | null =>
  element.matches(FOCUSABLE) ? (element as HTMLElement) : element.querySelector<HTMLElement>(FOCUSABLE)

/** The element closest to the lost focus: itself, its container, or a sibling of the removed element. */
function findClosest(trail: Trail): HTMLElement | null {
  const was = trail[0]?.element as HTMLElement | undefined
  if (was?.isConnected) return was
  const left = trail.find(({ element }) => element.isConnected)?.element
  const within = left?.closest<HTMLElement>('article[tabindex]') ?? left?.querySelector(':scope > article[tabindex]')
  if (within) return within as HTMLElement
  const ofMessage = left?.closest('.message')?.querySelector<HTMLElement>('[data-message]')
  if (ofMessage) return ofMessage
  const gone = trail.findLast(({ element }) => !element.isConnected)
  for (const sibling of gone?.siblings ?? []) {
    const next = sibling?.isConnected && findFocusable(sibling)
    if (next) return next
  }
  return left ? findFocusable(left) : null
}

/** Focuses an element. A whole text, where only reading goes on, gets no frame until it is focused again. */
export function focusQuietly(element: HTMLElement) {
  if (element.matches('article')) {
    element.dataset.quietFocus = ''
    element.addEventListener('blur', () => delete element.dataset.quietFocus, { once: true })
  }
  element.focus({ preventScroll: true })
}

/** When the focused element is removed, focuses the closest one that is left. */
export function useFocusRestore() {
  useEffect(() => {
    let last: Element | undefined
    const trails: Trail[] = CONTAINERS.map(() => [])
    const recordFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return
      last = target
      for (const [at, selector] of CONTAINERS.entries()) {
        const root = target.closest(selector)
        if (root) trails[at] = recordTrail(target, root)
      }
    }
    const restoreFocus = () => {
      if (document.activeElement !== document.body || last?.isConnected) return
      const next = trails.map(findClosest).find((element) => element !== null)
      if (next) focusQuietly(next)
    }
    const observer = new MutationObserver(restoreFocus)
    observer.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', recordFocus)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', recordFocus)
    }
  }, [])
}
