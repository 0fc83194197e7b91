import { useEffect, useRef } from 'react'

/** How far outside the window the next page is loaded. */
const AHEAD_PX = 1200

const isNear = (element: HTMLElement) => {
  const { top, bottom } = element.getBoundingClientRect()
  const isShown = element.getClientRects().length > 0
  return isShown && top < innerHeight + AHEAD_PX && bottom > -AHEAD_PX
}

/**
 * Calls back when an element comes near the window, and again after each render while it stays there. Checks on every
 * render and scroll, because an IntersectionObserver misses jumps that come together with new rows.
 */
export function useNearViewport(isEnabled: boolean, onNear: () => void) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isEnabled) return
    const end = new AbortController()
    const check = () => {
      // Scroll events can arrive after the element was removed.
      if (end.signal.aborted || !element.current || !isNear(element.current)) return
      end.abort()
      onNear()
    }
    addEventListener('scroll', check, { passive: true, capture: true, signal: end.signal })
    addEventListener('resize', check, { signal: end.signal })
    check()
    return () => end.abort()
  })
  return element
}
