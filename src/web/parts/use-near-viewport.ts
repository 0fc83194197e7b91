import { useEffect, useRef } from 'react'

/** How far beyond the window the next page is asked for. */
const AHEAD_PX = 1200

const isNear = (element: HTMLElement) => {
  const { top, bottom } = element.getBoundingClientRect()
  const isShown = element.getClientRects().length > 0
  return isShown && top < innerHeight + AHEAD_PX && bottom > -AHEAD_PX
}

/**
 * Calls when an element comes near the window, again for as long as it stays. It looks after each change and whenever
 * something scrolls: an IntersectionObserver misses a jump that comes together with new rows.
 */
export function useNearViewport(isEnabled: boolean, onNear: () => void) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isEnabled) return
    const end = new AbortController()
    const check = () => {
      // What leaves the page may still be told of a scroll.
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
